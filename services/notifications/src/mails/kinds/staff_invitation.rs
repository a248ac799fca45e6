//! An invitation to the practice's staff.

use contract::booking::v1::GetStaffInvitationResponse;
use contract::convert;
use serde_json::json;

use crate::mails::declaration::Declaration;
use crate::mails::facts::Facts;
use crate::templates::render::samples::figures::at;
use crate::templates::render::samples::{Form, INVITATION, Typed};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration { samples, ..Declaration::TO_CLIENT };

fn samples(_typed: &Typed) -> Vec<Form> {
    let form = |name, role: &str, invited_by: &str| {
        let facts = Facts::Invitation(GetStaffInvitationResponse {
            email: "priya@example.org".to_owned(),
            role: role.to_owned(),
            invited_by: invited_by.to_owned(),
            key: INVITATION.to_owned(),
            expires_at: Some(convert::to_wire(at(0))),
        });
        (name, facts, json!({}))
    };
    vec![form("usual", "front_desk", "meera@sukoon.example"), form("inviter_unknown", "admin", "")]
}

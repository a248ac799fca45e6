//! Invitations to the practice's staff.

use contract::booking::v1::GetStaffInvitationResponse;
use contract::convert;
use kernel::Timestamp;
use serde_json::{Value, json};

use super::receipt::STARTS_AT;
use crate::mails::facts::Facts;

/// The mail in its variants, with the key that its link has.
pub(super) fn forms(key: &str) -> Vec<(&'static str, Facts, Value)> {
    let form = |name, role: &str, invited_by: &str| {
        let expires_at = Timestamp::from_seconds(STARTS_AT).map(convert::to_wire);
        let facts = Facts::Invitation(GetStaffInvitationResponse {
            email: "priya@example.org".to_owned(),
            role: role.to_owned(),
            invited_by: invited_by.to_owned(),
            key: key.to_owned(),
            expires_at,
        });
        (name, facts, json!({}))
    };
    vec![form("usual", "front_desk", "meera@sukoon.example"), form("inviter_unknown", "admin", "")]
}

//! An invitation to the practice's staff.

use std::sync::Arc;

use contract::booking::v1::{
    GetStaffInvitationRequest, GetStaffInvitationResponse, StaffInvitationMailRequested,
};
use contract::convert::{self, timestamp};
use eventstore::Recorded;
use kernel::Id;
use kernel::id::StaffInvitation;
use messaging::ReactionError;
use serde_json::{Value, json};

use crate::clients::facts_error;
use crate::delivery::sources::{Sources, malformed};
use crate::mails::declaration::{Declaration, id};
use crate::mails::facts::{Facts, FactsError, Incomplete, Particulars, Wording};
use crate::mails::kind::{Kind, UnknownValue};
use crate::mails::mail::{About, Mail, NewMail};
use crate::templates::render::samples::figures::at;
use crate::templates::render::samples::{Form, INVITATION, Typed};
use crate::templates::template_context::{one_line, query_encode};

/// It was answered or withdrawn, or is too old.
const GONE: &str = "invitation_gone";

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    asked_by,
    load: |sources, mail| Box::pin(load(sources, mail)),
    believes: |reason| reason == GONE,
    samples,
    ..Declaration::TO_CLIENT
};

/// Each request once.
fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<StaffInvitationMailRequested>()? else { return Ok(None) };
    let invitation: Id<StaffInvitation> = id(&e.invitation_id)?;
    let subject = format!("{invitation}/{}", e.mail_number);
    Ok(Some(NewMail::about(Kind::StaffInvitation, subject, About::Subject)))
}

/// One that can't be accepted any more is gone.
async fn load(sources: &Sources, mail: &Mail) -> Result<Facts, FactsError> {
    let id = mail.subject.split_once('/').ok_or_else(|| malformed(UnknownValue))?.0;
    let id: Id<StaffInvitation> = id.parse().map_err(malformed)?;
    let request = GetStaffInvitationRequest { invitation_id: id.to_string() };
    let answered = sources.clients().booking_service().get_staff_invitation(request).await;
    answered
        .map(|answer| Facts::Own(Arc::new(answer.into_inner())))
        .map_err(|status| facts_error(status, GONE, "booking_unavailable"))
}

impl Particulars for GetStaffInvitationResponse {
    fn address(&self) -> &str {
        &self.email
    }

    fn variables(&self, wording: &dyn Wording) -> Result<Value, Incomplete> {
        let expires_at = self.expires_at.as_ref().and_then(timestamp);
        let expires_at = expires_at.ok_or(Incomplete("expires_at"))?;
        let role = match self.role.as_str() {
            "owner" => "an owner",
            "admin" => "an admin",
            "practitioner" => "a practitioner",
            "front_desk" => "a member of the front desk",
            _ => return Err(Incomplete("role")),
        };
        let key = query_encode(&self.key);
        Ok(json!({
            "staff_invitation": {
                "role_text": role,
                "invited_by": one_line(&self.invited_by),
                "valid_until_text": wording.day_and_time(expires_at),
                "link": format!("{}/invitations#key={key}", wording.public_url()),
            },
        }))
    }
}

fn samples(_typed: &Typed) -> Vec<Form> {
    let form = |name, role: &str, invited_by: &str| {
        let facts = Facts::Own(Arc::new(GetStaffInvitationResponse {
            email: "priya@example.org".to_owned(),
            role: role.to_owned(),
            invited_by: invited_by.to_owned(),
            key: INVITATION.to_owned(),
            expires_at: Some(convert::to_wire(at(0))),
        }));
        (name, facts, json!({}))
    };
    vec![form("usual", "front_desk", "meera@sukoon.example"), form("inviter_unknown", "admin", "")]
}

//! What has changed at an account.

use contract::convert;
use contract::identity::v1::{AccountNoticeRequested, GetAccountNoticeResponse};
use eventstore::Recorded;
use kernel::id::AccountNotice;
use messaging::ReactionError;
use serde_json::json;

use crate::delivery::sources::{Sources, subject};
use crate::mails::declaration::{Audience, Declaration, id};
use crate::mails::facts::{Facts, FactsError};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, Mail, NewMail};
use crate::templates::render::samples::figures::at;
use crate::templates::render::samples::{Form, Typed};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    audience: Audience::Account,
    asked_by,
    load: |sources, mail| Box::pin(load(sources, mail)),
    // An account that is gone.
    believes: |_reason| true,
    samples,
    ..Declaration::TO_CLIENT
};

fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<AccountNoticeRequested>()? else { return Ok(None) };
    id::<AccountNotice>(&e.notice_id)?;
    Ok(Some(NewMail::about(Kind::AccountNotice, e.notice_id, About::Subject)))
}

async fn load(sources: &Sources, mail: &Mail) -> Result<Facts, FactsError> {
    sources.clients().notice(subject(mail)?).await
}

/// Each notice of identity, with the device where there is one.
fn samples(typed: &Typed) -> Vec<Form> {
    let notice = |kind: &'static str, device: &str, subject: &str| {
        let facts = Facts::Notice(GetAccountNoticeResponse {
            email: "asha@example.org".to_owned(),
            first_name: typed.first_name.clone(),
            kind: kind.to_owned(),
            occurred_at: Some(convert::to_wire(at(0))),
            device: device.to_owned(),
            network: if device.is_empty() { String::new() } else { "203.0.113.x".to_owned() },
            subject: subject.to_owned(),
        });
        (kind, facts, json!({}))
    };
    let browser = "Chrome on Windows";
    vec![
        notice("new_device", browser, ""),
        notice("password_changed", browser, ""),
        notice("email_changed", browser, ""),
        notice("email_added", browser, ""),
        notice("phone_changed", browser, ""),
        notice("factor_added", browser, "authenticator app"),
        notice("factor_removed", browser, "security key"),
        notice("passkey_added", browser, ""),
        notice("passkey_removed", browser, ""),
        notice("passkey_counter", browser, ""),
        notice("recovery_code_used", browser, ""),
        notice("recovery_codes_made", "", ""),
        notice("factors_reset", "", ""),
        notice("ways_closed", "", ""),
    ]
}

//! The only place where mails become published events.

use contract::json::JsonError;
use contract::notifications::v1::{MailFailed, MailSent};
use eventstore::NewEvent;

use crate::mails::kind::Kind;
use crate::mails::mail::{About, Mail, MailId};

/// The stream of a mail's events.
#[must_use]
pub fn stream(id: MailId) -> String {
    format!("mail-{}", id.uuid())
}

/// The mail server accepted it.
///
/// # Errors
/// When `proto/` does not declare the event.
pub fn sent(mail: &Mail) -> Result<NewEvent, JsonError> {
    let (mail_id, booking_id, kind) = parts(mail.id, mail.about, mail.kind);
    NewEvent::of(&MailSent { mail_id, booking_id, kind })
}

/// The mail server did not accept it.
///
/// # Errors
/// When `proto/` does not declare the event.
pub fn failed(mail: &Mail, is_final: bool) -> Result<NewEvent, JsonError> {
    let (mail_id, booking_id, kind) = parts(mail.id, mail.about, mail.kind);
    NewEvent::of(&MailFailed { mail_id, booking_id, kind, r#final: is_final })
}

fn parts(id: MailId, about: About, kind: Kind) -> (String, String, i32) {
    (id.to_string(), about.booking_text(), kind.wire().into())
}

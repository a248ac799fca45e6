//! Accepts a message to the practice: it is mailed to the practice, and its sender gets an
//! acknowledgement, at most one in an hour.

use std::num::NonZeroU32;
use std::sync::Arc;

use contract::notifications::v1::SendContactMessageRequest;
use eventstore::{Metadata, Tx, new_id};
use kernel::id::ContactMessage;
use kernel::typed::{MailAddress, is_blank};
use kernel::{Id, IdempotencyKey};
use serde_json::json;

use super::validation::{MessageText, SenderName, parse_email, parse_key};
use super::{Forms, VISITOR, fills_honeypot};
use crate::error::{Error, Rejection, refuse};
use crate::mails::addresses::AddressHash;
use crate::mails::kind::Kind;
use crate::mails::mail::{About, NewMail};
use crate::repository::contact_messages::NewMessage;
use crate::repository::{self, contact_messages};
use crate::timers::kinds::ERASE_MESSAGE;

/// The most messages of an address in the window, and the window.
const MESSAGES_MAX: usize = 5;
const WINDOW_MINUTES: i64 = 60;
/// The retention of a message, for the case that the practice loses its mail.
const RETENTION_MINUTES: i64 = 30 * 24 * 60;
/// The lock under which the messages of all addresses are counted.
const TOTAL_LOCK: &str = "contact_messages in all";
/// The reason of an acknowledgement that isn't sent, because the address had one in this hour: so
/// the form cannot be used to flood a stranger's mailbox.
const ACKNOWLEDGED: &str = "acknowledged";

/// A valid message.
#[derive(Debug)]
struct ContactRequest {
    key: IdempotencyKey,
    name: SenderName,
    email: MailAddress,
    message: MessageText,
}

/// Accepts it. The same message with the same idempotency key gets the same answer, and nothing is
/// sent a second time.
///
/// # Errors
/// Why it is rejected; then nothing is stored.
pub async fn send(forms: &Forms, request: &SendContactMessageRequest) -> Result<(), Error> {
    let request_data = ContactRequest::parse(request).map_err(refuse)?;
    if fills_honeypot(&request.website) {
        return Ok(());
    }
    let id = new_id::<ContactMessage>();
    let metadata = Metadata::traced(VISITOR).about(id.to_string());
    let address = forms.addresses.hash_of_mailbox(request_data.email.as_str());
    let submission =
        Arc::new(Submission { id, request_data, address, contact_limit: forms.contact_limit });
    let is_new = forms
        .store
        .write(metadata, move |tx| {
            let submission = Arc::clone(&submission);
            Box::pin(async move { submission.accept(tx).await })
        })
        .await?;
    if is_new {
        tracing::info!(message_id = %id, "a message to the practice is taken");
    }
    Ok(())
}

impl ContactRequest {
    fn parse(request: &SendContactMessageRequest) -> Result<Self, Rejection> {
        let key = parse_key(&request.idempotency_key)?;
        let typed = [
            (&request.name, Rejection::NameMissing),
            (&request.email, Rejection::EmailMissing),
            (&request.message, Rejection::MessageMissing),
        ];
        // Missing fields are reported before invalid ones.
        if let Some((_text, missing)) = typed.into_iter().find(|(text, _)| is_blank(text)) {
            return Err(missing);
        }
        Ok(Self {
            key,
            name: SenderName::parse(&request.name)?,
            email: parse_email(&request.email)?,
            message: MessageText::parse(&request.message)?,
        })
    }
}

struct Submission {
    id: Id<ContactMessage>,
    request_data: ContactRequest,
    address: AddressHash,
    contact_limit: NonZeroU32,
}

impl Submission {
    /// True when it is new, false when it is a repeat.
    async fn accept(&self, tx: &mut Tx) -> Result<bool, Error> {
        let key = format!("contact_messages {}", self.request_data.key.as_str());
        let names = [key, self.address.lock_name("contact_messages"), TOTAL_LOCK.to_owned()];
        tx.lock(&names).await?;
        if let Some(is_same) = contact_messages::lookup(tx, &self.row()).await? {
            let repeat = is_same.then_some(false);
            return repeat.ok_or_else(|| refuse(Rejection::IdempotencyKeyReused));
        }
        let now = tx.now().await?;
        let since = now.plus_minutes(-WINDOW_MINUTES);
        let before = contact_messages::of_address_since(tx, self.address, since).await?;
        if before.len() >= MESSAGES_MAX {
            tracing::info!("an address has sent its messages for an hour");
            return Err(refuse(Rejection::TooManyMessages));
        }
        if contact_messages::count_since(tx, since).await? >= i64::from(self.contact_limit.get()) {
            tracing::warn!("the contact form has taken its messages for an hour");
            return Err(refuse(Rejection::TooManyInAll));
        }
        contact_messages::insert(tx, &self.row(), now).await?;
        let about = |kind| NewMail::about(kind, self.id.to_string(), About::Subject);
        repository::queue(tx, &about(Kind::ContactMessage)).await?;
        let acknowledgement = about(Kind::ContactAcknowledgement);
        if contact_messages::is_acknowledged(tx, &before, ACKNOWLEDGED).await? {
            repository::record_unsent(tx, &acknowledgement, ACKNOWLEDGED).await?;
        } else {
            repository::queue(tx, &acknowledgement).await?;
        }
        let erased_at = now.plus_minutes(RETENTION_MINUTES);
        tx.set_timer(ERASE_MESSAGE, &self.id.to_string(), erased_at, json!({})).await?;
        Ok(true)
    }

    fn row(&self) -> NewMessage<'_> {
        NewMessage {
            id: self.id,
            key: self.request_data.key.as_str(),
            name: self.request_data.name.as_str(),
            email: self.request_data.email.as_str(),
            message: self.request_data.message.as_str(),
            address: self.address,
        }
    }
}

//! Accepts a request for the meditation guide, which is mailed. The answer is the same whether or
//! not the address is over its limit, so it reveals nothing about an address.

use std::sync::Arc;

use contract::notifications::v1::RequestMeditationGuideRequest;
use eventstore::{Metadata, Tx, new_id};
use kernel::id::GuideRequest;
use kernel::typed::MailAddress;
use kernel::{Id, IdempotencyKey};
use serde_json::json;

use super::validation::{parse_email, parse_key};
use super::{Forms, VISITOR, fills_honeypot};
use crate::error::{Error, Rejection, refuse};
use crate::mails::addresses::AddressHash;
use crate::mails::kind::Kind;
use crate::mails::mail::{About, NewMail};
use crate::repository::{self, guide_requests};
use crate::timers::kinds::ERASE_GUIDE_REQUEST;

/// The most guides for an address in the window, and the window.
const GUIDES_MAX: i64 = 3;
const WINDOW_MINUTES: i64 = 24 * 60;
/// The retention of a request: the daily limit counts these rows.
const RETENTION_MINUTES: i64 = WINDOW_MINUTES;

/// The result of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Acceptance {
    New,
    Repeat,
    TooMany,
}

/// Accepts it. Whether the address has unsubscribed is checked when the mail is sent.
///
/// # Errors
/// Why it is rejected; then nothing is stored.
pub async fn request(forms: &Forms, request: &RequestMeditationGuideRequest) -> Result<(), Error> {
    let key = parse_key(&request.idempotency_key).map_err(refuse)?;
    let email = parse_email(&request.email).map_err(refuse)?;
    if fills_honeypot(&request.website) {
        return Ok(());
    }
    let id = new_id::<GuideRequest>();
    let metadata = Metadata::traced(VISITOR).about(id.to_string());
    let address = forms.addresses.hash_of_mailbox(email.as_str());
    let submission = Arc::new(Submission { id, key, email, address });
    let acceptance = forms
        .store
        .write(metadata, move |tx| {
            let submission = Arc::clone(&submission);
            Box::pin(async move { submission.accept(tx).await })
        })
        .await?;
    match acceptance {
        Acceptance::New => tracing::info!(request_id = %id, "a wish for the guide is taken"),
        Acceptance::TooMany => tracing::info!("an address has had its guides for a day"),
        Acceptance::Repeat => {}
    }
    Ok(())
}

struct Submission {
    id: Id<GuideRequest>,
    key: IdempotencyKey,
    email: MailAddress,
    address: AddressHash,
}

impl Submission {
    async fn accept(&self, tx: &mut Tx) -> Result<Acceptance, Error> {
        let key = format!("guide_requests {}", self.key.as_str());
        tx.lock(&[key, self.address.lock_name("guide_requests")]).await?;
        if let Some(is_same) =
            guide_requests::lookup(tx, self.key.as_str(), self.email.as_str()).await?
        {
            let repeat = is_same.then_some(Acceptance::Repeat);
            return repeat.ok_or_else(|| refuse(Rejection::IdempotencyKeyReused));
        }
        let now = tx.now().await?;
        let since = now.plus_minutes(-WINDOW_MINUTES);
        if guide_requests::count_since(tx, self.address, since).await? >= GUIDES_MAX {
            return Ok(Acceptance::TooMany);
        }
        let row = (self.key.as_str(), self.email.as_str());
        guide_requests::insert(tx, self.id, row, self.address, now).await?;
        let mail = NewMail::about(Kind::MeditationGuide, self.id.to_string(), About::Subject);
        repository::queue(tx, &mail).await?;
        let erased_at = now.plus_minutes(RETENTION_MINUTES);
        tx.set_timer(ERASE_GUIDE_REQUEST, &self.id.to_string(), erased_at, json!({})).await?;
        Ok(Acceptance::New)
    }
}

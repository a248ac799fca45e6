//! Takes a wish for the meditation guide: it goes there by mail. The answer is the same whether the
//! address gets one or has had enough, so nobody learns anything about an address by asking.

use std::sync::Arc;

use contract::notifications::v1::RequestMeditationGuideRequest;
use eventstore::{Metadata, StoreError, Tx, new_id};
use kernel::id::GuideRequest;
use kernel::{Id, Timestamp};
use sqlx::Row;

use super::typed::{Key, MailAddress};
use super::{Error, Forms, Rejection, VISITOR, erasing, is_trapped, refuse};
use crate::mail::{About, Kind, NewMail};
use crate::store;
use crate::unsubscribing::AddressHash;

/// How many guides an address gets in so many minutes.
const GUIDES_MAX: i64 = 3;
const WINDOW_MINUTES: i64 = 24 * 60;

/// What came of a wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    New,
    Repeat,
    TooMany,
}

/// Takes it. Whether the address has unsubscribed is asked when the mail is sent.
///
/// # Errors
/// Why it is refused; then nothing was kept.
pub async fn request(forms: &Forms, request: &RequestMeditationGuideRequest) -> Result<(), Error> {
    let key = Key::parse(&request.idempotency_key).map_err(refuse)?;
    let email = MailAddress::parse(&request.email).map_err(refuse)?;
    if is_trapped(&request.website) {
        return Ok(());
    }
    let id = new_id::<GuideRequest>();
    let metadata = Metadata::by(VISITOR, runtime::telemetry::traceparent()).about(id.to_string());
    let address = forms.addresses.hash_of_mailbox(email.as_str());
    let case = Arc::new(Case { id, key, email, address });
    let taken = forms
        .store
        .write(metadata, move |tx| {
            let case = Arc::clone(&case);
            Box::pin(async move { case.take(tx).await })
        })
        .await?;
    match taken {
        Taken::New => tracing::info!(request_id = %id, "a wish for the guide is taken"),
        Taken::TooMany => tracing::info!("an address has had its guides for a day"),
        Taken::Repeat => {}
    }
    Ok(())
}

struct Case {
    id: Id<GuideRequest>,
    key: Key,
    email: MailAddress,
    address: AddressHash,
}

impl Case {
    async fn take(&self, tx: &mut Tx) -> Result<Taken, Error> {
        let key = format!("guide_requests {}", self.key.as_str());
        tx.lock(&[key, self.address.lock_name("guide_requests")]).await?;
        if let Some(is_same) = self.recall(tx).await? {
            let repeat = is_same.then_some(Taken::Repeat);
            return repeat.ok_or_else(|| refuse(Rejection::IdempotencyKeyReused));
        }
        let now = tx.now().await?;
        if self.asked_since(tx, now.plus_minutes(-WINDOW_MINUTES)).await? >= GUIDES_MAX {
            return Ok(Taken::TooMany);
        }
        self.keep(tx, now).await?;
        let mail =
            NewMail::about(Kind::MeditationGuide, self.id.to_string(), About::Guide(self.id));
        store::queue(tx, &mail).await?;
        erasing::set_for_guide_request(tx, self.id, now).await?;
        Ok(Taken::New)
    }

    /// Whether what came with this key before is the same; `None` when nothing came.
    async fn recall(&self, tx: &mut Tx) -> Result<Option<bool>, StoreError> {
        let row = sqlx::query(
            "select email = $2 as is_same from guide_requests where idempotency_key = $1",
        )
        .bind(self.key.as_str())
        .bind(self.email.as_str())
        .fetch_optional(tx.connection())
        .await?;
        Ok(row.map(|row| row.try_get("is_same")).transpose()?)
    }

    async fn asked_since(&self, tx: &mut Tx, since: Timestamp) -> Result<i64, StoreError> {
        Ok(sqlx::query_scalar(
            "select count(*) from guide_requests where address_hash = $1 and received_at > $2",
        )
        .bind(self.address.as_bytes())
        .bind(since)
        .fetch_one(tx.connection())
        .await?)
    }

    async fn keep(&self, tx: &mut Tx, now: Timestamp) -> Result<(), StoreError> {
        sqlx::query(
            "insert into guide_requests (request_id, email, received_at, address_hash,
                                         idempotency_key)
             values ($1, $2, $3, $4, $5)",
        )
        .bind(self.id)
        .bind(self.email.as_str())
        .bind(now)
        .bind(self.address.as_bytes())
        .bind(self.key.as_str())
        .execute(tx.connection())
        .await?;
        Ok(())
    }
}

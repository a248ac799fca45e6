//! The timers of mails, and when a timer is due.

use eventstore::{StoreError, Tx};
use kernel::Timestamp;
use serde_json::json;

use crate::mails::kind::Kind;
use crate::mails::mail::MailId;
use crate::timers::kinds::SEND_MAIL;

/// Sets the timer of a mail: as a bulk timer if its kind is bulk.
pub(super) async fn schedule(
    tx: &mut Tx,
    kind: Kind,
    id: MailId,
    due_at: Timestamp,
) -> Result<(), StoreError> {
    if !kind.is_bulk() {
        return schedule_urgent(tx, id, due_at).await;
    }
    tx.set_bulk_timer(SEND_MAIL, &id.to_string(), due_at, json!({})).await
}

/// Sets the timer of a mail with normal priority, ahead of bulk timers.
pub async fn schedule_urgent(tx: &mut Tx, id: MailId, due_at: Timestamp) -> Result<(), StoreError> {
    tx.set_timer(SEND_MAIL, &id.to_string(), due_at, json!({})).await
}

/// When a timer is due; `None` when there is none.
pub async fn timer_due(
    tx: &mut Tx,
    kind: &str,
    subject: &str,
) -> Result<Option<Timestamp>, StoreError> {
    let due =
        sqlx::query_scalar("select due_at from timers where kind = $1 and subject = $2 for update")
            .bind(kind)
            .bind(subject)
            .fetch_optional(tx.connection())
            .await?;
    Ok(due)
}

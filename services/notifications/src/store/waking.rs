//! Reminders that wait are looked at again, so that their hours may have been changed.

use eventstore::{StoreError, Tx};

use super::SEND_MAIL;
use crate::mail::MailId;

/// Has reminders that wait for their time looked at again, so many at most, in the order of their
/// ids. Answers with the last of them, behind which the next ones follow.
///
/// # Errors
/// When the database does not answer.
pub async fn wake_reminders(
    tx: &mut Tx,
    after: Option<MailId>,
    most: i64,
) -> Result<Option<MailId>, StoreError> {
    let now = tx.now().await?;
    // A worker that has read one of them finds that its time was changed, and leaves it alone.
    let last = sqlx::query_scalar(
        "with waiting as (
             select mail_id from mails
             where kind in ('reminder', 'second_reminder') and state = 'queued' and due_at > $1
               and ($2::uuid is null or mail_id > $2)
             order by mail_id limit $3
             for update),
         woken as (
             update mails set due_at = $1 from waiting where mails.mail_id = waiting.mail_id
             returning mails.mail_id),
         moved as (
             update timers set due_at = $1, attempts = 0, lease_until_at = '-infinity'
             from woken
             where kind = $4 and subject = 'mal_' || replace(woken.mail_id::text, '-', ''))
         select mail_id from woken order by mail_id desc limit 1",
    )
    .bind(now)
    .bind(after)
    .bind(most)
    .bind(SEND_MAIL)
    .fetch_optional(tx.connection())
    .await?;
    Ok(last)
}

//! The outcome of an attempt, saved with its timer and its event.

use eventstore::{StoreError, Tx};
use kernel::Timestamp;

use super::rows::parse_column;
use super::timer::schedule;
use crate::contract;
use crate::mails::mail::{Mail, MailId, State};
use crate::timers::kinds::SEND_MAIL;

/// Defers a mail until it is due, unless another worker has taken it. Earlier attempts don't count,
/// so its retry window begins when it is due. `hours` is `planning::hours` of the practice.
pub async fn defer(
    tx: &mut Tx,
    mail: &Mail,
    until: Timestamp,
    hours: &str,
) -> Result<(), StoreError> {
    let mine = sqlx::query(
        "update mails
         set state = 'queued', due_at = $3, first_tried_at = null, last_error = null,
             planned_by = $4
         where mail_id = $1 and due_at = $2 and state in ('queued', 'retrying', 'sending')",
    )
    .bind(mail.id)
    .bind(mail.due_at)
    .bind(until)
    .bind(hours)
    .execute(tx.connection())
    .await?
    .rows_affected();
    if mine > 0 { schedule(tx, mail.kind, mail.id, until).await } else { Ok(()) }
}

/// The server accepted it: the mail is done. This holds whatever other worker has claimed the mail
/// since and whatever else was saved about it. An event is published if another service reads it,
/// or if one said before that the mail had failed.
pub async fn sent(tx: &mut Tx, mail: &Mail) -> Result<(), StoreError> {
    let ended = sqlx::query(
        "update mails set state = 'sent', sent_at = clock_now(), last_error = null
         where mail_id = $1 and state <> 'sent'",
    )
    .bind(mail.id)
    .execute(tx.connection())
    .await?
    .rows_affected();
    if ended == 0 {
        return Ok(());
    }
    let stream = contract::stream(mail.id);
    let version = tx.load(&stream).await?.version;
    if mail.kind.is_sending_published() || version > 0 {
        tx.append(&stream, version, &[contract::sent(mail)?]).await?;
    }
    tx.end_timer(SEND_MAIL, &mail.id.to_string()).await
}

/// It is retried at `due_at`. With `publishes` an event is published, once per mail.
pub async fn retry(
    tx: &mut Tx,
    mail: &Mail,
    (reason, publishes): (&str, bool),
    due_at: Timestamp,
) -> Result<(), StoreError> {
    let mine = sqlx::query(
        "update mails
         set state = 'retrying', due_at = $3, last_error = $4,
             attempts = greatest(attempts, $5),
             first_tried_at = coalesce(first_tried_at, clock_now())
         where mail_id = $1 and due_at = $2 and state in ('queued', 'retrying', 'sending')",
    )
    .bind(mail.id)
    .bind(mail.due_at)
    .bind(due_at)
    .bind(reason)
    .bind(mail.attempts.saturating_add(1))
    .execute(tx.connection())
    .await?
    .rows_affected();
    if mine == 0 {
        return Ok(());
    }
    if publishes && tx.load(&contract::stream(mail.id)).await?.version == 0 {
        publish(tx, mail, contract::failed(mail, false)?).await?;
    }
    schedule(tx, mail.kind, mail.id, due_at).await
}

/// It is not retried, and staff has to look; an event is published. Nothing happens if another
/// worker has taken the mail since: that worker records the outcome.
pub async fn failed(tx: &mut Tx, mail: &Mail, reason: &str) -> Result<(), StoreError> {
    if finish(tx, mail, "failed", reason).await? {
        publish(tx, mail, contract::failed(mail, true)?).await?;
    }
    Ok(())
}

/// It is no longer needed. Nothing happens if another worker has taken the mail since.
pub async fn dropped(tx: &mut Tx, mail: &Mail, reason: &str) -> Result<(), StoreError> {
    finish(tx, mail, "dropped", reason).await.map(|_ended| ())
}

async fn finish(tx: &mut Tx, mail: &Mail, state: &str, reason: &str) -> Result<bool, StoreError> {
    let ended = sqlx::query(
        "update mails set state = $2, last_error = $3
         where mail_id = $1 and due_at = $4 and state in ('queued', 'retrying', 'sending')",
    )
    .bind(mail.id)
    .bind(state)
    .bind(reason)
    .bind(mail.due_at)
    .execute(tx.connection())
    .await?
    .rows_affected();
    if ended > 0 {
        tx.end_timer(SEND_MAIL, &mail.id.to_string()).await?;
    }
    Ok(ended > 0)
}

/// Ends the timer of a mail that is over or doesn't exist. A mail that was read as over may have
/// been requeued by staff since.
pub async fn end_timer(tx: &mut Tx, id: MailId) -> Result<(), StoreError> {
    let row = sqlx::query("select state from mails where mail_id = $1 for update")
        .bind(id)
        .fetch_optional(tx.connection())
        .await?;
    let state: Option<State> = row.as_ref().map(|row| parse_column(row, "state")).transpose()?;
    if state.is_none_or(State::is_over) {
        tx.end_timer(SEND_MAIL, &id.to_string()).await?;
    }
    Ok(())
}

/// The time of the first attempt, read again from the row: staff may have restarted the retry
/// window while the mail was in flight.
pub async fn tried_since(tx: &mut Tx, id: MailId) -> Result<Option<Timestamp>, StoreError> {
    let since: Option<Option<Timestamp>> =
        sqlx::query_scalar("select first_tried_at from mails where mail_id = $1 for update")
            .bind(id)
            .fetch_optional(tx.connection())
            .await?;
    Ok(since.flatten())
}

async fn publish(tx: &mut Tx, mail: &Mail, event: eventstore::NewEvent) -> Result<(), StoreError> {
    let stream = contract::stream(mail.id);
    let version = tx.load(&stream).await?.version;
    tx.append(&stream, version, &[event]).await.map(|_version| ())
}

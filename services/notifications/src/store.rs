//! The mails table. Each change of a row stands in one transaction with its timer and its event.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, MailedCode};
use kernel::{Id, Timestamp};
use serde_json::{Value, json};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row};

use crate::contract;
use crate::mail::{
    About, CLAIM_SECONDS, Kind, LINK_PATIENCE_SECONDS, Mail, MailId, NewMail, State,
};

/// The timer that sends a mail.
pub const SEND_MAIL: &str = "send_mail";

/// Queues a mail, due at once, unless it was queued before.
///
/// # Errors
/// When the database does not answer.
pub async fn queue(tx: &mut Tx, mail: &NewMail) -> Result<(), StoreError> {
    let now = tx.now().await?;
    if insert(tx, mail, now, (State::Queued, None)).await? {
        wake(tx, mail.id(), now).await?;
    }
    Ok(())
}

/// Keeps what a mail would say without ever sending it, unless it was queued before; `reason` is a
/// word that says why.
///
/// # Errors
/// When the database does not answer.
pub async fn keep_unsent(tx: &mut Tx, mail: &NewMail, reason: &str) -> Result<(), StoreError> {
    let now = tx.now().await?;
    insert(tx, mail, now, (State::Dropped, Some(reason))).await.map(|_added| ())
}

/// Adds a row, unless there is one for this mail.
async fn insert(
    tx: &mut Tx,
    mail: &NewMail,
    now: Timestamp,
    (state, reason): (State, Option<&str>),
) -> Result<bool, StoreError> {
    let waits_until = mail.waits_for_link.then(|| now.plus_seconds(LINK_PATIENCE_SECONDS));
    let (booking_id, code_id) = match mail.about {
        About::Booking(id) => (Some(id), None),
        About::Code(id) => (None, Some(id)),
    };
    let added = sqlx::query(
        "insert into mails (mail_id, kind, subject, booking_id, code_id, payload, due_at,
                            waits_for_link_until_at, queued_at, state, last_error)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $7, $9, $10)
         on conflict do nothing",
    )
    .bind(mail.id())
    .bind(mail.kind.name())
    .bind(&mail.subject)
    .bind(booking_id)
    .bind(code_id)
    .bind(&mail.payload)
    .bind(now)
    .bind(waits_until)
    .bind(state.name())
    .bind(reason)
    .execute(tx.connection())
    .await?
    .rows_affected();
    Ok(added > 0)
}

/// What another mail about the same thing was queued with.
///
/// # Errors
/// When the database does not answer.
pub async fn payload(tx: &mut Tx, kind: Kind, subject: &str) -> Result<Option<Value>, StoreError> {
    Ok(sqlx::query_scalar("select payload from mails where kind = $1 and subject = $2")
        .bind(kind.name())
        .bind(subject)
        .fetch_optional(tx.connection())
        .await?)
}

/// The meeting room exists: mails that wait for its link wait no longer, and a confirmation that
/// left without it is followed by the link.
///
/// # Errors
/// When the database does not answer.
pub async fn link_arrived(tx: &mut Tx, booking: Id<Booking>) -> Result<(), StoreError> {
    let now = tx.now().await?;
    // A mail that is being sent or tried again asks for the link by itself: see `sent`.
    let rows = sqlx::query(
        "update mails
         set link_known = true, due_at = case when state = 'queued' then $2 else due_at end
         where booking_id = $1 and kind in ('booking_confirmed', 'practice_notice')
         returning mail_id, kind, state, link_told, payload",
    )
    .bind(booking)
    .bind(now)
    .fetch_all(tx.connection())
    .await?;
    for row in rows {
        let kind: Kind = word(&row, "kind")?;
        match word(&row, "state")? {
            State::Queued => wake(tx, row.try_get("mail_id")?, now).await?,
            State::Sent if kind == Kind::BookingConfirmed && !row.try_get("link_told")? => {
                let mail = NewMail::of_booking(Kind::MeetingLink, booking);
                queue(tx, &mail.saying(row.try_get("payload")?)).await?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Reads a mail.
///
/// # Errors
/// When the database does not answer.
pub async fn load(executor: impl PgExecutor<'_>, id: MailId) -> Result<Option<Mail>, StoreError> {
    let row = sqlx::query(
        "select mail_id, kind, booking_id, code_id, payload, state, attempts, due_at,
                waits_for_link_until_at, first_tried_at,
                state = 'sending' and claimed_until_at > clock_timestamp() as on_its_way
         from mails where mail_id = $1",
    )
    .bind(id)
    .fetch_optional(executor)
    .await?;
    row.as_ref().map(mail).transpose().map_err(StoreError::from)
}

/// Leaves a mail alone until later, unless somebody else took it up meanwhile.
///
/// # Errors
/// When the database does not answer.
pub async fn defer(tx: &mut Tx, mail: &Mail, until: Timestamp) -> Result<(), StoreError> {
    let mine = sqlx::query(
        "update mails set due_at = $3
         where mail_id = $1 and due_at = $2 and state in ('queued', 'retrying', 'sending')",
    )
    .bind(mail.id)
    .bind(mail.due_at)
    .bind(until)
    .execute(tx.connection())
    .await?
    .rows_affected();
    if mine > 0 { wake(tx, mail.id, until).await } else { Ok(()) }
}

/// Claims the mail for being handed to the server: until the claim ends nobody else takes it up,
/// whatever becomes of the one who claimed it, not even one who read it after it was claimed.
/// Answers with the mail as it was claimed, or with nothing when somebody else has it; then it is
/// not to be sent from here.
///
/// # Errors
/// When the database does not answer.
pub async fn begin(
    tx: &mut Tx,
    mail: &Mail,
    message_id: &str,
    link_told: bool,
) -> Result<Option<Mail>, StoreError> {
    let claimed_until = tx.now().await?.plus_seconds(CLAIM_SECONDS);
    let begun = sqlx::query(
        "update mails
         set state = 'sending', attempts = attempts + 1, due_at = $5, link_told = $4,
             message_id = coalesce(message_id, $3),
             first_tried_at = coalesce(first_tried_at, clock_now()),
             claimed_until_at = clock_timestamp() + $6::bigint * interval '1 second'
         where mail_id = $1 and due_at = $2 and due_at <= clock_now()
           and (state in ('queued', 'retrying')
                or state = 'sending' and claimed_until_at <= clock_timestamp())",
    )
    .bind(mail.id)
    .bind(mail.due_at)
    .bind(message_id)
    .bind(link_told)
    .bind(claimed_until)
    .bind(CLAIM_SECONDS)
    .execute(tx.connection())
    .await?
    .rows_affected();
    if begun == 0 {
        return Ok(None);
    }
    wake(tx, mail.id, claimed_until.plus_seconds(1)).await?;
    Ok(Some(Mail { due_at: claimed_until, ..mail.clone() }))
}

/// Makes a claim last on while the conversation with the server goes on. Answers with the mail as
/// it is claimed now, or with nothing when the claim was lost meanwhile.
///
/// # Errors
/// When the database does not answer.
pub async fn keep(tx: &mut Tx, mail: &Mail) -> Result<Option<Mail>, StoreError> {
    let claimed_until = tx.now().await?.plus_seconds(CLAIM_SECONDS);
    let kept = sqlx::query(
        "update mails
         set due_at = $3, claimed_until_at = clock_timestamp() + $4::bigint * interval '1 second'
         where mail_id = $1 and due_at = $2 and state = 'sending'",
    )
    .bind(mail.id)
    .bind(mail.due_at)
    .bind(claimed_until)
    .bind(CLAIM_SECONDS)
    .execute(tx.connection())
    .await?
    .rows_affected();
    if kept == 0 {
        return Ok(None);
    }
    wake(tx, mail.id, claimed_until.plus_seconds(1)).await?;
    Ok(Some(Mail { due_at: claimed_until, ..mail.clone() }))
}

/// The server took it: the mail is done, and others are told. A link that became known while the
/// mail was on its way without it follows.
///
/// # Errors
/// When the database does not answer.
pub async fn sent(tx: &mut Tx, mail: &Mail) -> Result<(), StoreError> {
    let owes_link: Option<bool> = sqlx::query_scalar(
        "update mails set state = 'sent', sent_at = clock_now(), last_error = null
         where mail_id = $1 and state not in ('sent', 'failed', 'dropped')
         returning link_known and not link_told",
    )
    .bind(mail.id)
    .fetch_optional(tx.connection())
    .await?;
    if let Some(owes_link) = owes_link {
        publish(tx, mail, contract::sent(mail)?).await?;
        if let (true, Kind::BookingConfirmed, About::Booking(id)) =
            (owes_link, mail.kind, mail.about)
        {
            let link = NewMail::of_booking(Kind::MeetingLink, id);
            queue(tx, &link.saying(mail.payload.clone())).await?;
        }
    }
    tx.end_timer(SEND_MAIL, &mail.id.to_string()).await
}

/// It is tried again at `due_at`. `tells` says whether others hear of it; they hear it once.
///
/// # Errors
/// When the database does not answer.
pub async fn retry(
    tx: &mut Tx,
    mail: &Mail,
    (reason, tells): (&str, bool),
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
    if tells && tx.load(&contract::stream(mail.id)).await?.version == 0 {
        publish(tx, mail, contract::failed(mail, false)?).await?;
    }
    wake(tx, mail.id, due_at).await
}

/// It is not tried again, and a person has to look; others are told.
///
/// # Errors
/// When the database does not answer.
pub async fn failed(tx: &mut Tx, mail: &Mail, reason: &str) -> Result<(), StoreError> {
    if end(tx, mail, "failed", reason).await? {
        publish(tx, mail, contract::failed(mail, true)?).await?;
    }
    Ok(())
}

/// Nobody needs it any more.
///
/// # Errors
/// When the database does not answer.
pub async fn dropped(tx: &mut Tx, mail: &Mail, reason: &str) -> Result<(), StoreError> {
    end(tx, mail, "dropped", reason).await.map(|_ended| ())
}

async fn end(tx: &mut Tx, mail: &Mail, state: &str, reason: &str) -> Result<bool, StoreError> {
    let ended = sqlx::query(
        "update mails set state = $2, last_error = $3
         where mail_id = $1 and state not in ('sent', 'failed', 'dropped')",
    )
    .bind(mail.id)
    .bind(state)
    .bind(reason)
    .execute(tx.connection())
    .await?
    .rows_affected();
    tx.end_timer(SEND_MAIL, &mail.id.to_string()).await?;
    Ok(ended > 0)
}

async fn publish(tx: &mut Tx, mail: &Mail, event: eventstore::NewEvent) -> Result<(), StoreError> {
    let stream = contract::stream(mail.id);
    let version = tx.load(&stream).await?.version;
    tx.append(&stream, version, &[event]).await.map(|_version| ())
}

/// Sets the timer of a mail.
///
/// # Errors
/// When the database does not answer.
pub async fn wake(tx: &mut Tx, id: MailId, due_at: Timestamp) -> Result<(), StoreError> {
    tx.set_timer(SEND_MAIL, &id.to_string(), due_at, json!({})).await
}

fn mail(row: &PgRow) -> Result<Mail, sqlx::Error> {
    let code: Option<Id<MailedCode>> = row.try_get("code_id")?;
    let about = match code {
        Some(code) => About::Code(code),
        None => About::Booking(row.try_get("booking_id")?),
    };
    Ok(Mail {
        id: row.try_get("mail_id")?,
        kind: word(row, "kind")?,
        about,
        payload: row.try_get("payload")?,
        state: word(row, "state")?,
        attempts: row.try_get("attempts")?,
        due_at: row.try_get("due_at")?,
        waits_for_link_until: row.try_get("waits_for_link_until_at")?,
        first_tried_at: row.try_get("first_tried_at")?,
        on_its_way: row.try_get("on_its_way")?,
    })
}

fn word<T>(row: &PgRow, column: &str) -> Result<T, sqlx::Error>
where
    T: std::str::FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    let text: String = row.try_get(column)?;
    text.parse().map_err(|error: T::Err| sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source: error.into(),
    })
}

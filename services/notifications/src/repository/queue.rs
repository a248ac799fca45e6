//! Queues mails, and reads those that are queued.

use eventstore::{StoreError, Tx};
use kernel::Id;
use kernel::Timestamp;
use kernel::id::Booking;
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row};

use super::rows::{parse_column, parse_mail};
use super::timer::{schedule, schedule_urgent};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, Mail, MailId, NewMail, State};
use crate::mails::payload::RENEWS;

/// Queues a mail, due at once, unless it was queued before; returns whether it was not.
pub async fn queue(tx: &mut Tx, mail: &NewMail) -> Result<bool, StoreError> {
    let now = tx.now().await?;
    queue_due(tx, mail, now).await
}

/// The same, due at this time.
pub async fn queue_due(tx: &mut Tx, mail: &NewMail, due_at: Timestamp) -> Result<bool, StoreError> {
    let is_new = insert(tx, mail, due_at, (State::Queued, None)).await?;
    if is_new {
        schedule(tx, mail.kind, mail.id(), due_at).await?;
    }
    Ok(is_new)
}

/// Inserts a mail as dropped, so that its payload is stored but it is never sent, unless it was
/// queued before; `reason` is a code.
pub async fn record_unsent(tx: &mut Tx, mail: &NewMail, reason: &str) -> Result<(), StoreError> {
    let now = tx.now().await?;
    insert(tx, mail, now, (State::Dropped, Some(reason))).await.map(|_added| ())
}

/// Why the mail of a requested refund is not sent yet: the provider has not taken it.
pub const REQUESTED: &str = "requested";
/// Why the mail of a refund that renews another one is never sent: that one was announced.
const RENEWED: &str = "renewed";

/// Records a requested refund as a mail that is not sent yet; never, where the client was told of
/// the refund in whose place it was requested.
pub async fn record_refund(tx: &mut Tx, mail: &NewMail) -> Result<(), StoreError> {
    let was_told = match mail.payload.get(RENEWS).and_then(Value::as_str) {
        None => false,
        Some(before) => !is_unannounced(tx, before).await?,
    };
    record_unsent(tx, mail, if was_told { RENEWED } else { REQUESTED }).await
}

async fn is_unannounced(tx: &mut Tx, refund: &str) -> Result<bool, StoreError> {
    Ok(sqlx::query_scalar(
        "select exists (select from mails where kind = 'refund_started' and subject = $1
                          and state = 'dropped' and last_error = $2)",
    )
    .bind(refund)
    .bind(REQUESTED)
    .fetch_one(tx.connection())
    .await?)
}

/// Queues the mail of a refund that the provider took, unless it was before.
pub async fn announce_refund(tx: &mut Tx, refund: &str) -> Result<(), StoreError> {
    let now = tx.now().await?;
    let mail: Option<MailId> = sqlx::query_scalar(
        "update mails set state = 'queued', last_error = null, due_at = $3, queued_at = $3
         where kind = 'refund_started' and subject = $1
           and state = 'dropped' and last_error = $2
         returning mail_id",
    )
    .bind(refund)
    .bind(REQUESTED)
    .bind(now)
    .fetch_optional(tx.connection())
    .await?;
    match mail {
        Some(mail) => schedule(tx, Kind::RefundStarted, mail, now).await,
        None => Ok(()),
    }
}

/// Adds a row, unless there is one for this mail.
async fn insert(
    tx: &mut Tx,
    mail: &NewMail,
    due_at: Timestamp,
    (state, reason): (State, Option<&str>),
) -> Result<bool, StoreError> {
    let (booking_id, code_id) = match mail.about {
        About::Booking(id) => (Some(id), None),
        About::Code(id) => (None, Some(id)),
        About::Subject => (None, None),
    };
    let added = sqlx::query(
        "insert into mails (mail_id, kind, subject, booking_id, code_id, payload, due_at, queued_at,
                            state, last_error)
         values ($1, $2, $3, $4, $5, $6, $7, clock_now(), $8, $9)
         on conflict do nothing",
    )
    .bind(mail.id())
    .bind(mail.kind.name())
    .bind(&mail.subject)
    .bind(booking_id)
    .bind(code_id)
    .bind(&mail.payload)
    .bind(due_at)
    .bind(state.name())
    .bind(reason)
    .execute(tx.connection())
    .await?
    .rows_affected();
    Ok(added > 0)
}

/// The payload of another mail with the same subject.
pub async fn payload(tx: &mut Tx, kind: Kind, subject: &str) -> Result<Option<Value>, StoreError> {
    Ok(sqlx::query_scalar("select payload from mails where kind = $1 and subject = $2")
        .bind(kind.name())
        .bind(subject)
        .fetch_optional(tx.connection())
        .await?)
}

/// What clients were promised for sessions of a booking's package that were cancelled, in minor
/// units. The mails of sessions that are cancelled with all others are never sent.
pub async fn promised(tx: &mut Tx, booking: Id<Booking>) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar(
        "select coalesce(sum((payload ->> 'amount_minor')::bigint), 0)::bigint from mails
         where booking_id = $1 and kind = 'booking_cancelled' and state = 'sent'",
    )
    .bind(booking)
    .fetch_one(tx.connection())
    .await?)
}

/// The meeting room exists: what a release before let wait for its link becomes due, and after a
/// confirmation by such a release that promised the link a mail with the join page follows.
pub async fn link_arrived(tx: &mut Tx, booking: Id<Booking>) -> Result<(), StoreError> {
    let now = tx.now().await?;
    let rows = sqlx::query(
        "update mails
         set link_known = true, due_at = case when state = 'queued' then $2 else due_at end
         where booking_id = $1 and kind in ('booking_confirmed', 'practice_notice')
           and (waits_for_link_until_at is not null or state = 'sent' and not link_told)
         returning mail_id, kind, state, link_told, payload",
    )
    .bind(booking)
    .bind(now)
    .fetch_all(tx.connection())
    .await?;
    for row in rows {
        let kind: Kind = parse_column(&row, "kind")?;
        match parse_column(&row, "state")? {
            State::Queued => schedule_urgent(tx, row.try_get("mail_id")?, now).await?,
            State::Sent if kind == Kind::BookingConfirmed && !row.try_get("link_told")? => {
                let mail = NewMail::of_booking(Kind::MeetingLink, booking);
                queue(tx, &mail.with_payload(row.try_get("payload")?)).await?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The query of mails that meet a condition, with the clock.
macro_rules! select_mails {
    ($condition:literal) => {
        concat!(
            "select mail_id, kind, subject, booking_id, code_id, payload, state, attempts, due_at,
                    queued_at, first_tried_at,
                    state = 'sending' and claimed_until_at > clock_timestamp() as on_its_way,
                    clock_now() as now
             from mails where ",
            $condition
        )
    };
}

/// Reads a mail and the clock.
pub async fn load(
    executor: impl PgExecutor<'_>,
    id: MailId,
) -> Result<Option<(Mail, Timestamp)>, StoreError> {
    let sql = select_mails!("mail_id = $1");
    let row = sqlx::query(sql).bind(id).fetch_optional(executor).await?;
    let read = |row: &PgRow| Ok((parse_mail(row)?, row.try_get("now")?));
    row.as_ref().map(read).transpose().map_err(|error: sqlx::Error| error.into())
}

/// The reminders of a booking that were never planned, locked until the transaction ends.
pub async fn unplanned_reminders(
    tx: &mut Tx,
    booking: Id<Booking>,
) -> Result<Vec<Mail>, StoreError> {
    let sql = select_mails!(
        "booking_id = $1 and kind in ('reminder', 'second_reminder')
         and state = 'queued' and planned_by is null order by mail_id for update"
    );
    let rows = sqlx::query(sql).bind(booking).fetch_all(tx.connection()).await?;
    rows.iter().map(parse_mail).collect::<Result<_, _>>().map_err(StoreError::from)
}

//! Reschedules reminders that were deferred by other hours than the practice's current ones, or by
//! another time of a session, and follow-ups that wait for a mark.

use eventstore::{StoreError, Tx};
use kernel::Id;
use kernel::id::Booking;

use super::timer::schedule;
use crate::mails::kind::Kind;
use crate::mails::mail::MailId;
use crate::timers::kinds::SEND_MAIL;

/// Makes waiting reminders that were not deferred by `hours` due now, at most `limit`; returns
/// their number. Their timers are bulk timers, behind mails that people wait for.
pub async fn reschedule_reminders(tx: &mut Tx, hours: &str, limit: i64) -> Result<u64, StoreError> {
    let now = tx.now().await?;
    // A worker that has already read one of them finds its due time changed, and skips it.
    let rescheduled: i64 = sqlx::query_scalar(
        "with others as (
             (select mail_id from mails
              where state = 'queued' and kind in ('reminder', 'second_reminder') and due_at > $1
                and planned_by is null limit $3)
             union all
             (select mail_id from mails
              where state = 'queued' and kind in ('reminder', 'second_reminder') and due_at > $1
                and planned_by < $2 limit $3)
             union all
             (select mail_id from mails
              where state = 'queued' and kind in ('reminder', 'second_reminder') and due_at > $1
                and planned_by > $2 limit $3)),
         waiting as (
             select mail_id from mails
             where mail_id in (select mail_id from others limit $3)
               and state = 'queued' and due_at > $1
             order by mail_id for update),
         woken as (
             update mails set due_at = $1 from waiting where mails.mail_id = waiting.mail_id
             returning mails.mail_id),
         moved as (
             update timers
             set due_at = $1, is_bulk = true, attempts = 0, lease_until_at = '-infinity'
             from woken
             where kind = $4 and subject = 'mal_' || replace(woken.mail_id::text, '-', ''))
         select count(*) from woken",
    )
    .bind(now)
    .bind(hours)
    .bind(limit)
    .bind(SEND_MAIL)
    .fetch_one(tx.connection())
    .await?;
    Ok(u64::try_from(rescheduled).unwrap_or(0))
}

/// Makes the waiting reminders of a booking due now, so that they are planned with new facts. A
/// worker that plans one of them with older facts finds its due time changed, and writes nothing.
pub async fn wake_reminders(tx: &mut Tx, booking: Id<Booking>) -> Result<(), StoreError> {
    let now = tx.now().await?;
    let woken: Vec<MailId> = sqlx::query_scalar(
        "with waiting as (
             select mail_id from mails
             where booking_id = $1 and kind in ('reminder', 'second_reminder')
               and state = 'queued' and due_at > $2
             order by mail_id for update)
         update mails set due_at = $2 from waiting where mails.mail_id = waiting.mail_id
         returning mails.mail_id",
    )
    .bind(booking)
    .bind(now)
    .fetch_all(tx.connection())
    .await?;
    for id in woken {
        schedule(tx, Kind::Reminder, id, now).await?;
    }
    Ok(())
}

/// Makes the waiting follow-up of a booking due now, so that it is planned with new facts. A worker
/// that plans it with older facts finds its due time changed, and writes nothing.
pub async fn wake_follow_up(tx: &mut Tx, booking: Id<Booking>) -> Result<(), StoreError> {
    let now = tx.now().await?;
    let woken: Option<MailId> = sqlx::query_scalar(
        "update mails set due_at = $2
         where booking_id = $1 and kind = 'follow_up' and state = 'queued'
         returning mail_id",
    )
    .bind(booking)
    .bind(now)
    .fetch_optional(tx.connection())
    .await?;
    match woken {
        Some(mail) => schedule(tx, Kind::FollowUp, mail, now).await,
        None => Ok(()),
    }
}

//! Reschedules reminders that were deferred by other hours than the practice's current ones, or by
//! another time of a session, and follow-ups that wait for a mark.

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use serde_json::Value;

use super::queue::queue;
use super::timer::schedule;
use crate::mails::kind::Kind;
use crate::mails::mail::{About, MailId};
use crate::mails::payload::CHOSEN_AT;
use crate::mails::planning::second_of;
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

/// The same after its client chose about reminders: also what was not sent because of other hours
/// is planned anew, and each first reminder has a second one beside it, which the choice may want.
pub async fn replan_reminders(tx: &mut Tx, booking: Id<Booking>) -> Result<(), StoreError> {
    let now = tx.now().await?;
    let firsts: Vec<(String, Value)> = sqlx::query_as(
        "select subject, payload from mails where booking_id = $1 and kind = 'reminder'
         order by mail_id",
    )
    .bind(booking)
    .fetch_all(tx.connection())
    .await?;
    for (subject, payload) in &firsts {
        queue(tx, &second_of(subject, About::Booking(booking), payload)).await?;
    }
    note_choice(tx, booking, now).await?;
    let revived: Vec<MailId> = sqlx::query_scalar(
        "with over as (
             select mail_id from mails
             where booking_id = $1 and kind in ('reminder', 'second_reminder')
               and state = 'dropped'
               and last_error in ('inside_window', 'not_wanted', 'not_chosen', 'too_late')
             order by mail_id for update)
         update mails set state = 'queued', last_error = null, due_at = $2 from over
         where mails.mail_id = over.mail_id returning mails.mail_id",
    )
    .bind(booking)
    .bind(now)
    .fetch_all(tx.connection())
    .await?;
    for id in revived {
        schedule(tx, Kind::Reminder, id, now).await?;
    }
    wake_reminders(tx, booking).await
}

/// Notes in the reminders that wait, or did not go, when their client chose, where another one of
/// the same session was sent. One whose time has come stays as it is.
async fn note_choice(tx: &mut Tx, booking: Id<Booking>, now: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        "with others as (
             select mail_id from mails m
             where booking_id = $1 and kind in ('reminder', 'second_reminder')
               and (state = 'dropped' or (state = 'queued' and due_at >= $2))
               and exists (select from mails sent
                           where sent.booking_id = $1 and sent.subject = m.subject
                             and sent.kind in ('reminder', 'second_reminder')
                             and sent.state = 'sent')
             order by mail_id for update)
         update mails set payload = payload || jsonb_build_object($3::text, $4::text)
         from others where mails.mail_id = others.mail_id",
    )
    .bind(booking)
    .bind(now)
    .bind(CHOSEN_AT)
    .bind(now.to_string())
    .execute(tx.connection())
    .await?;
    Ok(())
}

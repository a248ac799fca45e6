//! The practice's daily sheet: one timer queues it each morning and sets itself for the next
//! morning. The timer is stored, so after any downtime only today's sheet is still queued.

use eventstore::{Metadata, Store, StoreError, Tx};
use jiff::civil::Time;
use kernel::Timestamp;
use practice::Practice;
use serde_json::json;

use crate::mails::kind::Kind;
use crate::mails::mail::{About, NewMail};
use crate::mails::planning::local_time;
use crate::repository;
use crate::timers::kinds::DAY_SHEET;

const SUBJECT: &str = "practice";

/// Sets the timer if it is missing, moves it if the practice's file names another time, and ends it
/// if no sheet is wanted. Idempotent across processes. Called periodically: a clock that was ahead
/// may have set the timer days too late.
pub async fn ensure_timer(store: &Store, practice: &Practice) -> Result<(), StoreError> {
    let practice = practice.clone();
    store
        .write(Metadata::traced("notifications"), move |tx| {
            let practice = practice.clone();
            Box::pin(async move {
                let Some(at) = practice.mails.day_sheet_at else {
                    return tx.end_timer(DAY_SHEET, SUBJECT).await;
                };
                let (now, current) =
                    (tx.now().await?, repository::timer_due(tx, DAY_SHEET, SUBJECT).await?);
                match target_due(&practice, at, current, now) {
                    Some(due) if current != Some(due) => set(tx, due).await,
                    _ => Ok(()),
                }
            })
        })
        .await
}

/// Queues today's sheet if it is due, and sets the timer for the next morning. A sheet that was
/// queued before stays as it is.
///
/// # Errors
/// When the database does not answer; the timer tries again.
pub async fn fire(
    store: &Store,
    practice: &Practice,
    metadata: Metadata,
) -> Result<(), StoreError> {
    let practice = practice.clone();
    store
        .write(metadata, move |tx| {
            let practice = practice.clone();
            Box::pin(async move {
                let Some(at) = practice.mails.day_sheet_at else {
                    return tx.end_timer(DAY_SHEET, SUBJECT).await;
                };
                let now = tx.now().await?;
                let today = now.in_zone(&practice.practice.zone).date();
                if local_time(&practice, today, at).is_some_and(|due| due <= now) {
                    let mail = NewMail::about(Kind::DaySheet, today.to_string(), About::Subject);
                    repository::queue(tx, &mail).await?;
                }
                match next_due(&practice, at, now) {
                    Some(due) => set(tx, due).await,
                    None => tx.end_timer(DAY_SHEET, SUBJECT).await,
                }
            })
        })
        .await
}

async fn set(tx: &mut Tx, due: Timestamp) -> Result<(), StoreError> {
    tx.set_timer(DAY_SHEET, SUBJECT, due, json!({})).await
}

/// When the timer should be due, given its current due time. An overdue timer stays, because it
/// fires at once and queues today's sheet, unless today's sheet isn't due yet.
fn target_due(
    practice: &Practice,
    at: Time,
    current: Option<Timestamp>,
    now: Timestamp,
) -> Option<Timestamp> {
    let today = now.in_zone(&practice.practice.zone).date();
    let has_come = local_time(practice, today, at).is_some_and(|due| due <= now);
    match current {
        Some(due) if due <= now && has_come => Some(due),
        _ => next_due(practice, at, now),
    }
}

/// The next time at which a sheet is due, later than `now`; `None` at the end of the calendar.
fn next_due(practice: &Practice, at: Time, now: Timestamp) -> Option<Timestamp> {
    let today = now.in_zone(&practice.practice.zone).date();
    let mornings = [Ok(today), today.tomorrow()];
    mornings
        .into_iter()
        .flatten()
        .find_map(|date| local_time(practice, date, at).filter(|due| *due > now))
}

#[cfg(test)]
mod tests;

//! Periodic work of a process besides timers and events: every ten seconds it ensures the timer of
//! the daily sheet and deletes expired recipient hashes; at the start, with other files and every
//! ten minutes it reschedules reminders that were deferred by other hours.

use std::sync::Arc;
use std::time::Duration;

use eventstore::{Metadata, Store, StoreError};
use practice::Practice;
use runtime::Shutdown;
use runtime::status::chain;
use tokio::time::Instant;

use crate::mails::planning;
use crate::repository;
use crate::timers::day_sheet;

/// The interval of the loop.
const INTERVAL: Duration = Duration::from_secs(10);
/// How often reminders are rescheduled.
const RESCHEDULE_INTERVAL: Duration = Duration::from_secs(600);
/// The wait after a database error.
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// The most mails per statement.
const BATCH: i64 = 500;

/// Runs the loop until the shutdown signal, with the practice's file as it is each time.
pub async fn run(store: &Store, current: impl Fn() -> Arc<Practice>, shutdown: &Shutdown) {
    let mut rescheduled: Option<(Instant, Arc<Practice>)> = None;
    loop {
        let practice = current();
        let is_due = rescheduled.as_ref().is_none_or(|(at, of)| {
            at.elapsed() >= RESCHEDULE_INTERVAL || !Arc::ptr_eq(of, &practice)
        });
        let pause = match run_once(store, &practice, is_due).await {
            Ok(()) => {
                if is_due {
                    rescheduled = Some((Instant::now(), practice));
                }
                INTERVAL
            }
            Err(error) => {
                tracing::warn!(error = chain(&error), "the chores of this service have to wait");
                RETRY_DELAY
            }
        };
        tokio::select! {
            () = shutdown.wait() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

async fn run_once(store: &Store, practice: &Practice, is_due: bool) -> Result<(), StoreError> {
    day_sheet::ensure_timer(store, practice).await?;
    if is_due {
        reschedule_reminders(store, practice).await?;
    }
    clear_recipient_hashes(store).await
}

/// The practice's file may name other hours than those by which reminders were deferred. Such
/// reminders become due; the worker defers them again if it is too early. Not only at the start: an
/// older process may run beside this one for a while.
async fn reschedule_reminders(store: &Store, practice: &Practice) -> Result<(), StoreError> {
    let hours = planning::hours(practice);
    loop {
        let hours = hours.clone();
        let rescheduled = store.write(metadata(), move |tx| {
            let hours = hours.clone();
            Box::pin(async move { repository::reschedule_reminders(tx, &hours, BATCH).await })
        });
        if rescheduled.await? == 0 {
            return Ok(());
        }
    }
}

async fn clear_recipient_hashes(store: &Store) -> Result<(), StoreError> {
    let clear_batch =
        || store.write(metadata(), |tx| Box::pin(repository::clear_recipient_hashes(tx, BATCH)));
    while clear_batch().await? > 0 {}
    Ok(())
}

fn metadata() -> Metadata {
    Metadata::by("notifications", None)
}

//! What a process does besides timers and events: when it starts, reminders that were put off by
//! other hours are looked at again; and every few seconds it sees to it that the sheet of the day
//! has its timer, and that nobody's address is remembered for longer than it counts.

use std::time::Duration;

use eventstore::{Metadata, Store, StoreError};
use runtime::Shutdown;
use runtime::practice::Practice;
use runtime::status::chain;
use tokio::time::Instant;

use crate::day_sheet;
use crate::planning;
use crate::repository;

/// How often it does what is done again and again.
const INTERVAL: Duration = Duration::from_secs(10);
/// How often reminders are looked for that were put off by other hours.
const RESCHEDULE_INTERVAL: Duration = Duration::from_secs(600);
/// How long it waits for a database that did not answer.
const RETRY_DELAY: Duration = Duration::from_secs(2);
/// How many mails a statement changes at most.
const BATCH: i64 = 500;

/// Does them until the shutdown signal is given.
pub async fn run(store: &Store, practice: &Practice, shutdown: &Shutdown) {
    let mut rescheduled: Option<Instant> = None;
    loop {
        let is_due = rescheduled.is_none_or(|at| at.elapsed() >= RESCHEDULE_INTERVAL);
        let pause = match run_once(store, practice, is_due).await {
            Ok(()) => {
                rescheduled = if is_due { Some(Instant::now()) } else { rescheduled };
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

/// The practice's file may name other hours than those by which reminders were put off. These are
/// looked at again; what has not come yet is put off anew. Not only at the start: a process of
/// before may go on for a while beside this one.
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

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
use crate::store;

/// How often it does what is done again and again.
const EVERY: Duration = Duration::from_secs(10);
/// How often reminders are looked for that were put off by other hours.
const WAKE_EVERY: Duration = Duration::from_secs(600);
/// How long it waits for a database that did not answer.
const AGAIN: Duration = Duration::from_secs(2);
/// How many mails a statement changes at most.
const BATCH: i64 = 500;

/// Does them until the shutdown signal is given.
pub async fn run(store: &Store, practice: &Practice, shutdown: &Shutdown) {
    let mut woken: Option<Instant> = None;
    loop {
        let is_time = woken.is_none_or(|at| at.elapsed() >= WAKE_EVERY);
        let pause = match round(store, practice, is_time).await {
            Ok(()) => {
                woken = if is_time { Some(Instant::now()) } else { woken };
                EVERY
            }
            Err(error) => {
                tracing::warn!(error = chain(&error), "the chores of this service have to wait");
                AGAIN
            }
        };
        tokio::select! {
            () = shutdown.wait() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

async fn round(store: &Store, practice: &Practice, is_time: bool) -> Result<(), StoreError> {
    day_sheet::start(store, practice).await?;
    if is_time {
        wake_reminders(store, practice).await?;
    }
    forget_recipients(store).await
}

/// The practice's file may name other hours than those by which reminders were put off. These are
/// looked at again; what has not come yet is put off anew. Not only at the start: a process of
/// before may go on for a while beside this one.
async fn wake_reminders(store: &Store, practice: &Practice) -> Result<(), StoreError> {
    let hours = planning::hours(practice);
    loop {
        let hours = hours.clone();
        let woken = store.write(metadata(), move |tx| {
            let hours = hours.clone();
            Box::pin(async move { store::wake_reminders(tx, &hours, BATCH).await })
        });
        if woken.await? == 0 {
            return Ok(());
        }
    }
}

async fn forget_recipients(store: &Store) -> Result<(), StoreError> {
    let some = || store.write(metadata(), |tx| Box::pin(store::forget_recipients(tx, BATCH)));
    while some().await? > 0 {}
    Ok(())
}

fn metadata() -> Metadata {
    Metadata::by("notifications", None)
}

//! What a process does besides timers and events: when it starts, reminders that wait are looked at
//! again; and every few seconds it sees to it that the sheet of the day has its timer, and that
//! nobody's address is remembered for longer than it counts.

use std::time::Duration;

use eventstore::{Metadata, Store, StoreError};
use runtime::Shutdown;
use runtime::practice::Practice;
use runtime::status::chain;

use crate::day_sheet;
use crate::mail::MailId;
use crate::store;

/// How often it does what is done again and again.
const EVERY: Duration = Duration::from_secs(10);
/// How long it waits for a database that did not answer.
const AGAIN: Duration = Duration::from_secs(2);
/// How many mails a statement changes at most.
const BATCH: i64 = 500;

/// Does them until the shutdown signal is given.
pub async fn run(store: &Store, practice: &Practice, shutdown: &Shutdown) {
    let mut has_woken = false;
    loop {
        let pause = match round(store, practice, &mut has_woken).await {
            Ok(()) => EVERY,
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

async fn round(store: &Store, practice: &Practice, has_woken: &mut bool) -> Result<(), StoreError> {
    day_sheet::start(store, practice).await?;
    if !*has_woken {
        wake_reminders(store).await?;
        *has_woken = true;
    }
    forget_recipients(store).await
}

/// The practice's file may name other hours than when these reminders were put off. Whoever
/// restarts a service has them looked at again, each once; what has not come yet is put off anew.
async fn wake_reminders(store: &Store) -> Result<(), StoreError> {
    let mut after: Option<MailId> = None;
    loop {
        let woken =
            store.write(metadata(), move |tx| Box::pin(store::wake_reminders(tx, after, BATCH)));
        after = woken.await?;
        if after.is_none() {
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

//! Timers: due by the one clock, retried after a failure, fired once per ending.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use eventstore::{Metadata, Store, StoreError, Timer, TimerHandler, run_timers};
use futures::future::BoxFuture;
use serde_json::json;

use crate::database;

/// Counts what fires and ends it, except for the first `failures` times.
struct Counting {
    store: Store,
    failures: usize,
    fired: AtomicUsize,
}

impl TimerHandler for Counting {
    fn fire(&self, timer: Timer) -> BoxFuture<'_, Result<(), runtime::BoxError>> {
        Box::pin(async move {
            let before = self.fired.fetch_add(1, Ordering::SeqCst);
            if before < self.failures {
                return Err("not yet".into());
            }
            self.store
                .write(Metadata::default(), move |tx| {
                    let timer = timer.clone();
                    Box::pin(async move {
                        tx.end_timer(&timer.kind, &timer.subject).await?;
                        Ok::<(), StoreError>(())
                    })
                })
                .await?;
            Ok(())
        })
    }
}

async fn set(store: &Store, minutes: i64) -> Result<(), StoreError> {
    store
        .write(Metadata::by("test", None), move |tx| {
            Box::pin(async move {
                let due = tx.now().await?.plus_minutes(minutes);
                tx.set_timer("expire", "bkg_1", due, json!({})).await
            })
        })
        .await
}

async fn left(store: &Store) -> Result<i64> {
    Ok(sqlx::query_scalar("select count(*) from timers").fetch_one(store.pool()).await?)
}

async fn fires(failures: usize) -> Result<usize> {
    let (database, store) = database().await?;
    let handler = Arc::new(Counting { store: store.clone(), failures, fired: AtomicUsize::new(0) });
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let worker = tokio::spawn(run_timers(store.clone(), Arc::clone(&handler) as _, async {
        drop(stopped.await);
    }));
    set(&store, 15).await?;
    assert_eq!(left(&store).await?, 1);
    assert_eq!(handler.fired.load(Ordering::SeqCst), 0, "it fired before it was due");
    database.move_clock(16 * 60).await?;
    testkit::until("the timer has fired", async || Ok((left(&store).await? == 0).then_some(())))
        .await?;
    drop(stop);
    worker.await?;
    Ok(handler.fired.load(Ordering::SeqCst))
}

#[tokio::test]
async fn a_timer_fires_when_the_clock_reaches_it() -> Result<()> {
    assert_eq!(fires(0).await?, 1);
    Ok(())
}

#[tokio::test]
async fn a_timer_that_fails_is_tried_again() -> Result<()> {
    assert_eq!(fires(2).await?, 3);
    Ok(())
}

#[tokio::test]
async fn setting_a_timer_again_moves_it() -> Result<()> {
    let (_database, store) = database().await?;
    set(&store, 15).await?;
    set(&store, 30).await?;
    assert_eq!(left(&store).await?, 1);
    Ok(())
}

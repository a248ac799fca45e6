//! The feed: gapless, in order per stream, whatever commits when, and whichever process numbers.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::Result;
use eventstore::{Metadata, Recorded, Store, StoreError, feed};
use futures::future::join_all;
use rand::RngExt as _;
use sqlx::Connection as _;

use crate::{append, database, event};

const APPENDERS: usize = 10;
const EACH: usize = 30;

/// Appends to two streams in one transaction that it holds open for a while, and sometimes gives
/// up.
async fn slow_append(store: &Store, n: usize) -> Result<bool, StoreError> {
    let gives_up = n.is_multiple_of(7);
    let result = store
        .write(Metadata::default(), move |tx| {
            Box::pin(async move {
                let streams = [format!("s-{}", n % APPENDERS), format!("own-{n}")];
                tx.lock(&streams).await?;
                for stream in &streams {
                    let loaded = tx.load(stream).await?;
                    tx.append(stream, loaded.version, &[event("x")]).await?;
                }
                let pause = rand::rng().random_range(0..8_i32);
                sqlx::query("select pg_sleep($1::int / 1000.0)")
                    .bind(pause)
                    .execute(tx.connection())
                    .await?;
                if gives_up { Err(StoreError::Excluded) } else { Ok(()) }
            })
        })
        .await;
    match result {
        Ok(()) => Ok(true),
        Err(StoreError::Excluded) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Cuts relays off in the middle of their work until told to stop.
async fn kill_relays(owner_url: String, stop: tokio::sync::watch::Receiver<bool>) {
    let mut owner = sqlx::PgConnection::connect(&owner_url).await.unwrap();
    let mut pace = tokio::time::interval(Duration::from_millis(15));
    while !*stop.borrow() {
        sqlx::query(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid()
               and query like '%moved as%' and random() < 0.2",
        )
        .execute(&mut owner)
        .await
        .unwrap();
        pace.tick().await;
    }
}

fn assert_gapless_and_in_order(events: &[Recorded]) {
    let mut versions: HashMap<&str, i64> = HashMap::new();
    for (index, event) in events.iter().enumerate() {
        assert_eq!(event.position, i64::try_from(index).unwrap() + 1, "a hole");
        let last = versions.entry(&event.stream_id).or_default();
        assert_eq!(event.version, *last + 1, "{} is out of order", event.stream_id);
        *last = event.version;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn competing_relays_number_everything_once_and_skip_nothing() -> Result<()> {
    let (database, store) = database().await?;
    let stop = tokio::sync::watch::Sender::new(false);
    let mut busy: Vec<_> = (0..3)
        .map(|_| {
            let (store, stop) = (store.clone(), stop.subscribe());
            tokio::spawn(async move {
                while !*stop.borrow() {
                    // A relay whose connection was killed has failed; the next pass goes on.
                    drop(feed::number(store.pool(), 5).await);
                    store.wait_for_commit(Duration::from_millis(2)).await;
                }
            })
        })
        .collect();
    busy.push(tokio::spawn(kill_relays(database.owner_url.clone(), stop.subscribe())));
    let appended = join_all((0..APPENDERS).map(|a| {
        let store = store.clone();
        async move {
            let mut kept = 0;
            for n in 0..EACH {
                kept += usize::from(slow_append(&store, a * EACH + n).await?);
            }
            Ok::<usize, StoreError>(kept)
        }
    }))
    .await;
    let kept: usize = appended.into_iter().collect::<Result<Vec<_>, _>>()?.iter().sum();
    stop.send_replace(true);
    for task in busy {
        task.await?;
    }
    while feed::number(store.pool(), 1000).await?.is_none_or(|numbered| !numbered.is_empty()) {}
    let events = feed::read(store.pool(), 0, 10_000).await?;
    assert_eq!(events.len(), kept * 2, "some event has no position, or one too many");
    assert_gapless_and_in_order(&events);
    Ok(())
}

#[tokio::test]
async fn a_relay_says_that_another_one_is_at_it() -> Result<()> {
    let (_database, store) = database().await?;
    let number = async || {
        let numbered = feed::number(store.pool(), 10).await?;
        Ok::<_, StoreError>(numbered.map(|events| events.len()))
    };
    assert_eq!(number().await?, Some(0));
    append(&store, "one", "x").await?;
    let mut other = store.pool().begin().await?;
    // Its lock, which it holds until its transaction ends.
    let lock = "select pg_advisory_xact_lock($1)";
    sqlx::query(lock).bind(feed::RELAY_LOCK).execute(&mut *other).await?;
    assert_eq!(number().await?, None);
    other.rollback().await?;
    assert_eq!(number().await?, Some(1));
    Ok(())
}

#[tokio::test]
async fn positions_are_given_after_commit_so_nothing_in_flight_is_skipped() -> Result<()> {
    let (_database, store) = database().await?;
    // The first one takes a lower seq and commits after the second one.
    let mut early = store.pool().begin().await?;
    sqlx::query(
        "with a as (insert into events (event_id, stream_id, version, event_type, payload,
                                        metadata, recorded_at)
                    values (gen_random_uuid(), 'early', 1, 't', '{}', '{}', now()) returning seq)
         insert into outbox select seq from a",
    )
    .execute(&mut *early)
    .await?;
    append(&store, "late", "x").await?;
    feed::number(store.pool(), 100).await?;
    let seen = feed::read(store.pool(), 0, 10).await?;
    assert_eq!(seen.iter().map(|e| e.stream_id.as_str()).collect::<Vec<_>>(), ["late"]);
    early.commit().await?;
    feed::number(store.pool(), 100).await?;
    let seen = feed::read(store.pool(), 1, 10).await?;
    assert_eq!(
        seen.iter().map(|e| (e.stream_id.as_str(), e.position)).collect::<Vec<_>>(),
        [("early", 2)]
    );
    Ok(())
}

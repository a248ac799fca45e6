//! Appends: versions, conflicts, immutability, and a caller that goes away.

use std::time::Duration;

use anyhow::Result;
use contract::booking::v1::BookingExpired;
use eventstore::{IdempotencyLookup, KeyLookup, Metadata, StoreError};
use futures::future::join_all;
use sqlx::{Connection as _, PgConnection};
use tokio::time::Instant;

use crate::{append, database, event, key};

#[tokio::test]
async fn what_was_appended_is_read_again() -> Result<()> {
    let (_database, store) = database().await?;
    append(&store, "booking-1", "first").await?;
    append(&store, "booking-1", "second").await?;
    let events = store.load("booking-1").await?;
    let texts: Vec<String> =
        events.iter().map(|e| e.get::<BookingExpired>().unwrap().unwrap().booking_id).collect();
    assert_eq!(texts, ["first", "second"]);
    assert_eq!(events.iter().map(|event| event.version).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(events[0].metadata.actor, "test");
    Ok(())
}

#[tokio::test]
async fn writers_of_one_stream_start_anew_and_none_is_lost() -> Result<()> {
    let (_database, store) = database().await?;
    let results = join_all((0..12).map(|n| {
        let store = store.clone();
        async move { append(&store, "day-1", &n.to_string()).await }
    }))
    .await;
    let acknowledged = results.iter().filter(|result| result.is_ok()).count();
    let refused = results.iter().filter(|r| matches!(r, Err(StoreError::Conflict))).count();
    assert_eq!(acknowledged + refused, 12, "every writer gets one of two answers");
    assert_eq!(store.load("day-1").await?.len(), acknowledged);
    Ok(())
}

#[tokio::test]
async fn a_locked_stream_makes_writers_wait_instead_of_failing() -> Result<()> {
    let (_database, store) = database().await?;
    let results = join_all((0..30).map(|n| {
        let store = store.clone();
        async move {
            store
                .write(Metadata::default(), move |tx| {
                    Box::pin(async move {
                        tx.lock(&["day-1".to_owned()]).await?;
                        let loaded = tx.load("day-1").await?;
                        tx.append("day-1", loaded.version, &[event(&n.to_string())]).await
                    })
                })
                .await
        }
    }))
    .await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert_eq!(store.load("day-1").await?.len(), 30);
    Ok(())
}

#[tokio::test]
async fn a_failed_command_leaves_nothing() -> Result<()> {
    let (_database, store) = database().await?;
    let failed: Result<(), StoreError> = store
        .write(Metadata::default(), |tx| {
            Box::pin(async move {
                tx.append("booking-1", 0, &[event("half")]).await?;
                Err(StoreError::Excluded)
            })
        })
        .await;
    assert!(failed.is_err());
    assert!(store.load("booking-1").await?.is_empty());
    Ok(())
}

#[tokio::test]
async fn events_cannot_be_changed_by_the_service_nor_by_the_owner() -> Result<()> {
    let (database, store) = database().await?;
    append(&store, "booking-1", "first").await?;
    for sql in ["update events set version = 9", "delete from events", "truncate events cascade"] {
        assert!(database.as_owner(sql).await.is_err(), "the owner: {sql}");
        assert!(sqlx::query(sql).execute(store.pool()).await.is_err(), "the service: {sql}");
    }
    assert!(
        sqlx::query("update clock set offset_by = '1 day'").execute(store.pool()).await.is_err(),
        "the service moved its own clock"
    );
    assert_eq!(store.load("booking-1").await?.len(), 1);
    Ok(())
}

/// sqlx 0.9 leaks an open transaction when a future is dropped during BEGIN; callers are dropped at
/// any time, and neither a write nor a connection may be lost by it.
#[tokio::test(flavor = "multi_thread")]
async fn callers_that_go_away_poison_no_connection() -> Result<()> {
    let (database, store) = database().await?;
    // Without the net that ends forgotten transactions after some seconds, one would stay.
    let usual = store.pool().connect_options().as_ref().clone();
    let endless = usual.options([("idle_in_transaction_session_timeout", "0")]);
    store.pool().set_connect_options(endless);
    append(&store, "booking-first", "kept").await?;
    let mut onlooker = PgConnection::connect(&database.owner_url).await?;
    for round in 0..400_u64 {
        let (store, stream) = (store.clone(), format!("booking-{round}"));
        let call = tokio::spawn(async move { append(&store, &stream, "dropped").await });
        // Cut off at any moment, often while BEGIN is under way.
        let (began, until) = (Instant::now(), Duration::from_micros(round * 7 % 1_500));
        while began.elapsed() < until {
            tokio::task::yield_now().await;
        }
        call.abort();
        drop(call.await);
        // Looked at from outside, because the next use of a connection would end what it has open.
        testkit::until("no transaction is left open", async || {
            let open: i64 = sqlx::query_scalar(
                "select count(*) from pg_stat_activity where datname = current_database()
                     and pid <> pg_backend_pid() and state <> 'idle'",
            )
            .fetch_one(&mut onlooker)
            .await?;
            Ok((open == 0).then_some(()))
        })
        .await?;
    }
    append(&store, "booking-last", "kept").await?;
    let fresh = database.store()?;
    assert_eq!(fresh.load("booking-last").await?.len(), 1, "an acknowledged write was lost");
    Ok(())
}

#[tokio::test]
async fn a_key_gets_its_first_answer_and_no_other_request() -> Result<()> {
    let (_database, store) = database().await?;
    let ask = async |request: &'static str, answer: &'static str| {
        store
            .write(Metadata::default(), move |tx| {
                Box::pin(async move {
                    let key = key("usr_1", "RequestBooking", request);
                    let known = tx.lookup_key(&key).await?;
                    if known == IdempotencyLookup::New {
                        key.store(tx, answer).await?;
                    }
                    Ok::<IdempotencyLookup, StoreError>(known)
                })
            })
            .await
    };
    assert_eq!(ask("eleven", "bkg_1").await?, IdempotencyLookup::New);
    assert_eq!(ask("eleven", "bkg_2").await?, IdempotencyLookup::Answered("bkg_1".into()));
    assert_eq!(ask("twelve", "bkg_3").await?, IdempotencyLookup::Different);
    Ok(())
}

#[tokio::test]
async fn many_keys_and_streams_are_read_at_once_in_the_order_of_the_question() -> Result<()> {
    let (_database, store) = database().await?;
    for text in ["first", "second", "third"] {
        append(&store, "day-1", text).await?;
    }
    append(&store, "day-2", "only").await?;
    let answers = store
        .write(Metadata::default(), |tx| {
            Box::pin(async move {
                key("usr_1", "Ask", "one").store(tx, "bkg_1").await?;
                // What another caller or another call remembered under this key is another matter.
                key("usr_2", "Tell", "one").store(tx, "bkg_2").await?;
                let keys =
                    [("usr_3", "one"), ("usr_1", "one"), ("usr_1", "other"), ("usr_2", "one")];
                let keys = keys.map(|(caller, request)| key(caller, "Ask", request));
                let streams = [("day-1", 2), ("day-2", 0), ("day-none", 0), ("day-1", 0)];
                let asked: Vec<_> = keys
                    .iter()
                    .zip(streams)
                    .map(|(key, (stream_id, from_version))| KeyLookup {
                        key,
                        stream_id,
                        from_version,
                    })
                    .collect();
                tx.lookup_and_load("Ask", &asked).await
            })
        })
        .await?;
    let recalled: Vec<_> = answers.iter().map(|(recalled, _)| recalled.clone()).collect();
    let answered = IdempotencyLookup::Answered("bkg_1".into());
    assert_eq!(
        recalled,
        [IdempotencyLookup::New, answered, IdempotencyLookup::Different, IdempotencyLookup::New]
    );
    let versions = |events: &[eventstore::Recorded]| -> Vec<i64> {
        events.iter().map(|event| event.version).collect()
    };
    let read: Vec<_> = answers.iter().map(|(_, l)| (l.version, versions(&l.events))).collect();
    assert_eq!(read, [(3, vec![2, 3]), (1, vec![1]), (0, vec![]), (3, vec![1, 2, 3])]);
    Ok(())
}

#[tokio::test]
async fn a_lock_that_others_keep_is_waited_for_only_so_long() -> Result<()> {
    let (_database, store) = database().await?;
    let mut other = store.pool().begin().await?;
    sqlx::query("select take_locks(array['day-1'])").execute(&mut *other).await?;
    let ask = async |names: &'static [&'static str]| {
        store
            .write(Metadata::default(), move |tx| {
                Box::pin(async move {
                    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
                    tx.lock_within(&names, Duration::from_millis(20)).await?;
                    tx.append("day", 0, &[event("first")]).await.map(drop)
                })
            })
            .await
    };
    let refused: Result<(), StoreError> = ask(&["day-2", "day-1"]).await;
    assert!(matches!(refused, Err(StoreError::Held)), "{refused:?}");
    assert!(store.load("day").await?.is_empty());
    other.rollback().await?;
    ask(&["day-1", "day-2"]).await?;
    // The next user of the connection waits as long as it takes.
    let patience: String = sqlx::query_scalar("show lock_timeout").fetch_one(store.pool()).await?;
    assert_eq!(patience, "0");
    Ok(())
}

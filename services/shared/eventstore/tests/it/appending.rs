//! Appends: versions, conflicts, immutability, and a caller that goes away.

use anyhow::Result;
use contract::booking::v1::BookingExpired;
use eventstore::{Metadata, Recall, StoreError, request_hash};
use futures::future::join_all;

use crate::{append, database, event};

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
    for round in 0..400_u64 {
        let (store, stream) = (store.clone(), format!("booking-{round}"));
        let call = tokio::spawn(async move { append(&store, &stream, "dropped").await });
        for _ in 0..round % 7 {
            tokio::task::yield_now().await;
        }
        call.abort();
    }
    // Everybody who was not cut off before its task began has written, and the pool is sound.
    append(&store, "booking-last", "kept").await?;
    testkit::until("no transaction is left open", async || {
        let open: i64 = sqlx::query_scalar(
            "select count(*) from pg_stat_activity
             where datname = current_database() and state like 'idle in transaction%'",
        )
        .fetch_one(store.pool())
        .await?;
        Ok((open == 0).then_some(()))
    })
    .await?;
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
                    let hash = request_hash(request.as_bytes());
                    let known = tx.recall(("usr_1", "RequestBooking"), "key-1", &hash).await?;
                    if known == Recall::New {
                        tx.remember(("usr_1", "RequestBooking"), "key-1", &hash, answer).await?;
                    }
                    Ok::<Recall, StoreError>(known)
                })
            })
            .await
    };
    assert_eq!(ask("eleven", "bkg_1").await?, Recall::New);
    assert_eq!(ask("eleven", "bkg_2").await?, Recall::Answered("bkg_1".into()));
    assert_eq!(ask("twelve", "bkg_3").await?, Recall::Different);
    Ok(())
}

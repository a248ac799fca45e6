//! What a transaction appends and sets is written in one statement at its end: in its order, all or
//! nothing, and seen by the transaction itself.

use anyhow::Result;
use eventstore::{Metadata, StoreError, feed};
use serde_json::{Value, json};
use sqlx::Row as _;

use crate::{append, database, event, key};

#[tokio::test]
async fn events_are_numbered_in_the_order_in_which_they_were_appended() -> Result<()> {
    let (_database, store) = database().await?;
    store
        .write(Metadata::by("test", None), |tx| {
            Box::pin(async move {
                // Streams whose names and versions would be sorted otherwise.
                for n in 0..120_i64 {
                    let stream = if n % 2 == 0 { "z" } else { "a" };
                    tx.append(stream, n / 2, &[event(&n.to_string())]).await?;
                }
                Ok::<(), StoreError>(())
            })
        })
        .await?;
    assert_eq!(feed::number(store.pool(), 500).await?.map(|events| events.len()), Some(120));
    let read = feed::read(store.pool(), 0, 500).await?;
    let order: Vec<&Value> = read.iter().map(|event| &event.payload["bookingId"]).collect();
    let wanted: Vec<Value> = (0..120).map(|n| json!(n.to_string())).collect();
    assert_eq!(order, wanted.iter().collect::<Vec<_>>());
    Ok(())
}

#[tokio::test]
async fn a_transaction_reads_what_it_has_appended() -> Result<()> {
    let (_database, store) = database().await?;
    append(&store, "booking-1", "before").await?;
    let version = store
        .write(Metadata::by("test", None), |tx| {
            Box::pin(async move {
                tx.append("booking-1", 1, &[event("now")]).await?;
                let loaded = tx.load("booking-1").await?;
                assert_eq!(loaded.events.len(), 2);
                let none = tx.load("booking-2").await?;
                assert_eq!((none.version, none.events.len()), (0, 0));
                assert!(none.now >= loaded.now, "the clock is read beside an empty stream too");
                Ok::<i64, StoreError>(loaded.version)
            })
        })
        .await?;
    assert_eq!(version, 2);
    Ok(())
}

#[tokio::test]
async fn a_stream_that_moved_on_takes_everything_else_with_it() -> Result<()> {
    let (_database, store) = database().await?;
    append(&store, "booking-1", "first").await?;
    let refused: Result<(), StoreError> = store
        .write(Metadata::by("test", None), |tx| {
            Box::pin(async move {
                let now = tx.now().await?;
                tx.append("booking-2", 0, &[event("fine")]).await?;
                tx.set_timer("expire", "booking-2", now, json!({})).await?;
                key("usr_1", "RequestBooking", "").store(tx, "booking-2").await?;
                tx.append("booking-1", 0, &[event("too late")]).await?;
                Ok(())
            })
        })
        .await;
    assert!(matches!(refused, Err(StoreError::Conflict)), "{refused:?}");
    for table in ["timers", "idempotency_keys"] {
        let sql = format!("select count(*) from {table}");
        let rows: i64 =
            sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(store.pool()).await?;
        assert_eq!(rows, 0, "{table}");
    }
    assert!(store.load("booking-2").await?.is_empty());
    Ok(())
}

#[tokio::test]
async fn what_is_undone_leaves_nothing_and_what_was_before_and_comes_after_stays() -> Result<()> {
    let (database, store) = database().await?;
    database.as_owner("create table things (name text primary key)").await?;
    database.as_owner("grant select, insert on things to public").await?;
    store
        .write(Metadata::by("test", None), |tx| {
            Box::pin(async move {
                let insert = "insert into things values ('thing')";
                let now = tx.now().await?.plus_minutes(1);
                tx.append("before", 0, &[event("before")]).await?;
                tx.mark().await?;
                tx.lock(&["free".to_owned()]).await?;
                tx.append("undone", 0, &[event("undone")]).await?;
                tx.set_timer("undone", "s", now, json!({})).await?;
                sqlx::query(insert).execute(tx.connection()).await?;
                // A statement that fails spoils the transaction up to the mark, and no further.
                let refused = sqlx::query(insert).execute(tx.connection()).await;
                assert!(refused.map_err(StoreError::from).unwrap_err().is_fault());
                tx.undo().await?;
                tx.append("after", 0, &[event("after")]).await?;
                tx.set_timer("after", "s", now, json!({})).await?;
                Ok::<(), StoreError>(())
            })
        })
        .await?;
    assert_eq!(store.load("before").await?.len(), 1);
    assert_eq!(store.load("undone").await?.len(), 0);
    assert_eq!(store.load("after").await?.len(), 1);
    let count = |sql| sqlx::query_scalar::<_, i64>(sql).fetch_one(store.pool());
    assert_eq!(count("select count(*) from things").await?, 0);
    assert_eq!(count("select count(*) from timers where kind = 'undone'").await?, 0);
    assert_eq!(count("select count(*) from timers where kind = 'after'").await?, 1);
    Ok(())
}

#[tokio::test]
async fn the_last_word_on_a_timer_counts() -> Result<()> {
    let (_database, store) = database().await?;
    store
        .write(Metadata::by("test", None), |tx| {
            Box::pin(async move {
                let now = tx.now().await?;
                tx.set_timer("ended", "s", now.plus_minutes(1), json!({})).await?;
                tx.end_timer("ended", "s").await?;
                tx.set_timer("moved", "s", now.plus_minutes(1), json!({ "n": 1 })).await?;
                tx.set_timer("moved", "s", now.plus_minutes(2), json!({ "n": 2 })).await?;
                tx.end_timer("back", "s").await?;
                tx.set_timer("back", "s", now.plus_minutes(3), json!({ "n": 3 })).await?;
                tx.end_timer("moved", "another").await?;
                Ok::<(), StoreError>(())
            })
        })
        .await?;
    let rows = sqlx::query("select kind, payload from timers order by kind")
        .fetch_all(store.pool())
        .await?;
    let timers: Vec<(String, Value)> =
        rows.iter().map(|row| (row.get("kind"), row.get("payload"))).collect();
    let wanted = [("back".to_owned(), json!({ "n": 3 })), ("moved".to_owned(), json!({ "n": 2 }))];
    assert_eq!(timers, wanted);
    Ok(())
}

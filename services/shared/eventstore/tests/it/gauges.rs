//! What the database says of itself: ages by the one clock, counts by kind, and nothing that is
//! early.

use anyhow::Result;
use eventstore::{Metadata, Store, StoreError, feed, gauges};
use serde_json::json;
use testkit::figures;

use crate::{append, database};

async fn set(store: &Store, kind: &'static str, subject: &str, minutes: i64) -> Result<()> {
    let subject = subject.to_owned();
    let written: Result<(), StoreError> = store
        .write(Metadata::by("test", None), move |tx| {
            let subject = subject.clone();
            Box::pin(async move {
                let due = tx.now().await?.plus_minutes(minutes);
                tx.set_timer(kind, &subject, due, json!({})).await
            })
        })
        .await;
    Ok(written?)
}

#[tokio::test]
async fn an_event_that_waits_for_its_number_is_told_with_its_age() -> Result<()> {
    let (database, store) = database().await?;
    let quiet = figures(&gauges::events(store.pool()).await?);
    assert_eq!(quiet["sukoon.outbox.age"], 0);
    append(&store, "bkg_1", "one").await?;
    database.move_clock(300).await?;
    append(&store, "bkg_2", "two").await?;
    let waiting = figures(&gauges::events(store.pool()).await?);
    assert!((300..400).contains(&waiting["sukoon.outbox.age"]), "{waiting:?}");
    assert_eq!(waiting["sukoon.feed.unpublished"], 0, "they have no position yet");
    feed::number(store.pool(), 10).await?;
    let numbered = figures(&gauges::events(store.pool()).await?);
    assert_eq!(numbered["sukoon.outbox.age"], 0);
    assert_eq!(numbered["sukoon.feed.unpublished"], 2);
    feed::set_published(store.pool(), 2).await?;
    let published = figures(&gauges::events(store.pool()).await?);
    assert_eq!(published["sukoon.feed.unpublished"], 0);
    Ok(())
}

#[tokio::test]
async fn timers_are_told_by_kind_and_only_those_that_are_due() -> Result<()> {
    let (database, store) = database().await?;
    set(&store, "hold-end", "a", 1).await?;
    set(&store, "hold-end", "b", 2).await?;
    set(&store, "poll", "c", 600).await?;
    database.move_clock(11 * 60).await?;
    database.as_owner("update timers set attempts = 3 where subject = 'b'").await?;
    let told = figures(&gauges::timers(store.pool()).await?);
    assert_eq!(told["sukoon.timers.due hold-end"], 2);
    assert_eq!(told["sukoon.timers.failing hold-end"], 1);
    assert!((600..700).contains(&told["sukoon.timers.lateness hold-end"]), "{told:?}");
    assert_eq!(told["sukoon.timers.due poll"], 0);
    assert_eq!(told["sukoon.timers.lateness poll"], 0);
    Ok(())
}

#[tokio::test]
async fn events_that_wait_for_a_person_are_counted_by_consumer() -> Result<()> {
    let (database, store) = database().await?;
    let parked = "insert into parked_events (consumer, source, position, event_id, stream_id,
                      version, event_type, payload, metadata, recorded_at, error)
                  select 'payments-on-booking', 'booking', n, gen_random_uuid(), 's', n, 't', '{}',
                         '{}', now(), 'it is broken'
                  from generate_series(1, 3) n";
    database.as_owner(parked).await?;
    let told = figures(&gauges::events(store.pool()).await?);
    assert_eq!(told["sukoon.events.parked payments-on-booking"], 3);
    Ok(())
}

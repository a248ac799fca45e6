//! Checkpoints: repeats, holes, failures that park an event, and what waits behind it.

use anyhow::Result;
use eventstore::{Consumed, Metadata, Recorded, Store, StoreError, checkpoint, feed};

use crate::{append, database};

const WHO: (&str, &str) = ("test-on-booking", "booking");

async fn offer(store: &Store, event: &Recorded) -> Result<Consumed, StoreError> {
    let event = event.clone();
    store
        .write(Metadata::default(), move |tx| {
            let event = event.clone();
            Box::pin(async move { checkpoint::advance(tx, WHO, &event, None).await })
        })
        .await
}

async fn three_events(store: &Store) -> Result<Vec<Recorded>> {
    append(store, "booking-1", "a").await?;
    append(store, "booking-1", "b").await?;
    append(store, "booking-2", "c").await?;
    feed::number(store.pool(), 10).await?;
    Ok(feed::read(store.pool(), 0, 10).await?)
}

#[tokio::test]
async fn repeats_and_holes_are_told_apart() -> Result<()> {
    let (_database, store) = database().await?;
    let events = three_events(&store).await?;
    assert_eq!(offer(&store, &events[1]).await?, Consumed::Hole(0));
    assert_eq!(offer(&store, &events[0]).await?, Consumed::Handled);
    assert_eq!(offer(&store, &events[0]).await?, Consumed::Repeat);
    assert_eq!(offer(&store, &events[1]).await?, Consumed::Handled);
    assert_eq!(checkpoint::position(&store, WHO.0, WHO.1).await?, 2);
    Ok(())
}

#[tokio::test]
async fn an_event_that_keeps_failing_is_parked_with_those_of_its_stream_behind_it() -> Result<()> {
    let (_database, store) = database().await?;
    let events = three_events(&store).await?;
    for _ in 1..checkpoint::FAILURES_MAX {
        assert!(!checkpoint::failed(&store, WHO, &events[0], "broken".into()).await?);
    }
    assert!(checkpoint::failed(&store, WHO, &events[0], "broken".into()).await?);
    assert_eq!(offer(&store, &events[1]).await?, Consumed::Parked, "it may not overtake");
    assert_eq!(offer(&store, &events[2]).await?, Consumed::Handled, "other streams go on");
    let parked = checkpoint::parked(&store, WHO.0, WHO.1).await?;
    assert_eq!(parked.iter().map(|p| p.event.position).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(parked[0].error, "broken");
    Ok(())
}

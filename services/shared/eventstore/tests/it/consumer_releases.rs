//! What a program of an older release took in is taken in again by the newer one.

use anyhow::Result;
use eventstore::checkpoint;
use eventstore::{AdvanceOutcome, Metadata, Recorded, Store, StoreError, consumer_release, feed};

use crate::{append, database};

const WHO: (&str, &str) = ("test-on-booking", "booking");

async fn events(store: &Store, count: usize) -> Result<Vec<Recorded>> {
    for number in 1..=count {
        append(store, &format!("booking-{number}"), "a").await?;
    }
    feed::number(store.pool(), 100).await?;
    Ok(feed::read(store.pool(), 0, 100).await?)
}

/// A program of this release takes events in; one of before knows of no release.
async fn take_in(
    store: &Store,
    events: &[Recorded],
    release: Option<&'static str>,
) -> Result<(), StoreError> {
    for event in events {
        let event = event.clone();
        let outcome = store.write(Metadata::default(), move |tx| {
            let event = event.clone();
            Box::pin(async move {
                if let Some(release) = release {
                    consumer_release::declare(tx, release).await?;
                }
                checkpoint::advance(tx, WHO, &event, None).await
            })
        });
        assert_eq!(outcome.await?, AdvanceOutcome::Handled);
    }
    Ok(())
}

#[tokio::test]
async fn a_newer_release_goes_back_to_where_an_older_one_took_over() -> Result<()> {
    let (_database, store) = database().await?;
    let events = events(&store, 6).await?;
    assert_eq!(consumer_release::take_over(&store, WHO, "1").await?, None);
    take_in(&store, &events[..2], Some("1")).await?;
    assert_eq!(consumer_release::take_over(&store, WHO, "1").await?, None);
    // The upgrade is taken back for a while.
    take_in(&store, &events[2..4], None).await?;
    assert!(consumer_release::is_behind(&store, WHO.0).await?);
    assert_eq!(consumer_release::take_over(&store, WHO, "0").await?, None, "it is the older one");
    assert_eq!(consumer_release::take_over(&store, WHO, "1").await?, Some(2));
    assert_eq!(checkpoint::position(&store, WHO.0, WHO.1).await?, 2);
    assert!(!consumer_release::is_behind(&store, WHO.0).await?);
    take_in(&store, &events[2..], Some("1")).await?;
    assert_eq!(consumer_release::take_over(&store, WHO, "1").await?, None);
    assert_eq!(checkpoint::position(&store, WHO.0, WHO.1).await?, 6);
    Ok(())
}

#[tokio::test]
async fn what_is_parked_was_taken_in_by_no_release() -> Result<()> {
    let (_database, store) = database().await?;
    let events = events(&store, 2).await?;
    consumer_release::take_over(&store, WHO, "1").await?;
    take_in(&store, &events[..1], Some("1")).await?;
    for _ in 0..checkpoint::FAILURES_MAX {
        checkpoint::failed(&store, WHO, &events[1], "unknown".into()).await?;
    }
    assert!(!consumer_release::is_behind(&store, WHO.0).await?);
    // An older program says that it has handled what it does not know.
    store
        .write(Metadata::default(), move |tx| {
            Box::pin(async move { checkpoint::unpark(tx, WHO, 2).await })
        })
        .await?;
    assert_eq!(consumer_release::take_over(&store, WHO, "1").await?, Some(1));
    assert_eq!(checkpoint::position(&store, WHO.0, WHO.1).await?, 1);
    Ok(())
}

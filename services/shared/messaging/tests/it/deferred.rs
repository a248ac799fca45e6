//! Events from which nothing follows at a consumer wait for one from which something does.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use contract::booking::v1::BookingPaid;
use eventstore::{Metadata, NewEvent, Store, StoreError};
use futures::StreamExt as _;
use messaging::{Nats, run_publisher, run_relay};
use testkit::{TestKeys, until};
use tokio::time::Instant;

use crate::{Trouble, World, numbers, own_room};

/// Appends an event that payments reads and the consumer of this test does not.
async fn pay(store: &Store, text: String) -> Result<(), StoreError> {
    store
        .write(Metadata::by("test", None), move |tx| {
            let text = text.clone();
            Box::pin(async move {
                let stream = format!("booking-{text}");
                let event = NewEvent::of(&BookingPaid { booking_id: text, ..Default::default() })?;
                tx.append(&stream, 0, &[event]).await?;
                Ok(())
            })
        })
        .await
}

#[tokio::test]
async fn events_without_a_reaction_share_a_transaction() -> Result<()> {
    let (nats, _room) = own_room()?;
    let world = World::new(nats, Trouble::None).await?;
    world.happen(["first".to_owned()]).await?;
    world.copies_are(&["first".to_owned()]).await?;
    let began = Instant::now();
    for text in numbers(0..20) {
        pay(&world.source, text).await?;
        testkit::until_at_rest(&world.source).await?;
    }
    // All of them come in order, and before what follows them.
    world.happen(["last".to_owned()]).await?;
    let all: Vec<String> =
        ["first".to_owned()].into_iter().chain(numbers(0..20)).chain(["last".to_owned()]).collect();
    world.copies_are(&all).await?;
    let transactions: u64 =
        sqlx::query_scalar::<_, i64>("select count(distinct xmin::text) from events")
            .fetch_one(world.target.pool())
            .await?
            .try_into()?;
    // The first and the last one, what NATS repeats, and what had waited for a second before.
    let most = 6 + began.elapsed().as_secs();
    assert!(transactions <= most, "{transactions} transactions, and {most} at most");
    world.stop().await
}

/// Over NATS, while it is away, and in one process.
#[tokio::test]
async fn an_event_without_a_reaction_waits_for_no_other() -> Result<()> {
    let (nats, _room) = own_room()?;
    for nats in [nats, Nats::new("nats://127.0.0.1:9"), Nats::none()] {
        let world = World::new(nats, Trouble::None).await?;
        world.happen(["first".to_owned()]).await?;
        world.copies_are(&["first".to_owned()]).await?;
        pay(&world.source, "paid".to_owned()).await?;
        world.copies_are(&["first".to_owned(), "paid".to_owned()]).await?;
        world.stop().await?;
    }
    Ok(())
}

#[tokio::test]
async fn two_processes_publish_each_event_once() -> Result<()> {
    let (nats, room) = own_room()?;
    let client = async_nats::connect(testkit::nats_url()?).await?;
    let mut published = client.subscribe(format!("{room}-events.>")).await?;
    client.flush().await?;
    let keys = TestKeys::new(&["booking", "notifications"])?;
    let own = [
        nats.clone().with_keys(&keys.peers("booking")?),
        nats.clone().with_keys(&keys.peers("notifications")?),
    ];
    let world = World::with(&keys, own, Trouble::None).await?;
    let other = world.databases.0.store()?;
    let stop = world.shutdown.clone();
    let relay = tokio::spawn(run_relay(other.clone(), stop.clone()));
    let nats = nats.with_keys(&keys.peers("booking")?);
    let publisher = tokio::spawn(run_publisher(other.clone(), "booking", nats, stop));
    for (at, text) in numbers(0..40).into_iter().enumerate() {
        let store = if at % 2 == 0 { &world.source } else { &other };
        pay(store, text).await?;
    }
    world.copies_are(&numbers(0..40)).await?;
    until("how far the feed was published is written", async || {
        let written: i64 = sqlx::query_scalar("select published_position from relay")
            .fetch_one(world.source.pool())
            .await?;
        Ok((written == 40).then_some(()))
    })
    .await?;
    world.stop().await?;
    relay.await?.map_err(anyhow::Error::from_boxed)?;
    publisher.await?.map_err(anyhow::Error::from_boxed)?;
    client.flush().await?;
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(Some(message)) = futures::FutureExt::now_or_never(published.next()) {
        let id = message.headers.as_ref().and_then(|headers| headers.get("Nats-Msg-Id"));
        *times.entry(id.context("a message without an id")?.to_string()).or_default() += 1;
    }
    assert_eq!((times.len(), times.values().max()), (40, Some(&1)), "{times:?}");
    Ok(())
}

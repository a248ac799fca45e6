//! Parked events are tried again by one command.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::Result;
use contract::booking::v1::BookingExpired;
use eventstore::{Metadata, NewEvent, StoreError, checkpoint};
use messaging::ParkedEvents;
use testkit::until;

use crate::{CONSUMER, Trouble, World, numbers, own_room};

impl World {
    pub(crate) fn parked(&self) -> ParkedEvents {
        let reaction = Arc::clone(&self.reaction) as _;
        ParkedEvents::new(self.target.clone()).consumer(CONSUMER, "booking", reaction)
    }

    /// One more event of a stream that has one already.
    pub(crate) async fn happen_again(
        &self,
        stream: &'static str,
        text: &'static str,
    ) -> Result<()> {
        self.source
            .write(Metadata::by("test", None), move |tx| {
                Box::pin(async move {
                    let event = NewEvent::of(&BookingExpired { booking_id: text.to_owned() })?;
                    tx.append(stream, 1, &[event]).await?;
                    Ok::<(), StoreError>(())
                })
            })
            .await?;
        Ok(())
    }
}

#[tokio::test]
async fn parked_events_are_tried_again_in_the_order_of_their_stream() -> Result<()> {
    let (nats, _room) = own_room()?;
    let world = World::new(nats, Trouble::On("001")).await?;
    world.happen(numbers(0..4)).await?;
    world.happen_again("booking-001", "behind").await?;
    until("both events of the stream are parked", async || {
        Ok((world.parked().list().await?.len() == 2).then_some(()))
    })
    .await?;
    assert_eq!(world.parked().retry("").await?, 0, "nothing was mended yet");
    let listed = world.parked().list().await?;
    assert_eq!(listed[0].error, "told to fail");
    assert_eq!((listed[0].consumer.as_str(), listed[0].source.as_str()), (CONSUMER, "booking"));
    world.reaction.broken.store(false, Ordering::SeqCst);
    assert_eq!(world.parked().retry("booking-999").await?, 0, "another stream");
    assert_eq!(world.parked().retry("booking-001").await?, 2);
    assert!(world.parked().list().await?.is_empty());
    assert_eq!(world.copies().await?, ["000", "002", "003", "001", "behind"]);
    assert_eq!(world.parked().retry("").await?, 0, "once");
    world.stop().await
}

#[tokio::test]
async fn what_comes_while_its_stream_is_parked_waits_and_then_goes_on() -> Result<()> {
    let (nats, _room) = own_room()?;
    let world = World::new(nats, Trouble::On("000")).await?;
    world.happen(numbers(0..1)).await?;
    until("it is parked", async || {
        Ok((!checkpoint::parked(&world.target, CONSUMER, "booking").await?.is_empty())
            .then_some(()))
    })
    .await?;
    world.reaction.broken.store(false, Ordering::SeqCst);
    assert_eq!(world.parked().retry("").await?, 1);
    world.happen_again("booking-000", "later").await?;
    world.copies_are(&["000".to_owned(), "later".to_owned()]).await?;
    assert!(world.parked().list().await?.is_empty(), "nothing waits behind what is gone");
    world.stop().await
}

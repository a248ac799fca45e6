//! One event with a fault of its own stops no other stream, whatever the fault is; and what is no
//! fault of an event parks none.

use std::future::pending;

use anyhow::Result;
use eventstore::{StoreError, checkpoint};
use messaging::ReactionError;
use testkit::until;

use crate::{CONSUMER, Trouble, World, numbers, own_room};

/// What is parked: each event's stream, and why.
async fn parked(world: &World) -> Result<Vec<(String, String)>> {
    let parked = checkpoint::parked(&world.target, CONSUMER, "booking").await?;
    Ok(parked.into_iter().map(|parked| (parked.event.stream_id, parked.error)).collect())
}

/// The event and those of its stream are parked, and others go on.
async fn is_parked_alone(trouble: Trouble, why: &str) -> Result<()> {
    let (nats, _room) = own_room()?;
    let world = World::new(nats, trouble).await?;
    world.happen(numbers(0..2)).await?;
    world.happen_again("booking-001", "behind").await?;
    world.happen(numbers(2..4)).await?;
    world.copies_are(&["000".into(), "002".into(), "003".into()]).await?;
    until("both are parked", async || Ok((parked(&world).await?.len() == 2).then_some(()))).await?;
    let behind = "an earlier event of this stream is parked";
    let stream = || "booking-001".to_owned();
    assert_eq!(parked(&world).await?, [(stream(), why.into()), (stream(), behind.into())]);
    assert_eq!(world.copies().await?, ["000", "002", "003"]);
    world.stop().await
}

#[tokio::test]
async fn an_event_over_which_the_reaction_panics_is_parked_and_others_go_on() -> Result<()> {
    // What it said when it panicked is not repeated: it may be about a person.
    is_parked_alone(Trouble::PanicsOn("001"), "the transaction panicked").await
}

#[tokio::test]
async fn an_event_about_a_stream_that_cannot_be_read_is_parked_and_others_go_on() -> Result<()> {
    let why = "booking.v1.BookingExpired at version 1 of booking-001 cannot be read";
    is_parked_alone(Trouble::UnreadOn("001"), why).await
}

#[tokio::test]
async fn an_event_about_a_row_that_cannot_be_is_parked_and_others_go_on() -> Result<()> {
    let (nats, _room) = own_room()?;
    let world = World::new(nats, Trouble::ImpossibleOn("001")).await?;
    world.happen(numbers(0..4)).await?;
    world.copies_are(&["000".into(), "002".into(), "003".into()]).await?;
    let parked = parked(&world).await?;
    assert_eq!(parked.len(), 1, "{parked:?}");
    world.stop().await
}

#[tokio::test]
async fn a_write_that_is_given_up_when_a_process_ends_is_no_fault_of_its_event() -> Result<()> {
    let task = tokio::spawn(pending::<()>());
    task.abort();
    let Err(cancelled) = task.await else { anyhow::bail!("it was stopped") };
    let stopped = ReactionError::from(StoreError::from(cancelled));
    assert!(matches!(stopped, ReactionError::Later(_)), "{stopped:?}");
    let panics = async { assert!(numbers(0..1).is_empty(), "over an event") };
    let Err(panicked) = tokio::spawn(panics).await else { anyhow::bail!("it panicked") };
    let failed = ReactionError::from(StoreError::from(panicked));
    assert!(matches!(failed, ReactionError::Failed(_)), "{failed:?}");
    Ok(())
}

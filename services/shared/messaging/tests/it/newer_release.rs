//! Events of a newer release, which an older program does not know.

use anyhow::Result;
use eventstore::{Metadata, NewEvent, StoreError, new_uuid};
use serde_json::json;
use testkit::until;

use crate::{Trouble, World, numbers, own_room};

async fn foreseen(world: &World, stream: &'static str) -> Result<()> {
    let written = world.source.write(Metadata::by("test", None), move |tx| {
        Box::pin(async move {
            let event = NewEvent {
                event_id: new_uuid(),
                event_type: "booking.v1.BookingForeseen".to_owned(),
                payload: json!({ "bookingId": "bkg_1" }),
            };
            tx.append(stream, 0, &[event]).await.map(drop)
        })
    });
    let written: Result<(), StoreError> = written.await;
    Ok(written?)
}

#[tokio::test]
async fn an_event_of_a_newer_release_is_parked_until_a_program_knows_it() -> Result<()> {
    let (nats, _room) = own_room()?;
    let world = World::new(nats, Trouble::None).await?;
    foreseen(&world, "booking-new").await?;
    world.happen(numbers(0..3)).await?;
    let parked = world.parked();
    until("it is parked", async || Ok((parked.list().await?.len() == 1).then_some(()))).await?;
    until("the others are taken in", async || {
        Ok((world.copies().await? == ["000", "001", "002"]).then_some(()))
    })
    .await?;
    let listed = parked.list().await?;
    let event = &listed[0];
    assert_eq!(event.event_type, "booking.v1.BookingForeseen");
    assert!(event.error.contains("newer release"), "{}", event.error);
    assert_eq!(world.parked().retry("").await?, 0, "this program does not know it either");
    // As a program sees it that does.
    world
        .databases
        .1
        .as_owner("update parked_events set event_type = 'booking.v1.BookingExpired'")
        .await?;
    assert_eq!(world.parked().retry("").await?, 1);
    assert_eq!(world.copies().await?, ["000", "001", "002", "bkg_1"]);
    world.stop().await
}

#[tokio::test]
async fn a_marked_event_of_a_newer_release_is_passed_over() -> Result<()> {
    let (nats, _room) = own_room()?;
    let world = World::new(nats, Trouble::None).await?;
    // It is marked before the relay numbers it.
    world
        .databases
        .0
        .as_owner(
            "create function mark() returns trigger language plpgsql as $$ begin
                 new.metadata := new.metadata || '{\"may_be_passed_over\": true}';
                 return new;
             end $$;
             create trigger mark before insert on events for each row
                 when (new.event_type = 'booking.v1.BookingForeseen') execute function mark()",
        )
        .await?;
    foreseen(&world, "booking-new").await?;
    world.happen(numbers(0..3)).await?;
    until("the others are taken in", async || {
        Ok((world.copies().await? == ["000", "001", "002"]).then_some(()))
    })
    .await?;
    assert!(world.parked().list().await?.is_empty());
    world.stop().await
}

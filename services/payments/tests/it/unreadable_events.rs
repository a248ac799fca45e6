//! A collection with an event that this release cannot read, as after a rollback: only operations
//! on that collection fail.

use std::sync::Arc;

use anyhow::Result;
use contract::booking::v1::BookingConfirmed;
use eventstore::{Metadata, NewEvent, Recorded, StoreError, new_uuid};
use kernel::Timestamp;
use messaging::{Reaction as _, ReactionError};
use payments::app::backfill_ledger::backfill_ledger;
use payments::app::list_disputes::list_disputes;
use payments::consumers::booking::OnBooking;
use serde_json::json;
use testkit::Alarms;
use tonic::Code;

use crate::ledger::{build_app, confirmed};
use crate::receipt_numbering::{issuer, verified};
use crate::receipts::receipt;
use crate::world::{Held, World, assert_refused};

/// An event that only a newer release knows comes into a booking's collection.
async fn of_tomorrow(world: &World, held: Held) -> Result<()> {
    let stream = format!("collection-{}", held.id.uuid());
    world
        .store
        .write(Metadata::by("test", None), move |tx| {
            let stream = stream.clone();
            Box::pin(async move {
                let event = NewEvent {
                    event_id: new_uuid(),
                    event_type: "payments.v1.PaymentForeseen".to_owned(),
                    payload: json!({ "bookingId": "bkg_1" }),
                };
                let version = tx.load(&stream).await?.version;
                tx.append(&stream, version, &[event]).await.map(drop)
            })
        })
        .await
        .map_err(|error: StoreError| error.into())
}

/// Consumes a confirmation, as the consumer does.
async fn take_in(world: &World, held: Held, payment: String) -> Result<Result<(), ReactionError>> {
    let confirmed = NewEvent::of(&BookingConfirmed {
        booking_id: held.id.to_string(),
        payment_id: payment,
        ..BookingConfirmed::default()
    })?;
    let event = Arc::new(Recorded {
        event_id: confirmed.event_id,
        stream_id: format!("booking-{}", held.id.uuid()),
        version: 3,
        position: 3,
        event_type: confirmed.event_type,
        payload: confirmed.payload,
        metadata: Metadata::default(),
        recorded_at: Timestamp::EPOCH,
    });
    let reaction = OnBooking::new(issuer()?);
    let taken = world.store.write(Metadata::by("test", None), move |tx| {
        let (reaction, event) = (reaction.clone(), Arc::clone(&event));
        Box::pin(async move { reaction.react(tx, &event).await })
    });
    Ok(taken.await)
}

#[tokio::test]
async fn what_concerns_a_collection_that_cannot_be_read_is_parked_and_nothing_else() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (unread, of_unread) = verified(&world).await?;
    let (sound, of_sound) = verified(&world).await?;
    of_tomorrow(&world, unread).await?;
    let refused = take_in(&world, unread, of_unread).await?;
    // What fails so is parked, and what waits stops everybody.
    assert!(matches!(refused, Err(ReactionError::Failed(_))), "{refused:?}");
    take_in(&world, sound, of_sound.clone()).await??;
    assert_eq!(receipt(&world, sound).await?.payment_id, of_sound);
    // Its own client gets a retryable error without details.
    let answer = world.claim(unread).await?;
    let told = format!("{answer:?}");
    assert!(!told.contains("PaymentForeseen"), "{told}");
    assert_refused(answer, Code::Unavailable, "SERVICE_UNAVAILABLE");
    Ok(())
}

#[tokio::test]
async fn books_are_opened_beside_one_that_cannot_be_read() -> Result<()> {
    let mut world = World::without_webhooks().await?;
    let (unread, _payment) = verified(&world).await?;
    verified(&world).await?;
    of_tomorrow(&world, unread).await?;
    // Events that get their positions later would have the booking looked at once more.
    testkit::until_in_feed(&world.store).await?;
    // Its own start does the same, and may come late.
    world.stop().await?;
    let before = world.number("select count(*) from ledger_entries").await?;
    let older = "alter table ledger_lines disable trigger user;
                 alter table ledger_entries disable trigger user;
                 delete from ledger_lines; delete from ledger_entries;
                 alter table ledger_entries enable trigger user;
                 alter table ledger_lines enable trigger user;";
    world.database.as_owner(older).await?;
    let alarms = Alarms::listen();
    backfill_ledger(&world.store).await?;
    assert_eq!(alarms.count("the books of a booking stay closed"), 1);
    assert_eq!(world.number("select count(*) from ledger_entries").await?, before / 2);
    Ok(())
}

/// A dispute has a day by which it is lost, and its webhook may be lost, too.
#[tokio::test]
async fn a_dispute_that_cannot_be_taken_in_hides_no_other_one() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (_sound, of_sound) = confirmed(&world).await?;
    let (unread, of_unread) = confirmed(&world).await?;
    of_tomorrow(&world, unread).await?;
    // The provider lists the newest first.
    for payment in [&of_sound, &of_unread] {
        world.tell("/api/dispute", &json!({ "payment_id": payment })).await?;
    }
    let (app, now) = (build_app(&world)?, world.store.now().await?);
    assert!(list_disputes(&app, now, 1).await.is_err(), "it is tried again first");
    list_disputes(&app, now, 6).await?;
    let known: Vec<String> =
        sqlx::query_scalar("select payment_id from disputes").fetch_all(world.store.pool()).await?;
    assert_eq!(known, [of_sound]);
    Ok(())
}

//! The mails about a session that costs nothing.

use anyhow::Result;
use contract::booking::v1::{
    BookingCancelled, BookingCompleted, BookingConfirmed, BookingState, CancelledBy, SessionMode,
};
use contract::common::v1::Money;
use kernel::Id;
use kernel::id::Booking;

use crate::world::{CUSTOMER, PRACTICE, World, text};

/// A day before the session of the fake bookings, and an hour after its end.
const REMINDER_DUE: &str = "2026-11-23T05:30:00Z";
const FOLLOW_UP_DUE: &str = "2026-11-24T14:30:00Z";

fn nothing() -> Option<Money> {
    Some(Money { minor_units: 0, currency_code: "INR".to_owned() })
}

/// A free session that is confirmed, and mailed.
async fn booked(world: &World) -> Result<Id<Booking>> {
    let id = world.booking(SessionMode::InPerson);
    world.data.change(&id.to_string(), |booking| {
        "free-consultation".clone_into(&mut booking.service_id);
        "Free Consultation".clone_into(&mut booking.service_title);
        booking.price = nothing();
    });
    let booking_id = id.to_string();
    world.append_event(BookingConfirmed { booking_id, free: true, ..Default::default() }).await?;
    world.until_idle().await?;
    Ok(id)
}

/// All texts to an address; no mail speaks of money.
async fn told(world: &World, address: &str) -> Result<Vec<String>> {
    let mails = world.inbox_of(address).await?;
    let texts: Vec<String> = mails.iter().map(|mail| text(mail, "text").to_owned()).collect();
    for words in &texts {
        assert!(!words.contains('₹') && !words.contains("refund"), "{words}");
    }
    Ok(texts)
}

#[tokio::test]
async fn it_is_confirmed_and_reminded_of() -> Result<()> {
    let world = World::new().await?;
    booked(&world).await?;
    let confirmations = told(&world, CUSTOMER).await?;
    assert_eq!(confirmations.len(), 1);
    assert!(confirmations[0].contains("Your session costs nothing"), "{confirmations:?}");
    let attachments = world.inbox_of(CUSTOMER).await?[0]["attachments"].clone();
    assert_eq!(attachments[0]["filename"], "session.ics");
    let notices = told(&world, PRACTICE).await?;
    assert_eq!(notices.len(), 1);
    assert!(notices[0].contains("It costs nothing and is confirmed."), "{notices:?}");
    world.set_clock(REMINDER_DUE).await?;
    world.until_state("reminder", "sent").await?;
    assert_eq!(told(&world, CUSTOMER).await?.len(), 2);
    world.end().await
}

#[tokio::test]
async fn cancelling_it_gives_nothing_back() -> Result<()> {
    let world = World::new().await?;
    let id = booked(&world).await?.to_string();
    world.data.change(&id, |booking| booking.set_state(BookingState::Cancelled));
    let cancelled_by = CancelledBy::Customer.into();
    let event = BookingCancelled {
        booking_id: id,
        cancelled_by,
        refund: nothing(),
        unpaid: false,
        by_grace: false,
    };
    world.append_event(event).await?;
    world.until_idle().await?;
    assert_eq!(world.column("booking_cancelled", "state").await?.as_deref(), Some("sent"));
    assert_eq!(world.column("cancellation_notice", "state").await?.as_deref(), Some("sent"));
    let mails = told(&world, CUSTOMER).await?;
    let rebook = "http://127.0.0.1:8080/booking-flow?service=free-consultation";
    assert!(mails.iter().any(|words| words.contains(rebook)), "{mails:?}");
    told(&world, PRACTICE).await?;
    world.end().await
}

/// It proves no review, so reviews is not asked for an invitation.
#[tokio::test]
async fn its_follow_up_leads_to_the_services() -> Result<()> {
    let world = World::new().await?;
    world.data.uninvited.store(true, std::sync::atomic::Ordering::SeqCst);
    let id = booked(&world).await?.to_string();
    world.data.change(&id, |booking| booking.set_state(BookingState::Completed));
    world.append_event(BookingCompleted { booking_id: id }).await?;
    world.until_taken_in().await?;
    world.set_clock(FOLLOW_UP_DUE).await?;
    world.until_state("follow_up", "sent").await?;
    let mails = told(&world, CUSTOMER).await?;
    let services = "http://127.0.0.1:8080/services";
    assert!(mails.iter().any(|words| words.contains(services)), "{mails:?}");
    assert!(mails.iter().all(|words| !words.contains("invitation")), "{mails:?}");
    world.end().await
}

//! A cancelled booking: the client and the practice are notified, and waiting mails are dropped.

use anyhow::Result;
use contract::booking::v1::{
    Booking, BookingCancelled, BookingConfirmed, BookingState, CancelledBy,
};
use contract::booking::v1::{MeetingScheduled, SessionMode};
use contract::common::v1::Money;
use serde_json::Value;

use crate::world::{BEGIN, CUSTOMER, PRACTICE, World, text};

fn cancelled(booking_id: &str, by: CancelledBy, minor_units: i64) -> BookingCancelled {
    BookingCancelled {
        booking_id: booking_id.to_owned(),
        cancelled_by: by.into(),
        refund: Some(Money { minor_units, currency_code: "INR".to_owned() }),
        unpaid: false,
        by_grace: false,
    }
}

#[tokio::test]
async fn both_sides_get_one_mail() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::Online).to_string();
    world.data.change(&id, |booking| booking.set_state(BookingState::Cancelled));
    let event = cancelled(&id, CancelledBy::Practice, 75_000);
    world.append_event(event.clone()).await?;
    world.append_event(event).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 1);
    let day = "Tuesday 24 November 2026, 11:00 am IST";
    assert_eq!(text(&mails[0], "subject"), format!("Your session is cancelled: {day}"));
    for part in ["we are sorry", "We're refunding ₹750 to your original", "5-7 business days"] {
        assert!(text(&mails[0], "text").contains(part), "{part}");
    }
    let rebook = "http://127.0.0.1:8080/booking-flow?service=meditation";
    assert!(text(&mails[0], "text").contains(rebook));
    let notices = world.inbox_of(PRACTICE).await?;
    assert_eq!(notices.len(), 1);
    assert!(text(&notices[0], "subject").starts_with("Cancelled booking "));
    assert!(text(&notices[0], "text").contains("The practice cancelled it"));
    assert_eq!(world.column("booking_cancelled", "state").await?.as_deref(), Some("sent"));
    assert_eq!(world.column("cancellation_notice", "state").await?.as_deref(), Some("sent"));
    let kept = world.dump().await?;
    assert!(!kept.contains("asha@example.org") && !kept.contains("Neil"));
    world.end().await
}

/// What the mails to the client and the practice say of a cancellation with this promise.
async fn said(change: impl FnOnce(&mut Booking), promised: i64) -> Result<[String; 2]> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::Online).to_string();
    world.data.change(&id, |booking| {
        booking.set_state(BookingState::Cancelled);
        change(booking);
    });
    world.append_event(cancelled(&id, CancelledBy::Practice, promised)).await?;
    world.until_idle().await?;
    let (client, practice) = (world.inbox_of(CUSTOMER).await?, world.inbox_of(PRACTICE).await?);
    world.end().await?;
    Ok([text(&client[0], "text").to_owned(), text(&practice[0], "text").to_owned()])
}

fn inr(minor_units: i64) -> Option<Money> {
    Some(Money { minor_units, currency_code: "INR".to_owned() })
}

#[tokio::test]
async fn what_really_goes_back_is_named() -> Result<()> {
    let [client, practice] =
        said(|booking| booking.refunded_otherwise = inr(20_000), 75_000).await?;
    assert!(client.contains("We're refunding ₹550 to your original payment"), "{client}");
    assert!(practice.contains("₹550 goes back to the client"), "{practice}");
    assert!(!client.contains("less what has gone back"), "{client}");
    // An offer of the provider's made the payment less than the price.
    let [client, _] = said(|booking| booking.paid = inr(67_500), 75_000).await?;
    assert!(client.contains("We're refunding ₹675 to your original payment"), "{client}");
    Ok(())
}

#[tokio::test]
async fn where_nothing_is_left_no_mail_is_promised() -> Result<()> {
    let all_back = |booking: &mut Booking| {
        (booking.paid, booking.refunded_otherwise) = (inr(75_000), inr(75_000));
    };
    let [client, practice] = said(all_back, 75_000).await?;
    assert!(client.contains("has gone back to you already"), "{client}");
    for promise in ["We're refunding", "we write again", "follow the refund", "goes back to you."] {
        assert!(!client.contains(promise), "{client}");
    }
    assert!(practice.contains("nothing is left to refund"), "{practice}");
    Ok(())
}

#[tokio::test]
async fn money_that_never_came_is_not_promised() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::InPerson).to_string();
    world.data.change(&id, |booking| booking.set_state(BookingState::Cancelled));
    let event = cancelled(&id, CancelledBy::Practice, 75_000);
    world.append_event(BookingCancelled { unpaid: true, ..event }).await?;
    world.until_idle().await?;
    for (address, said) in [
        (CUSTOMER, "If your payment still arrives, ₹750 of it goes back"),
        (PRACTICE, "if it still arrives, ₹750 of it goes back"),
    ] {
        let mails = world.inbox_of(address).await?;
        assert!(text(&mails[0], "text").contains(said), "{mails:?}");
    }
    world.end().await
}

#[tokio::test]
async fn nothing_that_goes_back_is_said_kindly_and_with_the_reason() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::Online).to_string();
    // The session begins in less than a day.
    world.data.change(&id, |booking| {
        booking.set_state(BookingState::Cancelled);
        let begin: kernel::Timestamp = BEGIN.parse().unwrap();
        let soon = begin.plus_minutes(90);
        booking.sessions[0].starts_at = Some(contract::convert::to_wire(soon));
        booking.sessions[0].ends_at = Some(contract::convert::to_wire(soon.plus_minutes(45)));
    });
    world.append_event(cancelled(&id, CancelledBy::Customer, 0)).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    let said = text(&mails[0], "text");
    assert!(said.contains("as you asked") && said.contains("Nothing goes back this time"));
    assert!(said.contains("until 24 hours before it"), "{said}");
    world.end().await
}

#[tokio::test]
async fn a_confirmation_of_what_is_cancelled_meanwhile_is_overtaken() -> Result<()> {
    let mut world = World::new().await?;
    let booking = world.booking(SessionMode::Online);
    let id = booking.to_string();
    world.stop().await?;
    world.confirmed(booking).await?;
    world.data.change(&id, |booking| booking.set_state(BookingState::Cancelled));
    world.append_event(cancelled(&id, CancelledBy::Customer, 75_000)).await?;
    // The meeting provider answered after all.
    let meeting_id = "meeting-1".to_owned();
    world.append_event(MeetingScheduled { booking_id: id, meeting_id }).await?;
    world.start();
    world.until_idle().await?;
    for kind in ["booking_confirmed", "practice_notice"] {
        assert_eq!(world.column(kind, "state").await?.as_deref(), Some("dropped"), "{kind}");
        assert_eq!(world.published(kind).await?, Vec::<&str>::new());
    }
    let subjects: Vec<Value> =
        world.inbox().await?.iter().map(|mail| mail["subject"].clone()).collect();
    assert_eq!(subjects.len(), 2, "{subjects:?}");
    assert!(subjects.iter().all(|subject| subject.as_str().unwrap().contains("ancelled")));
    world.end().await
}

#[tokio::test]
async fn a_confirmation_on_the_customers_word_does_not_say_that_money_arrived() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::InPerson).to_string();
    let claim_accepted = true;
    let event = BookingConfirmed { booking_id: id, claim_accepted, ..Default::default() };
    world.append_event(event).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert!(text(&mails[0], "text").contains("We take your word for the payment"));
    let notices = world.inbox_of(PRACTICE).await?;
    assert!(text(&notices[0], "text").contains("has not been seen yet"));
    world.end().await
}

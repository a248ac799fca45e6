//! The mails about a package: one confirmation with all dates, and for each session its reminder
//! and its cancellation.

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use contract::booking::v1::{
    BookedPackage, BookingConfirmed, BookingSessionCancelled, BookingState, CancelledBy, Session,
    SessionMode,
};
use contract::common::v1::Money;
use contract::convert::to_wire;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use crate::fake_services::notice_of;
use crate::world::{CUSTOMER, PRACTICE, World, text};

/// A day before the second and the third session.
const SECOND_DUE: &str = "2026-11-30T05:30:00Z";
const THIRD_DUE: &str = "2026-12-07T05:30:00Z";

/// A confirmed package of three sessions, a week apart from the 24th on, and mailed.
async fn placed(world: &World) -> Result<Id<Booking>> {
    let id = world.booking(SessionMode::InPerson);
    let first: Timestamp = "2026-11-24T05:30:00Z".parse()?;
    world.data.change(&id.to_string(), |booking| {
        booking.package = Some(BookedPackage {
            package_id: "starter".to_owned(),
            title: "Starter Package".to_owned(),
            notice_hours: 48,
        });
        booking.cancellation_policy = Some(notice_of(48));
        booking.sessions = [0, 7, 14]
            .map(|days| Session {
                starts_at: Some(to_wire(first.plus_minutes(days * 24 * 60))),
                ends_at: Some(to_wire(first.plus_minutes(days * 24 * 60 + 45))),
                ..Session::default()
            })
            .to_vec();
    });
    world.confirmed(id).await?;
    world.until_idle().await?;
    Ok(id)
}

async fn cancelled(world: &World, id: Id<Booking>, session_number: i32) -> Result<()> {
    let index = usize::try_from(session_number - 1)?;
    world.data.change(&id.to_string(), |booking| booking.sessions[index].cancelled = true);
    let money = |minor_units| Some(Money { minor_units, currency_code: "INR".to_owned() });
    let event = BookingSessionCancelled {
        booking_id: id.to_string(),
        session_number,
        cancelled_by: CancelledBy::Customer.into(),
        share: money(25_000),
        refund: money(25_000),
        unpaid: false,
        with_all: false,
        by_grace: false,
    };
    world.append_event(event).await?;
    world.until_idle().await
}

#[tokio::test]
async fn one_confirmation_names_all_dates() -> Result<()> {
    let world = World::new().await?;
    placed(&world).await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 1);
    assert!(text(&mails[0], "subject").starts_with("Your sessions are confirmed: "));
    let said = text(&mails[0], "text");
    for part in [
        "Starter Package: Meditation & Mindfulness",
        "Tuesday 24 November 2026, 11:00 am IST",
        "Tuesday 1 December 2026, 11:00 am IST",
        "Tuesday 8 December 2026, 11:00 am IST",
        "45 minutes each",
        "Until 48 hours",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(world.inbox_of(PRACTICE).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn each_session_is_reminded_of_once() -> Result<()> {
    let world = World::new().await?;
    let id = placed(&world).await?;
    let queued = "select count(*) from mails where kind = 'reminder'";
    let reminders: i64 = sqlx::query_scalar(queued).fetch_one(world.store.pool()).await?;
    assert_eq!(reminders, 3);
    cancelled(&world, id, 2).await?;
    for (due, day) in [(SECOND_DUE, ""), (THIRD_DUE, "Tuesday 8 December 2026, 11:00 am IST")] {
        let before = world.inbox_of(CUSTOMER).await?.len();
        world.set_clock(due).await?;
        world.until_idle().await?;
        let mails = world.inbox_of(CUSTOMER).await?;
        // The second session was cancelled; the first one's reminder came too late.
        assert_eq!(mails.len() - before, usize::from(!day.is_empty()), "{due}");
        let named = mails.iter().any(|mail| {
            text(mail, "subject") == format!("A reminder of your session: {day}")
                && text(mail, "text").contains("Starter Package, session 3 of 3")
        });
        assert_eq!(named, !day.is_empty());
    }
    world.end().await
}

#[tokio::test]
async fn a_cancelled_session_is_told_with_its_share() -> Result<()> {
    let world = World::new().await?;
    let id = placed(&world).await?;
    cancelled(&world, id, 2).await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    let day = "Tuesday 1 December 2026, 11:00 am IST";
    let subject = format!("Your session is cancelled: {day}");
    let told = mails.iter().find(|mail| text(mail, "subject") == subject);
    let said = text(told.expect("it is told"), "text");
    assert!(said.contains("Starter Package, session 2 of 3"), "{said}");
    assert!(said.contains("We're refunding ₹250 to your original"), "{said}");
    assert!(said.contains("The attached file takes the session out of your calendar"), "{said}");
    let file = STANDARD.decode(text(&told.unwrap()["attachments"][0], "base64"))?;
    let file = String::from_utf8(file)?;
    assert!(file.contains("METHOD:CANCEL"), "{file}");
    assert!(file.contains(&format!("UID:{id}-2\r\n")), "{file}");
    let notices = world.inbox_of(PRACTICE).await?;
    assert_eq!(notices.len(), 2);
    // All of it: one mail, which names what is left after the session before.
    world.data.change(&id.to_string(), |booking| {
        booking.set_state(BookingState::Cancelled);
        booking.sessions.iter_mut().for_each(|session| session.cancelled = true);
    });
    world
        .append_event(contract::booking::v1::BookingCancelled {
            booking_id: id.to_string(),
            cancelled_by: CancelledBy::Customer.into(),
            refund: Some(Money { minor_units: 75_000, currency_code: "INR".to_owned() }),
            unpaid: false,
            by_grace: false,
        })
        .await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    let whole = mails
        .iter()
        .find(|mail| text(mail, "subject").starts_with("Your sessions are cancelled: "));
    let said = text(whole.expect("it is told"), "text");
    assert!(said.contains("We're refunding ₹500 to your original"), "{said}");
    world.end().await
}

/// An event of booking from before there were packages has no such field.
#[tokio::test]
async fn a_single_session_reads_as_before() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::InPerson);
    let booking_id = id.to_string();
    world.append_event(BookingConfirmed { booking_id, ..Default::default() }).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert!(text(&mails[0], "subject").starts_with("Your session is confirmed: "));
    assert!(!text(&mails[0], "text").contains("Package"));
    world.end().await
}

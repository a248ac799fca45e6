//! The reminder: sent once and on time, despite outages and moved clocks.

use std::sync::atomic::Ordering;

use anyhow::Result;
use contract::booking::v1::{BookingCancelled, BookingState, CancelledBy, SessionMode};
use contract::common::v1::Money;
use contract::convert::to_wire;
use eventstore::Metadata;
use kernel::Id;
use kernel::id::Booking;
use notifications::repository;
use serde_json::{Value, json};
use testkit::until;

use crate::world::{CUSTOMER, ROOM_URL, World, text};

/// The session of the fake bookings begins on the 24th at 05:30 UTC.
const DUE: &str = "2026-11-23T05:30:00Z";
const JUST_BEFORE: &str = "2026-11-23T05:29:00Z";
const SOON: &str = "2026-11-24T03:29:00Z";
const TWO_HOURS_BEFORE: &str = "2026-11-24T03:30:00Z";
const BEGUN: &str = "2026-11-24T05:30:00Z";

pub(crate) fn with_two(practice: &str) -> String {
    practice
        .replace("second_reminder_hours = 0", "second_reminder_hours = 2")
        .replace("day_sheet_at = \"07:00\"", "day_sheet_at = \"\"")
}

/// A booking whose confirmation is sent and whose reminder waits until it is due.
async fn booked(world: &World, mode: SessionMode) -> Result<Id<Booking>> {
    let id = world.booking(mode);
    world.confirmed(id).await?;
    if mode == SessionMode::Online {
        world.meeting_scheduled(id).await?;
    }
    world.until_idle().await?;
    Ok(id)
}

/// The subjects of the reminders to the client.
async fn reminders(world: &World) -> Result<Vec<Value>> {
    let mails = world.inbox_of(CUSTOMER).await?;
    let reminds = |mail: &Value| {
        let subject = text(mail, "subject");
        subject.starts_with("A reminder") || subject.starts_with("Your session starts soon")
    };
    Ok(mails.into_iter().filter(reminds).collect())
}

async fn due_at(world: &World, kind: &str) -> Result<Option<String>> {
    world.column(kind, "to_char(due_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')").await
}

#[tokio::test]
async fn a_customer_is_reminded_once_and_a_day_before() -> Result<()> {
    let world = World::new().await?;
    let id = booked(&world, SessionMode::Online).await?;
    assert_eq!(world.column("reminder", "state").await?.as_deref(), Some("queued"));
    assert_eq!(due_at(&world, "reminder").await?.as_deref(), Some(DUE));
    assert_eq!(world.column("second_reminder", "state").await?, None);

    world.set_clock(JUST_BEFORE).await?;
    world.until_idle().await?;
    assert_eq!(reminders(&world).await?.len(), 0);

    world.set_clock(DUE).await?;
    world.until_state("reminder", "sent").await?;
    let mails = reminders(&world).await?;
    assert_eq!(mails.len(), 1);
    let subject = "A reminder of your session: Tuesday 24 November 2026, 11:00 am IST";
    assert_eq!(text(&mails[0], "subject"), subject);
    assert!(text(&mails[0], "text").contains(&format!("/join#key=join-{id}")));
    assert!(text(&mails[0], "text").contains("5 minutes early"));

    // Repeated events and delays make no second mail.
    world.confirmed(id).await?;
    world.set_clock(BEGUN).await?;
    world.until_idle().await?;
    assert_eq!(reminders(&world).await?.len(), 1);
    assert_eq!(world.column("reminder", "state").await?.as_deref(), Some("sent"));
    world.end().await
}

#[tokio::test]
async fn a_reminder_whose_confirmation_cannot_be_sent_plans_itself() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::InPerson);
    world.data.change(&id.to_string(), |booking| {
        "no address".clone_into(&mut booking.contact.as_mut().unwrap().email);
    });
    world.confirmed(id).await?;
    world.until_state("booking_confirmed", "failed").await?;
    world.move_clock(61).await?;
    until("it is planned", async || {
        Ok((due_at(&world, "reminder").await?.as_deref() == Some(DUE)).then_some(()))
    })
    .await?;
    world.end().await
}

#[tokio::test]
async fn a_session_in_person_is_reminded_of_with_its_place() -> Result<()> {
    let world = World::new().await?;
    booked(&world, SessionMode::InPerson).await?;
    world.set_clock(DUE).await?;
    world.until_state("reminder", "sent").await?;
    let mails = reminders(&world).await?;
    assert!(text(&mails[0], "text").contains("Sukoon, Arera Colony"), "{mails:?}");
    world.end().await
}

#[tokio::test]
async fn a_restart_before_its_hour_changes_nothing() -> Result<()> {
    let mut world = World::new().await?;
    booked(&world, SessionMode::InPerson).await?;
    for _ in 0..2 {
        world.stop().await?;
        world.start();
    }
    world.set_clock(DUE).await?;
    world.until_state("reminder", "sent").await?;
    world.stop().await?;
    world.start();
    world.set_clock(SOON).await?;
    world.until_idle().await?;
    assert_eq!(reminders(&world).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn a_reminder_due_in_an_outage_is_sent_before_the_session() -> Result<()> {
    let mut world = World::new().await?;
    booked(&world, SessionMode::InPerson).await?;
    world.stop().await?;
    world.data.down.store(true, Ordering::SeqCst);
    world.set_clock(TWO_HOURS_BEFORE).await?;
    // This service is back first, then the one that knows the booking.
    world.start();
    world.until_tried("reminder", 1).await?;
    assert_eq!(reminders(&world).await?.len(), 0);
    world.data.down.store(false, Ordering::SeqCst);
    world.set_clock("2026-11-24T03:31:00Z").await?;
    world.until_state("reminder", "sent").await?;
    world.until_idle().await?;
    assert_eq!(reminders(&world).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn a_booking_made_during_an_outage_is_reminded_too() -> Result<()> {
    let mut world = World::new().await?;
    world.stop().await?;
    world.confirmed(world.booking(SessionMode::InPerson)).await?;
    world.set_clock(TWO_HOURS_BEFORE).await?;
    world.start();
    world.until_state("reminder", "sent").await?;
    world.until_idle().await?;
    assert_eq!(reminders(&world).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn a_reminder_due_in_an_outage_is_not_sent_after_the_sessions_start() -> Result<()> {
    let mut world = World::new().await?;
    booked(&world, SessionMode::InPerson).await?;
    world.stop().await?;
    world.set_clock(BEGUN).await?;
    world.start();
    world.until_state("reminder", "dropped").await?;
    assert_eq!(world.column("reminder", "last_error").await?.as_deref(), Some("too_late"));
    assert_eq!(reminders(&world).await?.len(), 0);
    assert_eq!(world.published("reminder").await?, Vec::<&str>::new());
    world.end().await
}

#[tokio::test]
async fn a_mail_server_that_is_back_too_late_sends_no_reminder() -> Result<()> {
    let world = World::new().await?;
    booked(&world, SessionMode::InPerson).await?;
    let later = json!({ "target": "smtp", "kind": "refuse", "status": 451, "times": 0 });
    world.order_fault(later).await?;
    world.set_clock(DUE).await?;
    world.until_tried("reminder", 1).await?;
    world.clear_faults().await?;
    world.set_clock(BEGUN).await?;
    world.until_state("reminder", "dropped").await?;
    assert_eq!(reminders(&world).await?.len(), 0);
    world.end().await
}

#[tokio::test]
async fn a_cancelled_session_is_not_reminded_of() -> Result<()> {
    let world = World::new().await?;
    let id = booked(&world, SessionMode::InPerson).await?.to_string();
    world.data.change(&id, |booking| booking.set_state(BookingState::Cancelled));
    world
        .append_event(BookingCancelled {
            booking_id: id,
            cancelled_by: CancelledBy::Customer.into(),
            refund: Some(Money { minor_units: 0, currency_code: "INR".to_owned() }),
            unpaid: false,
            by_grace: false,
        })
        .await?;
    world.until_idle().await?;
    world.set_clock(DUE).await?;
    world.until_state("reminder", "dropped").await?;
    assert_eq!(world.column("reminder", "last_error").await?.as_deref(), Some("overtaken"));
    assert_eq!(reminders(&world).await?.len(), 0);
    world.end().await
}

#[tokio::test]
async fn a_booking_within_a_day_of_its_session_is_not_reminded() -> Result<()> {
    let world = World::new().await?;
    world.set_clock("2026-11-23T05:30:05Z").await?;
    booked(&world, SessionMode::InPerson).await?;
    assert_eq!(world.column("reminder", "state").await?.as_deref(), Some("dropped"));
    assert_eq!(world.column("reminder", "last_error").await?.as_deref(), Some("inside_window"));
    assert_eq!(reminders(&world).await?.len(), 0);
    world.end().await
}

#[tokio::test]
async fn a_practice_can_have_two() -> Result<()> {
    let world = World::with(with_two).await?;
    booked(&world, SessionMode::Online).await?;
    world.set_clock(DUE).await?;
    world.until_state("reminder", "sent").await?;
    world.set_clock(SOON).await?;
    world.until_idle().await?;
    assert_eq!(reminders(&world).await?.len(), 1);
    world.set_clock(TWO_HOURS_BEFORE).await?;
    world.until_state("second_reminder", "sent").await?;
    let mails = reminders(&world).await?;
    assert_eq!(mails.len(), 2);
    assert!(text(&mails[1], "subject").starts_with("Your session starts soon"));
    assert!(text(&mails[1], "text").contains("/join#key=join-"));
    assert!(mails.iter().all(|mail| !mail.to_string().contains("meet.example")), "{mails:?}");
    world.end().await
}

#[tokio::test]
async fn a_practice_can_have_the_room_in_the_second_one() -> Result<()> {
    let names_room = |practice: &str| {
        let line = "second_reminder_hours = 2\nsecond_reminder_names_room = true";
        with_two(practice).replace("second_reminder_hours = 2", line)
    };
    let world = World::with(names_room).await?;
    booked(&world, SessionMode::Online).await?;
    world.set_clock(DUE).await?;
    world.until_state("reminder", "sent").await?;
    world.set_clock(TWO_HOURS_BEFORE).await?;
    world.until_state("second_reminder", "sent").await?;
    let mails = reminders(&world).await?;
    assert!(!mails[0].to_string().contains("meet.example"), "{}", mails[0]);
    assert!(text(&mails[1], "text").contains(ROOM_URL), "{}", mails[1]);
    assert!(text(&mails[1], "text").contains("/join#key=join-"));
    world.end().await
}

#[tokio::test]
async fn of_two_that_were_missed_the_later_one_is_sent() -> Result<()> {
    let mut world = World::with(with_two).await?;
    booked(&world, SessionMode::InPerson).await?;
    world.stop().await?;
    world.set_clock(TWO_HOURS_BEFORE).await?;
    world.start();
    world.until_state("second_reminder", "sent").await?;
    world.until_state("reminder", "dropped").await?;
    assert_eq!(reminders(&world).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn a_clock_that_jumps_ahead_and_is_put_back_costs_no_reminder() -> Result<()> {
    let world = World::new().await?;
    booked(&world, SessionMode::InPerson).await?;
    // Back: the reminder is farther off, and still there.
    world.set_clock("2026-11-18T06:00:00Z").await?;
    world.until_idle().await?;
    assert_eq!(due_at(&world, "reminder").await?.as_deref(), Some(DUE));
    world.set_clock(JUST_BEFORE).await?;
    world.until_idle().await?;
    assert_eq!(reminders(&world).await?.len(), 0);
    // Ahead, over its hour: it is late, and sent.
    world.set_clock(TWO_HOURS_BEFORE).await?;
    world.until_state("reminder", "sent").await?;
    // Back again: it has its mail.
    world.set_clock(JUST_BEFORE).await?;
    world.until_idle().await?;
    world.set_clock(DUE).await?;
    world.until_idle().await?;
    assert_eq!(reminders(&world).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn a_session_that_was_moved_and_hours_that_were_changed_are_followed() -> Result<()> {
    let mut world = World::new().await?;
    let id = booked(&world, SessionMode::InPerson).await?.to_string();
    world.stop().await?;
    world.change_practice(|text| text.replace("reminder_hours = 24", "reminder_hours = 6"))?;
    world.start();
    world.set_clock(DUE).await?;
    world.until_idle().await?;
    assert_eq!(due_at(&world, "reminder").await?.as_deref(), Some("2026-11-23T23:30:00Z"));
    world.data.change(&id, |booking| {
        let start: kernel::Timestamp = "2026-11-26T05:30:00Z".parse().unwrap();
        booking.sessions[0].starts_at = Some(to_wire(start));
        booking.sessions[0].ends_at = Some(to_wire(start.plus_minutes(45)));
    });
    world.set_clock("2026-11-23T23:30:00Z").await?;
    world.until_idle().await?;
    assert_eq!(due_at(&world, "reminder").await?.as_deref(), Some("2026-11-25T23:30:00Z"));
    world.set_clock("2026-11-25T23:30:00Z").await?;
    world.until_state("reminder", "sent").await?;
    let mails = reminders(&world).await?;
    assert_eq!(mails.len(), 1);
    assert!(text(&mails[0], "subject").contains("Thursday 26 November 2026"));
    world.end().await
}

#[tokio::test]
async fn hours_that_were_raised_hold_for_what_waits() -> Result<()> {
    let mut world = World::new().await?;
    booked(&world, SessionMode::InPerson).await?;
    assert_eq!(due_at(&world, "reminder").await?.as_deref(), Some(DUE));
    world.stop().await?;
    world.change_practice(|text| text.replace("reminder_hours = 24", "reminder_hours = 48"))?;
    world.start();
    until("the reminder is due two days before", async || {
        let due = due_at(&world, "reminder").await?;
        Ok((due.as_deref() == Some("2026-11-22T05:30:00Z")).then_some(()))
    })
    .await?;
    assert_eq!(reminders(&world).await?.len(), 0);
    world.set_clock("2026-11-22T05:30:00Z").await?;
    world.until_state("reminder", "sent").await?;
    assert_eq!(reminders(&world).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn a_second_reminder_that_is_wanted_later_takes_nothing_from_the_first() -> Result<()> {
    let mut world = World::new().await?;
    booked(&world, SessionMode::InPerson).await?;
    world.stop().await?;
    let (none, two) = ("second_reminder_hours = 0", "second_reminder_hours = 2");
    world.change_practice(|text| text.replace(none, two))?;
    // An hour before the session: a second reminder would be out, but this booking has none.
    world.set_clock("2026-11-24T04:30:00Z").await?;
    world.start();
    world.until_state("reminder", "sent").await?;
    assert_eq!(world.column("second_reminder", "state").await?, None);
    assert_eq!(reminders(&world).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn those_that_wait_are_woken_batch_by_batch_and_no_others() -> Result<()> {
    let mut world = World::with(with_two).await?;
    for _ in 0..2 {
        booked(&world, SessionMode::InPerson).await?;
    }
    world.stop().await?;
    let sql =
        "select count(*) filter (where is_bulk), count(*) from timers where kind = 'send_mail'";
    let waiting: (i64, i64) = sqlx::query_as(sql).fetch_one(world.store.pool()).await?;
    assert_eq!(waiting, (4, 4), "all of them give way");
    let reschedule = async |hours: &'static str| {
        let rescheduled = world.store.write(Metadata::by("test", None), move |tx| {
            Box::pin(repository::reschedule_reminders(tx, hours, 3))
        });
        rescheduled.await
    };
    assert_eq!(reschedule("24/2").await?, 0, "they were put off by these hours");
    let batches = (reschedule("48/2").await?, reschedule("48/2").await?, reschedule("48/2").await?);
    assert_eq!(batches, (3, 1, 0), "four of them");
    let rescheduled: (i64, i64) = sqlx::query_as(
        "select count(*) filter (where m.kind in ('reminder', 'second_reminder')
                                   and m.due_at <= clock_now() and t.due_at = m.due_at
                                   and t.is_bulk),
                count(*)
         from timers t join mails m on t.subject = 'mal_' || replace(m.mail_id::text, '-', '')",
    )
    .fetch_one(world.store.pool())
    .await?;
    assert_eq!(rescheduled, (4, 4));
    let over = sqlx::query_scalar("select count(*) from mails where state = 'sent'");
    let sent: i64 = over.fetch_one(world.store.pool()).await?;
    assert_eq!(sent, 4, "confirmations and notices stay as they are");
    Ok(())
}

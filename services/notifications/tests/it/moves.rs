//! A session that was moved: both sides are told once for each move, and the client is reminded of
//! the new time and of no other.

use anyhow::{Context as _, Result};
use contract::booking::v1::SessionMode;
use contract::booking::v1::{BookedPackage, BookingMoved, BookingState, MovedBy, Session};
use contract::convert::{timestamp, to_wire};
use eventstore::Metadata;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use notifications::mails::kind::Kind;
use notifications::mails::mail::{Mail, NewMail};
use notifications::mails::{moves, planning};
use notifications::repository;
use serde_json::Value;
use testkit::until;

use crate::reminders::with_two;
use crate::world::{CUSTOMER, PRACTICE, World, text};

/// The session of the fake bookings begins on the 24th at 05:30 UTC.
const DUE: &str = "2026-11-23T05:30:00Z";
const BEGUN: &str = "2026-11-24T05:30:00Z";
const THURSDAY: &str = "2026-11-26T05:30:00Z";
const THURSDAY_DUE: &str = "2026-11-25T05:30:00Z";
const FRIDAY: &str = "2026-11-27T05:30:00Z";
const FRIDAY_DUE: &str = "2026-11-26T05:30:00Z";

/// A booking whose confirmation is sent and whose reminder waits.
async fn booked(world: &World) -> Result<Id<Booking>> {
    let id = world.booking(SessionMode::InPerson);
    world.confirmed(id).await?;
    world.until_idle().await?;
    Ok(id)
}

/// The event of a move of a session by its number from 1, whose time is the one of the booking's
/// answer.
fn event(
    world: &World,
    id: Id<Booking>,
    (session_number, move_number): (i32, i32),
    to: &str,
) -> Result<BookingMoved> {
    let bookings = world.data.bookings.lock().unwrap();
    let session = &bookings[&id.to_string()].sessions[usize::try_from(session_number - 1)?];
    let to: Timestamp = to.parse()?;
    Ok(BookingMoved {
        booking_id: id.to_string(),
        session_number,
        previous_starts_at: session.starts_at,
        previous_ends_at: session.ends_at,
        starts_at: Some(to_wire(to)),
        ends_at: Some(to_wire(to.plus_minutes(45))),
        moved_by: MovedBy::Customer.into(),
        move_number,
        practitioner_id: String::new(),
    })
}

/// Booking answers what this move made of it.
fn answer(world: &World, event: &BookingMoved) {
    world.data.change(&event.booking_id, |booking| {
        let index = usize::try_from(event.session_number - 1).unwrap();
        let session = &mut booking.sessions[index];
        (session.starts_at, session.ends_at) = (event.starts_at, event.ends_at);
        session.moves = event.move_number;
    });
}

/// A single booking is moved for the time of this number, and booking says so.
pub(crate) async fn moved(
    world: &World,
    id: Id<Booking>,
    number: i32,
    to: &str,
) -> Result<BookingMoved> {
    let event = event(world, id, (1, number), to)?;
    answer(world, &event);
    world.append_event(event.clone()).await?;
    Ok(event)
}

/// A column of the mail of a kind and subject, as text.
async fn column(world: &World, new: &NewMail, column: &str) -> Result<Option<String>> {
    let sql = format!("select {column} from mails where kind = $1 and subject = $2");
    let value: Option<Option<String>> = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
        .bind(new.kind.name())
        .bind(&new.subject)
        .fetch_optional(world.store.pool())
        .await?;
    Ok(value.flatten())
}

async fn state(world: &World, new: &NewMail) -> Result<Option<String>> {
    column(world, new, "state || coalesce(' ' || last_error, '')").await
}

async fn due_at(world: &World, new: &NewMail) -> Result<Option<String>> {
    let due = "to_char(due_at at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')";
    column(world, new, due).await
}

async fn until_due(world: &World, new: &NewMail, at: &str) -> Result<()> {
    until(&format!("{} is due at {at}", new.subject), async || {
        Ok((due_at(world, new).await?.as_deref() == Some(at)).then_some(()))
    })
    .await
}

async fn until_state(world: &World, new: &NewMail, wanted: &str) -> Result<()> {
    until(&format!("{} is {wanted}", new.subject), async || {
        Ok((state(world, new).await?.as_deref() == Some(wanted)).then_some(()))
    })
    .await
}

fn first_reminder(id: Id<Booking>) -> NewMail {
    NewMail::of_booking(Kind::Reminder, id)
}

fn of_move(kind: Kind, id: Id<Booking>, number: i32) -> NewMail {
    moves::mail_of(kind, id, 1, number)
}

/// The mails to an address whose subject begins so.
async fn told(world: &World, address: &str, subject: &str) -> Result<Vec<Value>> {
    let mails = world.inbox_of(address).await?;
    Ok(mails.into_iter().filter(|mail| text(mail, "subject").starts_with(subject)).collect())
}

async fn reminders(world: &World) -> Result<Vec<String>> {
    let mails = told(world, CUSTOMER, "A reminder of your session: ").await?;
    Ok(mails.iter().map(|mail| text(mail, "subject").to_owned()).collect())
}

#[tokio::test]
async fn both_sides_are_told_of_each_move_once() -> Result<()> {
    let world = World::new().await?;
    let id = booked(&world).await?;
    let first = moved(&world, id, 1, THURSDAY).await?;
    world.append_event(first).await?;
    world.until_idle().await?;
    let mails = told(&world, CUSTOMER, "Your session has a new time: ").await?;
    assert_eq!(mails.len(), 1);
    assert!(text(&mails[0], "subject").ends_with("Thursday 26 November 2026, 11:00 am IST"));
    let said = text(&mails[0], "text");
    for part in ["Tuesday 24 November 2026, 11:00 am IST", "as you asked", "Nothing else changes"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(mails[0]["attachments"].as_array().map(Vec::len), Some(1));
    let notices = told(&world, PRACTICE, "Moved booking ").await?;
    assert_eq!(notices.len(), 1);
    assert!(text(&notices[0], "text").contains("The client moved it."));

    let practice =
        BookingMoved { moved_by: MovedBy::Practice.into(), ..event(&world, id, (1, 2), FRIDAY)? };
    answer(&world, &practice);
    world.append_event(practice).await?;
    world.until_idle().await?;
    let mails = told(&world, CUSTOMER, "Your session has a new time: ").await?;
    assert_eq!(mails.len(), 2);
    let said = text(&mails[1], "text");
    for part in ["Thursday 26 November 2026", "Friday 27 November 2026", "we are sorry"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(told(&world, PRACTICE, "Moved booking ").await?.len(), 2);
    let kept = world.dump().await?;
    assert!(!kept.contains("asha@example.org") && !kept.contains("Neil"));
    world.end().await
}

#[tokio::test]
async fn the_reminder_follows_the_session() -> Result<()> {
    let world = World::new().await?;
    let id = booked(&world).await?;
    until_due(&world, &first_reminder(id), DUE).await?;
    moved(&world, id, 1, FRIDAY).await?;
    world.until_idle().await?;
    assert_eq!(state(&world, &first_reminder(id)).await?.as_deref(), Some("dropped overtaken"));
    assert_eq!(due_at(&world, &of_move(Kind::Reminder, id, 1)).await?.as_deref(), Some(FRIDAY_DUE));
    moved(&world, id, 2, THURSDAY).await?;
    world.until_idle().await?;
    let [earlier, last] = [1, 2].map(|number| of_move(Kind::Reminder, id, number));
    assert_eq!(state(&world, &earlier).await?.as_deref(), Some("dropped overtaken"));
    assert_eq!(due_at(&world, &last).await?.as_deref(), Some(THURSDAY_DUE));
    for at in [DUE, BEGUN] {
        world.set_clock(at).await?;
        world.until_idle().await?;
        assert_eq!(reminders(&world).await?.len(), 0);
    }
    for at in [THURSDAY_DUE, FRIDAY_DUE] {
        world.set_clock(at).await?;
        world.until_idle().await?;
        let day = "A reminder of your session: Thursday 26 November 2026, 11:00 am IST";
        assert_eq!(reminders(&world).await?, [day]);
    }
    world.end().await
}

/// Booking is asked before the move, and what follows of its answer is written after it.
#[tokio::test]
async fn facts_of_before_the_move_plan_no_reminder_of_the_new_time() -> Result<()> {
    let mut world = World::new().await?;
    let id = world.booking(SessionMode::InPerson);
    world.stop().await?;
    world.confirmed(id).await?;
    let event = event(&world, id, (1, 1), FRIDAY)?;
    world.append_event(event.clone()).await?;
    world.start();
    let [reminder, mail] = [Kind::Reminder, Kind::BookingMoved].map(|it| of_move(it, id, 1));
    until_due(&world, &first_reminder(id), DUE).await?;
    until("all of the move wait for its facts", async || {
        let planned = column(&world, &reminder, "planned_by").await?;
        Ok(planned.and(column(&world, &mail, "planned_by").await?))
    })
    .await?;
    assert_eq!(told(&world, CUSTOMER, "Your session has a new time: ").await?.len(), 0);

    answer(&world, &event);
    world.move_clock(61).await?;
    until_state(&world, &mail, "sent").await?;
    until_due(&world, &reminder, FRIDAY_DUE).await?;
    world.set_clock(DUE).await?;
    until_state(&world, &first_reminder(id), "dropped overtaken").await?;
    assert_eq!(reminders(&world).await?.len(), 0);
    world.set_clock(FRIDAY_DUE).await?;
    until_state(&world, &reminder, "sent").await?;
    world.until_idle().await?;
    assert_eq!(reminders(&world).await?.len(), 1);
    world.end().await
}

/// A worker has read the reminder and its facts, and writes what follows when the move is known.
#[tokio::test]
async fn a_planning_that_a_move_overtakes_writes_nothing() -> Result<()> {
    let mut world = World::new().await?;
    let id = booked(&world).await?;
    let read = world.mail("reminder").await?;
    world.stop().await?;
    // Its timer is due again, as when hours were changed, and a worker is at it.
    let hours = planning::hours(&world.practice()?);
    let old: Timestamp = DUE.parse()?;
    wake(&world, id).await?;
    defer(&world, read, old, &hours).await?;
    let woken = due_at(&world, &first_reminder(id)).await?;
    assert_ne!(woken.as_deref(), Some(DUE), "the worker's plan is of before");
    moved(&world, id, 1, FRIDAY).await?;
    world.start();
    world.until_idle().await?;
    assert_eq!(state(&world, &first_reminder(id)).await?.as_deref(), Some("dropped overtaken"));
    until_due(&world, &of_move(Kind::Reminder, id, 1), FRIDAY_DUE).await?;
    world.end().await
}

async fn wake(world: &World, id: Id<Booking>) -> Result<()> {
    let woken = world
        .store
        .write(Metadata::by("test", None), move |tx| Box::pin(repository::wake_reminders(tx, id)));
    Ok(woken.await?)
}

async fn defer(world: &World, mail: Mail, until: Timestamp, hours: &str) -> Result<()> {
    let hours = hours.to_owned();
    let deferred = world.store.write(Metadata::by("test", None), move |tx| {
        let (mail, hours) = (mail.clone(), hours.clone());
        Box::pin(async move { repository::defer(tx, &mail, until, &hours).await })
    });
    Ok(deferred.await?)
}

#[tokio::test]
async fn a_client_who_was_reminded_is_reminded_of_the_new_time_too() -> Result<()> {
    let world = World::with(with_two).await?;
    let id = booked(&world).await?;
    world.set_clock(DUE).await?;
    until_state(&world, &first_reminder(id), "sent").await?;
    moved(&world, id, 1, FRIDAY).await?;
    world.until_idle().await?;
    world.set_clock(BEGUN).await?;
    world.until_idle().await?;
    assert_eq!(reminders(&world).await?.len(), 1);
    assert_eq!(told(&world, CUSTOMER, "Your session starts soon").await?.len(), 0);
    world.set_clock(FRIDAY_DUE).await?;
    until_state(&world, &of_move(Kind::Reminder, id, 1), "sent").await?;
    assert!(reminders(&world).await?[1].contains("Friday 27 November 2026"));
    world.set_clock("2026-11-27T03:30:00Z").await?;
    until_state(&world, &of_move(Kind::SecondReminder, id, 1), "sent").await?;
    assert_eq!(told(&world, CUSTOMER, "Your session starts soon").await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn a_move_to_a_time_within_the_reminders_hours_is_reminder_enough() -> Result<()> {
    let world = World::new().await?;
    let id = booked(&world).await?;
    moved(&world, id, 1, "2026-11-22T05:00:00Z").await?;
    world.until_idle().await?;
    let near = of_move(Kind::Reminder, id, 1);
    assert_eq!(state(&world, &near).await?.as_deref(), Some("dropped inside_window"));
    // Then to a far one: this is reminded of.
    moved(&world, id, 2, THURSDAY).await?;
    world.until_idle().await?;
    world.set_clock(THURSDAY_DUE).await?;
    until_state(&world, &of_move(Kind::Reminder, id, 2), "sent").await?;
    world.until_idle().await?;
    assert_eq!(reminders(&world).await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn what_was_cancelled_or_moved_again_meanwhile_is_not_told() -> Result<()> {
    let mut world = World::new().await?;
    let [cancelled, twice] = [booked(&world).await?, booked(&world).await?];
    world.stop().await?;
    moved(&world, cancelled, 1, THURSDAY).await?;
    world.data.change(&cancelled.to_string(), |it| it.set_state(BookingState::Cancelled));
    moved(&world, twice, 1, THURSDAY).await?;
    moved(&world, twice, 2, FRIDAY).await?;
    world.start();
    world.until_idle().await?;
    for kind in [Kind::BookingMoved, Kind::MoveNotice, Kind::Reminder] {
        for overtaken in [of_move(kind, cancelled, 1), of_move(kind, twice, 1)] {
            let state = state(&world, &overtaken).await?;
            assert_eq!(state.as_deref(), Some("dropped overtaken"), "{kind}");
        }
    }
    let mails = told(&world, CUSTOMER, "Your session has a new time: ").await?;
    assert_eq!(mails.len(), 1);
    assert!(text(&mails[0], "subject").contains("Friday 27 November 2026"));
    assert_eq!(told(&world, PRACTICE, "Moved booking ").await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn one_session_of_a_package_is_moved_and_no_other() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::InPerson);
    world.data.change(&id.to_string(), |booking| {
        booking.package =
            Some(BookedPackage { title: "Starter Package".to_owned(), ..BookedPackage::default() });
        let first = booking.sessions[0].starts_at.as_ref().and_then(timestamp).unwrap();
        let at = |days: i64| Some(to_wire(first.plus_minutes(days * 24 * 60)));
        let session = |days| Session {
            starts_at: at(days),
            ends_at: at(days).as_ref().and_then(timestamp).map(|it| to_wire(it.plus_minutes(45))),
            ..Session::default()
        };
        booking.sessions = [0, 7, 14].map(session).to_vec();
    });
    // The move is known before the reminders of the further sessions are queued.
    let event = event(&world, id, (2, 1), "2026-12-03T05:30:00Z")?;
    answer(&world, &event);
    world.confirmed(id).await?;
    world.append_event(event).await?;
    world.until_idle().await?;
    let mails = told(&world, CUSTOMER, "Your session has a new time: ").await?;
    let said = text(mails.first().context("it is told")?, "text");
    assert!(said.contains("Starter Package, session 2 of 3"), "{said}");

    let of_session = |number| NewMail::of_session(Kind::Reminder, id, number);
    until_due(&world, &first_reminder(id), DUE).await?;
    until_due(&world, &of_session(3), "2026-12-07T05:30:00Z").await?;
    until_state(&world, &of_session(2), "dropped overtaken").await?;
    let new = moves::mail_of(Kind::Reminder, id, 2, 1);
    until_due(&world, &new, "2026-12-02T05:30:00Z").await?;
    let queued = "select count(*) from mails where kind = 'reminder'";
    let queued: i64 = sqlx::query_scalar(queued).fetch_one(world.store.pool()).await?;
    assert_eq!(queued, 4, "the move's reminder brings no further ones");
    world.end().await
}

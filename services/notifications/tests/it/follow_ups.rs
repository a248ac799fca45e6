//! The mail after a session, with the link that proves a review.

use std::sync::atomic::Ordering;

use anyhow::Result;
use contract::booking::v1::{
    Attendance, BookingAttendanceMarked, BookingCompleted, BookingState, SessionMode,
};
use eventstore::Metadata;
use kernel::Id;
use kernel::id::Booking;
use notifications::repository;

use crate::fake_services::INVITATION;
use crate::world::{CUSTOMER, World, text};

/// The session ends at a quarter past six by UTC; the practice waits an hour.
const ENDED: &str = "2026-11-24T06:15:00Z";
const JUST_BEFORE: &str = "2026-11-24T07:14:00Z";
const DUE: &str = "2026-11-24T07:15:00Z";
/// Eight in India, until when a mark is waited for.
const BEFORE_EVENING: &str = "2026-11-24T14:29:00Z";
const EVENING: &str = "2026-11-24T14:30:00Z";

/// A session that is just over.
async fn completed(world: &World) -> Result<Id<Booking>> {
    let id = world.booking(SessionMode::Online);
    world.set_clock(ENDED).await?;
    world.data.change(&id.to_string(), |booking| booking.set_state(BookingState::Completed));
    world.append_event(BookingCompleted { booking_id: id.to_string() }).await?;
    world.until_idle().await?;
    Ok(id)
}

/// Staff says whether the client came.
async fn mark(world: &World, id: Id<Booking>, attendance: Attendance) -> Result<()> {
    let no_show = attendance == Attendance::NoShow;
    let state = if no_show { BookingState::NoShow } else { BookingState::Completed };
    let came = matches!(attendance, Attendance::Came | Attendance::Late);
    world.data.change(&id.to_string(), |booking| booking.set_state(state));
    let attended = if came { vec![1] } else { Vec::new() };
    world.data.attended.lock().unwrap().insert(id.to_string(), attended);
    let booking_id = id.to_string();
    let attendance = attendance.into();
    let event = BookingAttendanceMarked { booking_id, session_number: 1, attendance, no_show };
    world.append_event(event).await?;
    world.until_idle().await
}

async fn state(world: &World) -> Result<Option<String>> {
    world.column("follow_up", "state").await
}

#[tokio::test]
async fn a_follow_up_comes_an_hour_later_with_a_review_link() -> Result<()> {
    let world = World::new().await?;
    let id = completed(&world).await?;
    mark(&world, id, Attendance::Late).await?;
    assert_eq!(state(&world).await?.as_deref(), Some("queued"));
    world.set_clock(JUST_BEFORE).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox().await?.len(), 0);
    world.set_clock(DUE).await?;
    world.until_state("follow_up", "sent").await?;
    world.append_event(BookingCompleted { booking_id: id.to_string() }).await?;
    world.until_idle().await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert_eq!(mails.len(), 1);
    let link = format!("http://127.0.0.1:8080/reviews#invitation={INVITATION}");
    assert!(text(&mails[0], "text").contains(&link), "{mails:?}");
    assert!(text(&mails[0], "html").contains(&link));
    // The secret is fetched when the mail is sent, and never stored.
    assert!(!world.dump().await?.contains(INVITATION));
    world.end().await
}

#[tokio::test]
async fn a_follow_up_waits_until_reviews_knows_the_session() -> Result<()> {
    let world = World::new().await?;
    world.data.uninvited.store(true, Ordering::SeqCst);
    completed(&world).await?;
    assert_eq!(world.column("follow_up", "attempts::text").await?.as_deref(), Some("0"));
    world.set_clock(EVENING).await?;
    world.until_tried("follow_up", 1).await?;
    let reason = world.column("follow_up", "last_error").await?;
    assert_eq!(reason.as_deref(), Some("reviews_unavailable"));
    assert_eq!(world.inbox().await?.len(), 0);
    world.data.uninvited.store(false, Ordering::SeqCst);
    world.set_clock("2026-11-24T14:31:00Z").await?;
    world.until_state("follow_up", "sent").await?;
    let mails = world.inbox_of(CUSTOMER).await?;
    assert!(text(&mails[0], "text").contains(INVITATION));
    world.end().await
}

#[tokio::test]
async fn a_follow_up_waits_for_a_mark_and_goes_as_soon_as_it_comes() -> Result<()> {
    let world = World::new().await?;
    let id = completed(&world).await?;
    for waiting in [DUE, BEFORE_EVENING] {
        world.set_clock(waiting).await?;
        world.until_idle().await?;
        assert_eq!(state(&world).await?.as_deref(), Some("queued"), "{waiting}");
    }
    mark(&world, id, Attendance::Came).await?;
    world.until_state("follow_up", "sent").await?;
    assert_eq!(world.inbox_of(CUSTOMER).await?.len(), 1);
    // It went; a later mark changes nothing of that.
    mark(&world, id, Attendance::NoShow).await?;
    mark(&world, id, Attendance::Came).await?;
    assert_eq!(state(&world).await?.as_deref(), Some("sent"));
    assert_eq!(world.inbox().await?.len(), 1);
    world.end().await
}

#[tokio::test]
async fn without_a_mark_a_follow_up_goes_in_the_evening() -> Result<()> {
    let world = World::new().await?;
    completed(&world).await?;
    world.set_clock(BEFORE_EVENING).await?;
    world.until_idle().await?;
    assert_eq!(world.inbox().await?.len(), 0);
    world.set_clock(EVENING).await?;
    world.until_state("follow_up", "sent").await?;
    world.end().await
}

#[tokio::test]
async fn a_mark_of_during_the_session_counts_after_it() -> Result<()> {
    let world = World::new().await?;
    let id = world.booking(SessionMode::Online);
    world.set_clock("2026-11-24T05:40:00Z").await?;
    mark(&world, id, Attendance::Came).await?;
    world.set_clock(ENDED).await?;
    world.append_event(BookingCompleted { booking_id: id.to_string() }).await?;
    world.until_idle().await?;
    world.set_clock(DUE).await?;
    world.until_state("follow_up", "sent").await?;
    world.end().await
}

/// Until it is due the last mark counts.
#[tokio::test]
async fn a_no_show_gets_no_follow_up() -> Result<()> {
    let world = World::new().await?;
    let id = completed(&world).await?;
    mark(&world, id, Attendance::NoShow).await?;
    mark(&world, id, Attendance::Unmarked).await?;
    mark(&world, id, Attendance::NoShow).await?;
    assert_eq!(state(&world).await?.as_deref(), Some("queued"));
    world.set_clock(EVENING).await?;
    world.until_state("follow_up", "dropped").await?;
    assert_eq!(world.column("follow_up", "last_error").await?.as_deref(), Some("overtaken"));
    mark(&world, id, Attendance::Came).await?;
    assert_eq!(state(&world).await?.as_deref(), Some("dropped"));
    assert_eq!(world.inbox().await?.len(), 0);
    world.end().await
}

#[tokio::test]
async fn a_planning_that_a_mark_overtakes_writes_nothing() -> Result<()> {
    let mut world = World::new().await?;
    let id = completed(&world).await?;
    let read = world.mail("follow_up").await?;
    world.stop().await?;
    world
        .store
        .write(Metadata::by("test", None), move |tx| {
            let read = read.clone();
            Box::pin(async move {
                repository::wake_follow_up(tx, id).await?;
                let later = tx.now().await?.plus_minutes(600);
                repository::defer(tx, &read, later, "").await
            })
        })
        .await?;
    let is_due = world.column("follow_up", "(due_at <= clock_now())::text").await?;
    assert_eq!(is_due.as_deref(), Some("true"));
    world.start();
    world.until_idle().await?;
    world.end().await
}

#[tokio::test]
async fn a_follow_up_is_sent_after_an_outage_but_not_weeks_late() -> Result<()> {
    let mut world = World::new().await?;
    completed(&world).await?;
    world.stop().await?;
    world.set_clock("2026-11-27T07:15:00Z").await?;
    world.start();
    world.until_state("follow_up", "sent").await?;
    world.until_idle().await?;
    assert_eq!(world.inbox().await?.len(), 1);

    let late = World::new().await?;
    let id = late.booking(SessionMode::Online).to_string();
    late.data.change(&id, |booking| booking.set_state(BookingState::Completed));
    late.set_clock("2026-12-24T07:15:00Z").await?;
    late.append_event(BookingCompleted { booking_id: id }).await?;
    late.until_state("follow_up", "dropped").await?;
    assert_eq!(late.column("follow_up", "last_error").await?.as_deref(), Some("too_late"));
    late.end().await?;
    world.end().await
}

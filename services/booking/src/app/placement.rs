//! The effects of a booking's events on its days and timers.

use eventstore::Tx;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use crate::domain::booking::{Event, Facts, Mode, PlacementCheck};
use crate::domain::day;
use crate::domain::practitioners::Practitioners;
use crate::domain::span::Span;
use crate::error::Error;
use crate::read_model::{busy_times, query};
use crate::repository::LockedBooking;
use crate::timers::kinds::{self, CREATE_MEETING, HOLD_END, SESSION_END};

/// Checks whether a booking's time can still be placed now.
pub(crate) async fn check_placement(
    tx: &mut Tx,
    practitioners: &Practitioners,
    locked: &LockedBooking,
) -> Result<PlacementCheck, Error> {
    let replaced = match locked.state.facts() {
        Some(facts) => query::is_replaced(tx, facts, locked.now).await?,
        None => false,
    };
    let offered = locked.state.facts().is_none_or(|facts| {
        let practitioner = practitioners.get(&facts.practitioner_id);
        practitioner.is_some_and(|it| facts.sessions.iter().all(|span| it.rules.offers(*span)))
    });
    let free = locked.is_free(tx).await? && !is_busy(tx, locked).await?;
    Ok(PlacementCheck { free, replaced, offered })
}

/// Whether the practitioner is busy by their own calendar. Sessions that are still held keep their
/// time.
async fn is_busy(tx: &mut Tx, locked: &LockedBooking) -> Result<bool, Error> {
    let is_held = locked.state.held_until().is_some_and(|until| until > locked.now);
    let Some(facts) = locked.state.facts().filter(|_| !is_held) else { return Ok(false) };
    let times = facts.sessions.iter().map(|span| (facts.practitioner_id.as_str(), *span));
    let busy = busy_times::are_busy(tx, &times.collect::<Vec<_>>()).await?;
    Ok(busy.contains(&true))
}

/// Applies a booking's new events to its days and its timers.
///
/// # Errors
/// When the database does not answer, or a day rejects what its state allowed before.
pub(crate) async fn apply_effects(
    tx: &mut Tx,
    locked: &mut LockedBooking,
    id: Id<Booking>,
    events: &[Event],
) -> Result<(), Error> {
    let now = locked.now;
    let subject = id.to_string();
    for event in events {
        match event {
            Event::CheckoutOpened { until } => {
                let until = *until;
                let extend = |_span| day::Command::Extend { booking_id: id, until };
                locked.apply_to_days(tx, extend).await?;
                tx.set_timer(HOLD_END, &subject, until, kinds::payload(tx)).await?;
                tracing::info!(booking_id = %id, "the hold was extended");
            }
            Event::Confirmed { reinstated, .. } => {
                let book = |span| day::Command::Book { booking_id: id, span, now };
                locked.apply_to_days(tx, book).await?;
                if let Some(facts) = locked.state.facts() {
                    set_session_timers(tx, facts, locked.now).await?;
                }
                tx.end_timer(HOLD_END, &subject).await?;
                tracing::info!(booking_id = %id, reinstated, "confirmed");
            }
            Event::Released | Event::Expired | Event::Unplaced { .. } => {
                let release = |_span| day::Command::Release { booking_id: id };
                locked.apply_to_days(tx, release).await?;
                tx.end_timer(HOLD_END, &subject).await?;
            }
            Event::Cancelled { .. } => {
                let cancel = |_span| day::Command::Cancel { booking_id: id };
                locked.apply_to_days(tx, cancel).await?;
                // A cancelled session needs no meeting room.
                tx.end_timer(CREATE_MEETING, &subject).await?;
                end_session_timers(tx, locked, id).await?;
                tracing::info!(booking_id = %id, "cancelled");
            }
            Event::SessionCancelled { number, .. } => {
                let cancel = day::Command::Cancel { booking_id: id };
                locked.apply_to_day_of(tx, *number, cancel).await?;
                tx.end_timer(SESSION_END, &kinds::session(id, Some(*number))).await?;
                tracing::info!(booking_id = %id, number, "a session was cancelled");
            }
            // A booking that is over needs no meeting room.
            Event::Completed => tx.end_timer(CREATE_MEETING, &subject).await?,
            Event::Requested { .. }
            | Event::Paid { .. }
            | Event::MeetingScheduled { .. }
            | Event::Adopted { .. }
            | Event::PageRequested { .. }
            | Event::ConsentCodeRequested { .. }
            | Event::AttendanceMarked { .. }
            | Event::SessionCompleted { .. } => {}
        }
    }
    Ok(())
}

/// Ends the timers of all sessions.
async fn end_session_timers(
    tx: &mut Tx,
    locked: &LockedBooking,
    id: Id<Booking>,
) -> Result<(), Error> {
    for (number, _) in locked.state.facts().into_iter().flat_map(timed_sessions) {
        tx.end_timer(SESSION_END, &kinds::session(id, number)).await?;
    }
    Ok(())
}

/// The sessions that have a timer of their own, with their numbers in a package.
fn timed_sessions(facts: &Facts) -> impl Iterator<Item = (Option<usize>, Span)> {
    let is_package = facts.package.is_some();
    let sessions = facts.numbers().zip(facts.sessions.iter().copied());
    sessions.map(move |(number, session)| (is_package.then_some(number), session))
}

/// Sets the timers of a confirmed booking: its meeting room, and the end of each session.
pub(crate) async fn set_session_timers(
    tx: &mut Tx,
    facts: &Facts,
    now: Timestamp,
) -> Result<(), Error> {
    let subject = facts.booking_id.to_string();
    let payload = kinds::payload(tx);
    for (number, session) in timed_sessions(facts) {
        let subject = kinds::session(facts.booking_id, number);
        tx.set_timer(SESSION_END, &subject, session.ends_at(), payload.clone()).await?;
    }
    if facts.mode == Mode::Online {
        tx.set_timer(CREATE_MEETING, &subject, now, payload).await?;
    }
    Ok(())
}

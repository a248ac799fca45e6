//! What follows for days and timers from what was decided about a booking.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;

use super::Error;
use crate::domain::availability::Rules;
use crate::domain::booking::{Event, Facts, Mode, Place};
use crate::domain::day;
use crate::read_model::query;
use crate::store::OpenBooking;
use crate::timers::{self, CREATE_MEETING, HOLD_END, SESSION_END};

/// Whether a booking's time could be had now, by everything that speaks for or against it.
///
/// # Errors
/// When the database does not answer.
pub(crate) async fn place(tx: &mut Tx, rules: &Rules, open: &OpenBooking) -> Result<Place, Error> {
    let replaced = match open.state.facts() {
        Some(facts) => query::is_replaced(tx, facts, open.now).await?,
        None => false,
    };
    let mut sessions = open.state.facts().into_iter().flat_map(|facts| &facts.sessions);
    let offered = sessions.all(|span| rules.offers(*span));
    Ok(Place { free: open.is_free(tx).await?, replaced, offered })
}

/// Carries a booking's new events to its days and its timers.
///
/// # Errors
/// When the database does not answer, or a day refuses what its state had promised.
pub(crate) async fn carry_out(
    tx: &mut Tx,
    open: &mut OpenBooking,
    id: Id<Booking>,
    events: &[Event],
) -> Result<(), Error> {
    let now = open.now;
    let subject = id.to_string();
    for event in events {
        match event {
            Event::CheckoutOpened { until } => {
                let until = *until;
                let extend = |_span| day::Command::Extend { booking_id: id, until };
                open.apply_to_days(tx, extend).await?;
                tx.set_timer(HOLD_END, &subject, until, timers::payload(tx)).await?;
                tracing::info!(booking_id = %id, "the hold was extended");
            }
            Event::Confirmed { reinstated, .. } => {
                let book = |span| day::Command::Book { booking_id: id, span, now };
                open.apply_to_days(tx, book).await?;
                if let Some(facts) = open.state.facts() {
                    set_timers(tx, facts, open).await?;
                }
                tx.end_timer(HOLD_END, &subject).await?;
                tracing::info!(booking_id = %id, reinstated, "confirmed");
            }
            Event::Released | Event::Expired | Event::Unplaced { .. } => {
                let release = |_span| day::Command::Release { booking_id: id };
                open.apply_to_days(tx, release).await?;
                tx.end_timer(HOLD_END, &subject).await?;
            }
            Event::Cancelled { .. } => {
                let cancel = |_span| day::Command::Cancel { booking_id: id };
                open.apply_to_days(tx, cancel).await?;
                // A room for a session that was cancelled would open for nobody.
                tx.end_timer(CREATE_MEETING, &subject).await?;
                tx.end_timer(SESSION_END, &subject).await?;
                tracing::info!(booking_id = %id, "cancelled");
            }
            Event::Requested { .. }
            | Event::Paid { .. }
            | Event::MeetingScheduled { .. }
            | Event::Completed => {}
        }
    }
    Ok(())
}

async fn set_timers(tx: &mut Tx, facts: &Facts, open: &OpenBooking) -> Result<(), Error> {
    let subject = facts.booking_id.to_string();
    let payload = timers::payload(tx);
    if let Some(last) = facts.sessions.last() {
        tx.set_timer(SESSION_END, &subject, last.ends_at(), payload.clone()).await?;
    }
    if facts.mode == Mode::Online {
        tx.set_timer(CREATE_MEETING, &subject, open.now, payload).await?;
    }
    Ok(())
}

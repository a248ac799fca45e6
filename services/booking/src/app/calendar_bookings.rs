//! Keeps an external scheduling provider's calendar as our bookings are: a confirmed session is
//! scheduled there, and one that does not take place is cancelled. What is to be done is read from
//! the bookings each time, so a death between two steps, and a provider that was down for a day,
//! leave nothing to repair.

use std::sync::Arc;

use eventstore::Metadata;
use kernel::Timestamp;

use super::App;
use crate::clients::scheduling::{
    CalendarBooking, CalendarBookingRequest, Provider, Scheduling, SchedulingError,
};
use crate::error::Error;
use crate::read_model::calendar_bookings::{self as rows, MissingSession, SessionKey, Unwanted};
use crate::read_model::view;
use crate::repository::scheduled_events;
use crate::timers::kinds::{self, KEEP_CALENDAR};

/// The timer's one subject.
pub const SUBJECT: &str = "provider";

/// The seconds between two looks when there is nothing to do.
const PERIOD_SECONDS: i64 = 15;
/// The longest pause after a failure, in seconds.
const PAUSE_SECONDS_MAX: i64 = 3600;

/// One thing that was done at the provider.
enum Step {
    Created(MissingSession, Result<CalendarBooking, SchedulingError>),
    Cancelled(Unwanted, Result<(), SchedulingError>),
    /// What was scheduled in the provider's widget and got no booking.
    GivenBack((CalendarBooking, i32), Result<(), SchedulingError>),
}

/// Tells the provider the next thing that it does not know, and sets the next look.
///
/// # Errors
/// When the database does not answer; that the provider fails is no error.
pub async fn keep_calendar(app: &Arc<App>, metadata: Metadata) -> Result<(), Error> {
    let now = app.store.now().await?;
    let step = match &app.scheduling {
        Scheduling::Own => None,
        Scheduling::External(provider) => next_step(app, provider, now).await?,
    };
    let is_external = matches!(app.scheduling, Scheduling::External(_));
    let step = Arc::new(step);
    app.store
        .write(metadata, move |tx| {
            let step = Arc::clone(&step);
            Box::pin(async move {
                let pause = match step.as_ref() {
                    None => PERIOD_SECONDS,
                    Some(step) => {
                        record(tx, step, now).await?;
                        0
                    }
                };
                if !is_external {
                    return Ok(tx.end_timer(KEEP_CALENDAR, SUBJECT).await?);
                }
                let next = tx.now().await?.plus_seconds(pause);
                tx.set_timer(KEEP_CALENDAR, SUBJECT, next, kinds::payload(tx)).await?;
                Ok::<(), Error>(())
            })
        })
        .await
}

async fn next_step(app: &App, provider: &Provider, now: Timestamp) -> Result<Option<Step>, Error> {
    let pool = app.store.pool();
    // Cancellations first: a time that is free here must not be taken there.
    if let Some(unwanted) = rows::next_unwanted(pool, now).await? {
        let outcome = provider.cancel(&unwanted.booking).await;
        return Ok(Some(Step::Cancelled(unwanted, outcome)));
    }
    if let Some((event, attempts)) = scheduled_events::next_ended(pool, now).await? {
        let outcome = provider.cancel(&event).await;
        return Ok(Some(Step::GivenBack((event, attempts), outcome)));
    }
    let Some(wanted) = rows::next_wanted(pool, now).await? else { return Ok(None) };
    let request = CalendarBookingRequest {
        booking_id: wanted.key.booking_id,
        session_number: wanted.key.number,
        session: wanted.session,
        first_name: wanted.first_name.clone(),
        last_name: wanted.last_name.clone(),
        email: wanted.email.clone(),
        time_zone: view::zone_name(&app.practice),
    };
    let outcome = provider.book(&request).await;
    Ok(Some(Step::Created(wanted, outcome)))
}

/// Records what came of a step. A booking that was cancelled meanwhile is found by the next look.
async fn record(tx: &mut eventstore::Tx, step: &Step, now: Timestamp) -> Result<(), Error> {
    match step {
        Step::Created(wanted, Ok(booking)) => {
            rows::created(tx, wanted.key, booking).await?;
            let SessionKey { booking_id, number, .. } = wanted.key;
            tracing::info!(%booking_id, number, "the provider's calendar has the session");
        }
        Step::Created(wanted, Err(error)) => {
            failed(tx, wanted.key, (error, wanted.attempts), now).await?;
        }
        Step::Cancelled(unwanted, Ok(())) => {
            rows::cancelled(tx, unwanted.key).await?;
            let SessionKey { booking_id, number, .. } = unwanted.key;
            tracing::info!(%booking_id, number, "the provider's calendar has the session no more");
        }
        Step::Cancelled(unwanted, Err(error)) => {
            failed(tx, unwanted.key, (error, unwanted.attempts), now).await?;
        }
        Step::GivenBack((event, attempts), outcome) => {
            let retry_at =
                outcome.as_ref().err().map(|error| now.plus_seconds(pause(error, *attempts)));
            scheduled_events::tried(tx, &event.event_uri, retry_at).await?;
            tracing::info!(done = outcome.is_ok(), "what got no booking is given back");
        }
    }
    Ok(())
}

async fn failed(
    tx: &mut eventstore::Tx,
    key: SessionKey,
    (error, attempts): (&SchedulingError, i32),
    now: Timestamp,
) -> Result<(), Error> {
    let pause = pause(error, attempts);
    // The provider's message may quote a client's address, so the log has only that it failed.
    let SessionKey { booking_id, number, .. } = key;
    tracing::warn!(%booking_id, number, pause, "the scheduling provider did not do it");
    rows::failed(tx, key, (&error.to_string(), now.plus_seconds(pause))).await?;
    Ok(())
}

/// The seconds until it is tried again: what the provider says, or twice as long each time.
fn pause(error: &SchedulingError, attempts: i32) -> i64 {
    let exponent = u32::try_from(attempts.clamp(0, 10)).unwrap_or(0);
    let doubled = 5_i64.saturating_mul(2_i64.saturating_pow(exponent));
    error.pause_seconds().unwrap_or(doubled.min(PAUSE_SECONDS_MAX))
}

/// Sets the first look, where the practice has an external provider. A timer that is there keeps
/// its lease: another process may be at it, and two at once would make an event twice.
pub async fn schedule_keeping(app: &Arc<App>) -> Result<(), Error> {
    if matches!(app.scheduling, Scheduling::Own) {
        return Ok(());
    }
    let metadata = Metadata::traced("booking");
    app.store
        .write(metadata, move |tx| {
            Box::pin(async move {
                if !tx.has_timer(KEEP_CALENDAR, SUBJECT).await? {
                    let now = tx.now().await?;
                    tx.set_timer(KEEP_CALENDAR, SUBJECT, now, kinds::payload(tx)).await?;
                }
                Ok(())
            })
        })
        .await
}

//! The probe holds and releases a time as a request does, of a practitioner that no practice can
//! name, and takes it back: no event, row or mail comes of it. What is committed is one timer that
//! no one waits for.

use std::sync::Arc;

use eventstore::{Metadata, StoreError, Tx, new_id};
use kernel::id::Booking;
use kernel::{CommandError, Timestamp};
use serde_json::json;

use super::App;
use crate::contract::day_stream;
use crate::domain::day::Command;
use crate::domain::span::Span;
use crate::error::{Error, Rejection};
use crate::repository::{LockedDay, day_lock};
use crate::timers::kinds::PROBE;

/// No id of a practice's practitioner has this sign, so no customer ever sees the day.
const PRACTITIONER: &str = "~probe";
/// How long the session would be, in minutes.
const SESSION_MINUTES: i64 = 60;
/// When the timer would fall due if the probe stopped, in minutes.
const TIMER_MINUTES: i64 = 60;

/// Holds a time, releases it, takes both back, and commits.
///
/// # Errors
/// When a request of a customer would not get through either.
pub async fn hold_and_release(app: Arc<App>) -> Result<(), Error> {
    let store = app.store.clone();
    store
        .write(Metadata::traced("booking"), move |tx| {
            let app = Arc::clone(&app);
            Box::pin(async move {
                tx.mark().await?;
                let rehearsed = rehearse(tx, &app).await;
                tx.undo().await?;
                let now = rehearsed?;
                tx.set_timer(PROBE, PRACTITIONER, now.plus_minutes(TIMER_MINUTES), json!({}))
                    .await?;
                Ok(())
            })
        })
        .await
}

/// Does what a request does to a day, up to the rows.
async fn rehearse(tx: &mut Tx, app: &App) -> Result<Timestamp, Error> {
    let now = tx.now().await?;
    let date = app.rules.date_of(now);
    tx.lock(&[day_lock(PRACTITIONER, date)]).await?;
    let (mut day, now) = LockedDay::load(tx, &app.rules, PRACTITIONER, date).await?;
    let (booking_id, until) = (new_id::<Booking>(), now.plus_minutes(SESSION_MINUTES));
    let span = Span::new(now, until).ok_or(CommandError::Rejected(Rejection::InvalidStart))?;
    day.apply(tx, Command::Hold { booking_id, span, until, now }).await?;
    day.apply(tx, Command::Release { booking_id }).await?;
    // To read the stream writes what waits to be written.
    let written = tx.load(&day_stream(PRACTITIONER, date)).await?.events.len();
    if written == 2 { Ok(now) } else { Err(StoreError::Conflict.into()) }
}

/// Ends the timer that the probe has left behind when it stopped.
pub async fn end_timer(app: &Arc<App>) -> Result<(), Error> {
    app.store
        .write(Metadata::by("booking", None), |tx| {
            Box::pin(async move { Ok(tx.end_timer(PROBE, PRACTITIONER).await?) })
        })
        .await
}

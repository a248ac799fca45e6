//! Tells a meeting provider the new time of a session that was moved, however often that takes. The
//! link stays. Rooms of other places than Zoom have no time.

use std::sync::Arc;

use eventstore::{Metadata, Tx};
use kernel::Id;
use kernel::id::Booking;

use super::App;
use super::schedule_meeting::{load_state, pause};
use crate::domain::booking::State;
use crate::domain::span::Span;
use crate::error::Error;
use crate::repository::{LockedBooking, meeting_rooms};
use crate::timers::kinds::MOVE_MEETING;

/// Moves the meeting, and ends the timer unless the session was moved once more meanwhile.
pub async fn move_meeting(
    app: &Arc<App>,
    metadata: Metadata,
    id: Id<Booking>,
) -> Result<(), Error> {
    let (_events, state) = load_state(app, id).await?;
    let told = session(&state);
    let number = meeting_rooms::number(app.store.pool(), id).await?;
    if let (Some(zoom), Some(span), Some(number)) = (app.meetings.zoom(), told, number) {
        match zoom.relocate(&number, span).await {
            Ok(true) => tracing::info!(booking_id = %id, "the meeting has its session's new time"),
            Ok(false) => tracing::warn!(booking_id = %id, "the meeting is not there any more"),
            Err(error) => {
                pause(app, metadata, MOVE_MEETING, id, &error).await?;
                return Err(Error::unavailable(error));
            }
        }
    }
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let app = Arc::clone(&app_for_task);
            Box::pin(async move { end_timer(tx, &app, id, told).await })
        })
        .await
}

/// The session of a booking that has a meeting.
fn session(state: &State) -> Option<Span> {
    match state {
        State::MeetingScheduled { facts, .. } => facts.session(1),
        State::Absent
        | State::Held { .. }
        | State::AwaitingPayment { .. }
        | State::Confirmed { .. }
        | State::Completed { .. }
        | State::Expired { .. }
        | State::Released { .. }
        | State::Cancelled { .. }
        | State::PaidUnplaced { .. } => None,
    }
}

async fn end_timer(
    tx: &mut Tx,
    app: &App,
    id: Id<Booking>,
    told: Option<Span>,
) -> Result<(), Error> {
    let locked = LockedBooking::load(tx, &app.rules, id).await?;
    if locked.is_none_or(|locked| session(&locked.state) == told) {
        tx.end_timer(MOVE_MEETING, &id.to_string()).await?;
    }
    Ok(())
}

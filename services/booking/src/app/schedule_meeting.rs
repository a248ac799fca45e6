//! Creates the meeting room of a confirmed online booking. The provider is called outside any
//! transaction, with the booking's id as idempotency key, so that a repeated call returns the same
//! room.

use std::sync::Arc;

use eventstore::Metadata;
use kernel::Id;
use kernel::id::Booking;

use super::App;
use crate::clients::meeting::{Room, RoomRequest};
use crate::domain::booking::{Command, MeetingId, State};
use crate::error::Error;
use crate::read_model::project;
use crate::repository::LockedBooking;
use crate::timers::kinds::CREATE_MEETING;

/// Requests the room and stores the result. If the provider doesn't answer, the timer retries and
/// the booking stays confirmed.
///
/// # Errors
/// When the provider or the database does not answer.
pub async fn schedule_meeting(
    app: &Arc<App>,
    metadata: Metadata,
    id: Id<Booking>,
) -> Result<(), Error> {
    let room = match room_request(app, id).await? {
        Some(request) => Some(app.meetings.create(&request).await.map_err(Error::unavailable)?),
        None => None,
    };
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let (app, room) = (Arc::clone(&app_for_task), room.clone());
            Box::pin(async move {
                if let Some(room) = room {
                    record(tx, &app, id, &room).await?;
                }
                Ok(tx.end_timer(CREATE_MEETING, &id.to_string()).await?)
            })
        })
        .await
}

/// The request to send, if the booking still needs a room.
async fn room_request(app: &App, id: Id<Booking>) -> Result<Option<RoomRequest>, Error> {
    let stream = crate::contract::booking_stream(id);
    let stored = app.store.load(&stream).await?;
    let events = stored
        .iter()
        .map(crate::contract::read_booking_event)
        .collect::<Result<Vec<_>, _>>()
        .map_err(Error::unavailable)?;
    let state = kernel::fold::<crate::domain::booking::BookingLife>(&events);
    let State::Confirmed { facts, .. } = state else { return Ok(None) };
    // A package has one room, asked for with its first session: providers take a day at most, and
    // the link stays.
    let Some(session) = facts.sessions.first() else { return Ok(None) };
    Ok(Some(RoomRequest {
        booking_id: id,
        title: format!("Session with {}", app.practice.practice.name),
        session: *session,
    }))
}

async fn record(
    tx: &mut eventstore::Tx,
    app: &App,
    id: Id<Booking>,
    room: &Room,
) -> Result<(), Error> {
    let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? else { return Ok(()) };
    let meeting = MeetingId(room.meeting_id.clone());
    if !locked.apply(tx, Command::ScheduleMeeting { meeting }).await?.is_empty() {
        project::join_url(tx, id, &room.join_url).await?;
        tracing::info!(booking_id = %id, "the meeting room exists");
    }
    Ok(())
}

//! A confirmed online booking gets its meeting room. The provider is asked outside any transaction,
//! with the booking's id as idempotency key, so that asking again gives the same room.

use std::sync::Arc;

use eventstore::Metadata;
use kernel::Id;
use kernel::id::Booking;

use super::{Desk, Error};
use crate::domain::booking::{Command, MeetingId, State};
use crate::meeting::{Room, Wanted};
use crate::read_model::project;
use crate::store::OpenBooking;
use crate::timers::CREATE_MEETING;

/// Asks for the room and writes down what came of it. While the provider does not answer the timer
/// tries again, and the booking stays confirmed.
///
/// # Errors
/// When the provider or the database does not answer.
pub async fn schedule_meeting(
    desk: &Arc<Desk>,
    metadata: Metadata,
    id: Id<Booking>,
) -> Result<(), Error> {
    let room = match wanted(desk, id).await? {
        Some(wanted) => Some(desk.meetings.create(&wanted).await.map_err(Error::unavailable)?),
        None => None,
    };
    let desk_for_task = Arc::clone(desk);
    desk.store
        .write(metadata, move |tx| {
            let (desk, room) = (Arc::clone(&desk_for_task), room.clone());
            Box::pin(async move {
                if let Some(room) = room {
                    record(tx, &desk, id, &room).await?;
                }
                Ok(tx.end_timer(CREATE_MEETING, &id.to_string()).await?)
            })
        })
        .await
}

/// What to ask for, while the booking still needs a room.
async fn wanted(desk: &Desk, id: Id<Booking>) -> Result<Option<Wanted>, Error> {
    let stream = crate::contract::booking_stream(id);
    let stored = desk.store.load(&stream).await?;
    let events = stored
        .iter()
        .map(crate::contract::read_booking_event)
        .collect::<Result<Vec<_>, _>>()
        .map_err(Error::unavailable)?;
    let state = kernel::fold::<crate::domain::booking::BookingLife>(&events);
    let State::Confirmed { facts, .. } = state else { return Ok(None) };
    let Some(session) = facts.sessions.first() else { return Ok(None) };
    Ok(Some(Wanted {
        booking_id: id,
        title: format!("Session with {}", desk.practice.practice.name),
        session: *session,
    }))
}

async fn record(
    tx: &mut eventstore::Tx,
    desk: &Desk,
    id: Id<Booking>,
    room: &Room,
) -> Result<(), Error> {
    let Some(mut open) = OpenBooking::load(tx, &desk.rules, id).await? else { return Ok(()) };
    let meeting = MeetingId(room.meeting_id.clone());
    if !open.apply(tx, Command::ScheduleMeeting { meeting }).await?.is_empty() {
        project::join_url(tx, id, &room.join_url).await?;
        tracing::info!(booking_id = %id, "the meeting room exists");
    }
    Ok(())
}

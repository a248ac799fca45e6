//! Creates the meeting room of a confirmed online booking. A provider is called outside any
//! transaction, with the booking's id as idempotency key, so that a repeated call returns the same
//! room.

use std::sync::Arc;

use contract::booking::v1::RoomMissing;
use eventstore::{Metadata, NewEvent, StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::App;
use crate::clients::meetings::{Room, RoomRequest};
use crate::contract::room_stream;
use crate::domain::booking::{Command, Event, MeetingId, State};
use crate::domain::room_duty::sessions_due;
use crate::domain::span::Span;
use crate::error::Error;
use crate::read_model::project;
use crate::read_model::view::zone_name;
use crate::repository::LockedBooking;
use crate::timers::kinds::CREATE_MEETING;

/// Requests the room and stores the result. If the provider doesn't answer, the timer retries and
/// the booking stays confirmed; a day before a session the practice's room for that becomes its
/// room, or the practice is told.
pub async fn schedule_meeting(
    app: &Arc<App>,
    metadata: Metadata,
    id: Id<Booking>,
) -> Result<(), Error> {
    let room = match meeting_request(app, id).await? {
        Some(meeting) => match app.meetings.create(&meeting.request).await {
            Ok(room) => Some(room),
            Err(error) => match fallback(app, &meeting).await? {
                Some(room) => Some(room),
                None => {
                    report_missing(app, metadata, &meeting).await?;
                    return Err(Error::unavailable(error));
                }
            },
        },
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

/// A room that a booking still needs.
struct MeetingRequest {
    request: RoomRequest,
    /// When each session is that was not cancelled, by its number.
    sessions: Vec<Option<Span>>,
    confirmed_at: Timestamp,
}

impl MeetingRequest {
    /// The sessions that have to have their room by now.
    fn due(&self, now: Timestamp) -> Vec<usize> {
        sessions_due(self.sessions.iter().copied(), self.confirmed_at, now)
    }
}

/// What to ask the provider for, if the booking still needs a room.
async fn meeting_request(app: &Arc<App>, id: Id<Booking>) -> Result<Option<MeetingRequest>, Error> {
    let stream = crate::contract::booking_stream(id);
    let stored = app.store.load(&stream).await?;
    let events = stored
        .iter()
        .map(crate::contract::read_booking_event)
        .collect::<Result<Vec<_>, _>>()
        .map_err(Error::unavailable)?;
    let state = kernel::fold::<crate::domain::booking::BookingLife>(&events);
    let State::Confirmed { facts, .. } = &state else { return Ok(None) };
    // A package has one room, asked for with its first session: providers take a day at most, and
    // the link stays.
    let Some(session) = facts.sessions.first() else { return Ok(None) };
    let is_confirmation = |event: &Event| matches!(event, Event::Confirmed { .. });
    let confirmed = events.iter().zip(&stored).rfind(|(event, _)| is_confirmation(event));
    let Some((_, confirmed)) = confirmed else { return Ok(None) };
    let sessions = facts.sessions.iter().zip(1..);
    let sessions =
        sessions.map(|(span, number)| (!state.is_session_cancelled(number)).then_some(*span));
    Ok(Some(MeetingRequest {
        request: RoomRequest {
            booking_id: id,
            practitioner_id: facts.practitioner_id.clone(),
            title: format!("Session with {}", app.practice.practice.name),
            session: *session,
            is_package: facts.sessions.len() > 1,
            time_zone: zone_name(&app.practice),
        },
        sessions: sessions.collect(),
        confirmed_at: confirmed.recorded_at,
    }))
}

/// The practice's room for when the provider is away, once a session has to have one.
async fn fallback(app: &App, meeting: &MeetingRequest) -> Result<Option<Room>, Error> {
    let request = &meeting.request;
    let Some(link) = app.practice.fallback_link(&request.practitioner_id) else { return Ok(None) };
    if meeting.due(app.store.now().await?).is_empty() {
        return Ok(None);
    }
    tracing::warn!(booking_id = %request.booking_id, "the fallback link is the room");
    let (meeting_id, join_url) = (request.booking_id.to_string(), link.as_str().to_owned());
    Ok(Some(Room { meeting_id, join_url }))
}

/// Tells, once for each session, that its room has to be there and is not.
async fn report_missing(
    app: &App,
    metadata: Metadata,
    meeting: &MeetingRequest,
) -> Result<(), Error> {
    let now = app.store.now().await?;
    let due = meeting.due(now);
    if due.is_empty() {
        return Ok(());
    }
    let id = meeting.request.booking_id;
    let number = |it: usize| if meeting.request.is_package { i32::try_from(it).unwrap_or(0) } else { 0 };
    let due: Arc<[i32]> = due.into_iter().map(number).collect();
    app.store
        .write(metadata, move |tx| {
            let due = Arc::clone(&due);
            Box::pin(async move { append_missing(tx, id, &due).await })
        })
        .await?;
    Ok(())
}

async fn append_missing(tx: &mut Tx, id: Id<Booking>, due: &[i32]) -> Result<(), StoreError> {
    let stream = room_stream(id);
    let known = tx.load(&stream).await?;
    let mut told = Vec::new();
    for event in &known.events {
        told.extend(event.get::<RoomMissing>()?.map(|event| event.session_number));
    }
    let news = due.iter().filter(|number| !told.contains(number)).map(|number| {
        NewEvent::of(&RoomMissing { booking_id: id.to_string(), session_number: *number })
    });
    let news = news.collect::<Result<Vec<_>, _>>()?;
    if !news.is_empty() {
        tx.append(&stream, known.version, &news).await?;
        tracing::warn!(booking_id = %id, "a session has no room and starts in less than a day");
    }
    Ok(())
}

async fn record(tx: &mut Tx, app: &App, id: Id<Booking>, room: &Room) -> Result<(), Error> {
    let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? else { return Ok(()) };
    let meeting = MeetingId(room.meeting_id.clone());
    if !locked.apply(tx, Command::ScheduleMeeting { meeting }).await?.is_empty() {
        project::join_url(tx, id, &room.join_url).await?;
        tracing::info!(booking_id = %id, "the meeting room exists");
    }
    Ok(())
}

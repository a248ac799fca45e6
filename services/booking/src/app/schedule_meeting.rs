//! Creates the meeting room of a confirmed online booking. A provider is called outside any
//! transaction, and a repeated call returns the same room: by the booking's id as idempotency key,
//! or, where the provider knows none, by what was written down before it was asked.

use std::sync::Arc;

use contract::booking::v1::RoomMissing;
use eventstore::{Metadata, NewEvent, Recorded, StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::App;
use crate::clients::meetings::{Intent, MeetingError, Room, RoomRequest, Zoom, ZoomMeeting};
use crate::contract::{booking_stream, read_booking_event, room_stream};
use crate::domain::booking::{BookingLife, Command, Event, MeetingId, Mode, State};
use crate::domain::room_duty::sessions_due;
use crate::domain::span::Span;
use crate::error::Error;
use crate::read_model::project;
use crate::read_model::view::zone_name;
use crate::repository::{LockedBooking, meeting_rooms};
use crate::timers::kinds::{CREATE_MEETING, payload};

/// A room, and what becomes of what was made at a provider.
#[derive(Debug, Clone)]
struct MadeRoom {
    room: Room,
    /// The provider's number of it, where we wrote down that we ask for it.
    number: Option<String>,
    /// Whether it is the practice's room for when the provider is away.
    is_fallback: bool,
}

impl From<Room> for MadeRoom {
    fn from(room: Room) -> Self {
        Self { room, number: None, is_fallback: false }
    }
}

/// Requests the room and stores the result. If the provider doesn't answer, the timer retries and
/// the booking stays confirmed; a day before a session the practice's room for that becomes its
/// room, or the practice is told.
pub async fn schedule_meeting(
    app: &Arc<App>,
    metadata: Metadata,
    id: Id<Booking>,
) -> Result<(), Error> {
    let meeting = meeting_request(app, id).await?;
    let whose = meeting.as_ref().map(|meeting| meeting.request.practitioner_id.as_str());
    let whose: Arc<str> = whose.unwrap_or_default().into();
    let made = match meeting {
        Some(meeting) => match ask(app, &metadata, &meeting.request).await? {
            Ok(made) => Some(made),
            Err(error) => match spare(app, &metadata, &meeting, &error).await? {
                Some(made) => Some(made),
                None => {
                    pause(app, metadata, CREATE_MEETING, id, &error).await?;
                    return Err(Error::unavailable(error));
                }
            },
        },
        None => None,
    };
    let app_for_task = Arc::clone(app);
    let orphan = app
        .store
        .write(metadata, move |tx| {
            let (app, made) = (Arc::clone(&app_for_task), made.clone());
            let whose = Arc::clone(&whose);
            Box::pin(async move { record(tx, &app, id, &whose, made.as_ref()).await })
        })
        .await?;
    if let Some((number, zoom)) = orphan.zip(app.meetings.zoom())
        && zoom.delete(&number).await.is_err()
    {
        tracing::warn!(booking_id = %id, "a second meeting was made, and is left at the provider");
    }
    Ok(())
}

/// Asks for the room, after what has to be written down is.
async fn ask(
    app: &Arc<App>,
    metadata: &Metadata,
    request: &RoomRequest,
) -> Result<Result<MadeRoom, MeetingError>, Error> {
    let Some((intent, zoom)) = app.meetings.intent(request).zip(app.meetings.zoom()) else {
        return Ok(app.meetings.create(request).await.map(MadeRoom::from));
    };
    let is_first = write_intent(app, metadata.clone(), request.booking_id, &intent).await?;
    let Some(is_first) = is_first else {
        let before = meeting_rooms::ending(app.store.pool(), request.booking_id).await?;
        let stays = before.is_some_and(|room| room.attempts > 0);
        return Ok(Err(MeetingError::EarlierRoom { stays }));
    };
    let found = made_once(zoom, request, &intent, is_first).await;
    Ok(found.map(|ZoomMeeting { number, join_url }| MadeRoom {
        room: Room { meeting_id: intent.mark, join_url },
        number: Some(number),
        is_fallback: false,
    }))
}

/// Makes a meeting, unless an earlier call has made it and its answer was lost.
async fn made_once(
    zoom: &Zoom,
    request: &RoomRequest,
    intent: &Intent,
    is_first: bool,
) -> Result<ZoomMeeting, MeetingError> {
    let Intent { user, mark } = intent;
    let known = if is_first { None } else { zoom.find(user, mark).await? };
    match known {
        Some(known) => Ok(known),
        None => zoom.create(user, request, mark).await,
    }
}

/// Writes down that the room is asked for: see [`meeting_rooms::ask`].
async fn write_intent(
    app: &App,
    metadata: Metadata,
    id: Id<Booking>,
    intent: &Intent,
) -> Result<Option<bool>, Error> {
    let intent = Arc::new(intent.clone());
    app.store
        .write(metadata, move |tx| {
            let intent = Arc::clone(&intent);
            Box::pin(async move { Ok(meeting_rooms::ask(tx, id, &intent).await?) })
        })
        .await
}

/// What becomes the room where none was made: the practice's room for that, or nothing, which the
/// practice is told. The room of the practitioner before is gone in a moment: that is waited for,
/// unless its removal failed.
async fn spare(
    app: &Arc<App>,
    metadata: &Metadata,
    meeting: &MeetingRequest,
    error: &MeetingError,
) -> Result<Option<MadeRoom>, Error> {
    if matches!(error, MeetingError::EarlierRoom { stays: false }) {
        return Ok(None);
    }
    let spare = fallback(app, meeting).await?;
    if spare.is_none() {
        report_missing(app, metadata.clone(), meeting).await?;
    }
    Ok(spare)
}

/// The practice's room for when the provider is away, once a session has to have one.
async fn fallback(app: &App, meeting: &MeetingRequest) -> Result<Option<MadeRoom>, Error> {
    let request = &meeting.request;
    let Some(link) = app.practice.fallback_link(&request.practitioner_id) else { return Ok(None) };
    if meeting.due(app.store.now().await?).is_empty() {
        return Ok(None);
    }
    tracing::warn!(booking_id = %request.booking_id, "the fallback link is the room");
    let (meeting_id, join_url) = (request.booking_id.to_string(), link.as_str().to_owned());
    Ok(Some(MadeRoom { is_fallback: true, ..Room { meeting_id, join_url }.into() }))
}

/// Asks the provider no earlier than it wants to be asked, by the timer of this kind.
pub(super) async fn pause(
    app: &App,
    metadata: Metadata,
    kind: &'static str,
    id: Id<Booking>,
    error: &MeetingError,
) -> Result<(), Error> {
    let Some(seconds) = error.pause_seconds() else { return Ok(()) };
    app.store
        .write(metadata, move |tx| {
            Box::pin(async move {
                let due = tx.now().await?.plus_seconds(seconds);
                let payload = payload(tx);
                Ok(tx.set_timer(kind, &id.to_string(), due, payload).await?)
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
    let (stored, state) = load_state(app, id).await?;
    let State::Confirmed { facts, .. } = &state else { return Ok(None) };
    // A package has one room, asked for with its first session: providers take a day at most, and
    // the link stays.
    let Some(session) = facts.sessions.first() else { return Ok(None) };
    let is_confirmation =
        |(event, _): &&(Event, Recorded)| matches!(event, Event::Confirmed { .. });
    let confirmed = stored.iter().rfind(is_confirmation);
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

/// A booking's events, and the state that they lead to, read without a lock.
pub(super) async fn load_state(
    app: &App,
    id: Id<Booking>,
) -> Result<(Vec<(Event, Recorded)>, State), Error> {
    let stored = app.store.load(&booking_stream(id)).await?;
    let events = stored.iter().map(read_booking_event).collect::<Result<Vec<_>, _>>();
    let events = events.map_err(Error::unavailable)?;
    let state = kernel::fold::<BookingLife>(&events);
    Ok((events.into_iter().zip(stored).collect(), state))
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
    let number =
        |it: usize| if meeting.request.is_package { i32::try_from(it).unwrap_or(0) } else { 0 };
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

/// Records a room, ends the timer, and returns what was made besides: a number that is not the
/// room's. A booking that got another practitioner meanwhile needs another room, so that the timer
/// stays.
async fn record(
    tx: &mut Tx,
    app: &App,
    id: Id<Booking>,
    asked_for: &str,
    made: Option<&MadeRoom>,
) -> Result<Option<String>, Error> {
    let subject = id.to_string();
    let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? else {
        tx.end_timer(CREATE_MEETING, &subject).await?;
        return Ok(None);
    };
    // A meeting that is to be removed is no room, also where its practitioner is back meanwhile.
    let is_ending = matches!(locked.state, State::Confirmed { .. })
        && made.is_some_and(|made| made.number.is_some())
        && meeting_rooms::ending(tx.connection(), id).await?.is_some();
    if is_ending || needs_other_room(&locked.state, asked_for) {
        return Ok(made.and_then(|made| made.number.clone()));
    }
    tx.end_timer(CREATE_MEETING, &subject).await?;
    let Some(made) = made else { return Ok(None) };
    let meeting = MeetingId(made.room.meeting_id.clone());
    if !locked.apply(tx, Command::ScheduleMeeting { meeting }).await?.is_empty() {
        project::join_url(tx, id, &made.room.join_url).await?;
        tracing::info!(booking_id = %id, "the meeting room exists");
    }
    let orphan = match &made.number {
        Some(number) => {
            let kept = meeting_rooms::made(tx, id, number).await?;
            Some(number.clone()).filter(|number| kept.is_some_and(|kept| kept != *number))
        }
        None => None,
    };
    // What was cancelled meanwhile, or has another room, needs none at the provider.
    if made.is_fallback || !matches!(locked.state, State::MeetingScheduled { .. }) {
        meeting_rooms::end(tx, id).await?;
    }
    Ok(orphan)
}

/// Whether a booking waits for the room of another practitioner than this one.
fn needs_other_room(state: &State, asked_for: &str) -> bool {
    match state {
        State::Confirmed { facts, .. } => {
            facts.mode == Mode::Online && facts.practitioner_id != asked_for
        }
        State::Absent
        | State::Held { .. }
        | State::AwaitingPayment { .. }
        | State::MeetingScheduled { .. }
        | State::Completed { .. }
        | State::Expired { .. }
        | State::Released { .. }
        | State::Cancelled { .. }
        | State::PaidUnplaced { .. } => false,
    }
}

//! The times to which a session can be moved.

use contract::booking::v1 as wire;
use contract::convert::{self, to_wire};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};

use super::App;
use super::list_slots::{Calendar, Days, dates};
use super::own_actor::OwnActor;
use super::practitioner_choice::eligible_practitioners;
use super::schedule_meeting::load_state;
use super::suggested_times::suggested_times;
use crate::contract::read_number;
use crate::domain::booking::{Movable, MoveRequest, MovedBy};
use crate::domain::practitioners::OccupiedTime;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::view::{self, View};

/// The times of a client's own booking.
///
/// # Errors
/// `BookingNotFound` for another account's, and why the session can't be moved.
pub async fn preview_own_move(
    app: &App,
    actor: impl Into<OwnActor>,
    request: &wire::PreviewOwnMoveRequest,
) -> Result<wire::PreviewOwnMoveResponse, Error> {
    let customer_id = actor.into().customer_id;
    let id = parse_id(&request.booking_id)?;
    let days = dates(&request.from_date, request.days)?;
    let number = parse_number(request.session_number)?;
    let view = load(app, id).await?;
    if view.customer_id != customer_id {
        return Err(refuse(Rejection::BookingNotFound));
    }
    let now = app.store.now().await?;
    let movable = movable(app, &view, number, MovedBy::Customer, now).await?;
    Ok(wire::PreviewOwnMoveResponse {
        slots: Some(times(app, &view, &movable, days, now).await?),
        movable_until_at: Some(to_wire(movable.until)),
        moves_left: movable.left.into(),
        suggested_starts_at: suggested_times(app, &view, now).await?,
    })
}

/// A single session that its own client could move now, and its booking.
///
/// # Errors
/// `BookingNotFound` for another account's, and why it can't be moved.
pub(super) async fn own_movable(
    app: &App,
    customer_id: Id<Customer>,
    id: Id<Booking>,
) -> Result<(View, Movable), Error> {
    let view = load(app, id).await?;
    if view.customer_id != customer_id {
        return Err(refuse(Rejection::BookingNotFound));
    }
    let now = app.store.now().await?;
    let movable = movable(app, &view, 1, MovedBy::Customer, now).await?;
    Ok((view, movable))
}

/// The times of a booking, for staff.
///
/// # Errors
/// `BookingNotFound`, and why the session can't be moved.
pub async fn preview_move(
    app: &App,
    request: &wire::PreviewMoveRequest,
) -> Result<(Id<Booking>, wire::ListSlotsResponse), Error> {
    let id = parse_id(&request.booking_id)?;
    let days = dates(&request.from_date, request.days)?;
    let number = parse_number(request.session_number)?;
    let view = load(app, id).await?;
    let now = app.store.now().await?;
    let movable = movable(app, &view, number, MovedBy::CustomerAsked, now).await?;
    let listed = match heir(app, id, &request.practitioner_id).await? {
        Some(heir) => times_of_heir(app, &heir, &movable, days, now).await?,
        None => times(app, &view, &movable, days, now).await?,
    };
    Ok((id, listed))
}

/// The practitioner to whom staff want to move a session; `None` for the one who has it.
///
/// # Errors
/// `PractitionerNotFound`, `PractitionerNotOffered`, or `KeepsPractitioner` of a package.
pub(super) async fn heir(
    app: &App,
    id: Id<Booking>,
    practitioner_id: &str,
) -> Result<Option<String>, Error> {
    if practitioner_id.is_empty() {
        return Ok(None);
    }
    let booking = load(app, id).await?.booking;
    if booking.practitioner_id == practitioner_id {
        return Ok(None);
    }
    let offering = app.catalogue.offering(&booking.service_id).await;
    let offering = offering.map_err(|error| match error {
        Error::Rejected(Rejection::ServiceNotFound) => refuse(Rejection::PractitionerNotOffered),
        other => other,
    })?;
    eligible_practitioners(app, &offering, Some(practitioner_id))?;
    if booking.sessions.len() > 1 {
        return Err(refuse(Rejection::KeepsPractitioner));
    }
    Ok(Some(practitioner_id.to_owned()))
}

async fn load(app: &App, id: Id<Booking>) -> Result<View, Error> {
    let view = view::load(app.store.pool(), &app.practice, id).await?;
    view.ok_or(refuse(Rejection::BookingNotFound))
}

async fn movable(
    app: &App,
    view: &View,
    number: usize,
    by: MovedBy,
    now: Timestamp,
) -> Result<Movable, Error> {
    let (_events, state) = load_state(app, parse_id(&view.booking.booking_id)?).await?;
    let policy = view.booking.cancellation_policy.as_ref();
    let unwritten = policy.and_then(convert::cancellation_policy);
    let unwritten = unwritten.ok_or(refuse(Rejection::NotMovable))?;
    let request = MoveRequest { number, by, practitioner_id: None, unwritten };
    let movable = Movable::of(&state, &request, now);
    movable.map_err(|rejection| refuse(rejection.into()))
}

/// The days of its practitioner as if the session were not there, without its own start.
async fn times(
    app: &App,
    view: &View,
    movable: &Movable,
    days: Days,
    now: Timestamp,
) -> Result<wire::ListSlotsResponse, Error> {
    let own = movable.span;
    let practitioner = app.practitioners.get(&view.booking.practitioner_id);
    let practitioner = practitioner.ok_or(refuse(Rejection::SlotNotOffered))?;
    let is_own = |time: &OccupiedTime| time.is_session && time.span == own;
    let is_other = |time: &OccupiedTime| movable.leaves_closed || !is_own(time);
    let calendar = Calendar::read(app, practitioner, now, is_other).await?;
    let minutes = i32::try_from(own.minutes()).unwrap_or(0);
    let mut listed = days.list(app, &[calendar], minutes, now)?;
    let own_start = Some(to_wire(own.starts_at()));
    let slots = listed.days.iter_mut().flat_map(|day| &mut day.slots);
    for slot in slots.filter(|slot| slot.starts_at == own_start) {
        slot.available = false;
    }
    Ok(listed)
}

/// The days of another practitioner, who may give the session at its own time, too.
async fn times_of_heir(
    app: &App,
    practitioner_id: &str,
    movable: &Movable,
    days: Days,
    now: Timestamp,
) -> Result<wire::ListSlotsResponse, Error> {
    let practitioner = app.practitioners.get(practitioner_id);
    let practitioner = practitioner.ok_or(refuse(Rejection::SlotNotOffered))?;
    let calendar = Calendar::read(app, practitioner, now, |_all| true).await?;
    let minutes = i32::try_from(movable.span.minutes()).unwrap_or(0);
    days.list(app, &[calendar], minutes, now)
}

/// Reads a booking's id.
pub(super) fn parse_id(text: &str) -> Result<Id<Booking>, Error> {
    text.parse().map_err(|_malformed| refuse(Rejection::BookingNotFound))
}

/// Reads the number of a session; without one it is that of a single booking.
pub(super) fn parse_number(number: i32) -> Result<usize, Error> {
    let number = if number == 0 { 1 } else { number };
    read_number(number).ok_or(refuse(Rejection::SessionNotFound))
}

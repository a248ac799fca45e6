//! The times to which a session can be moved.

use contract::booking::v1 as wire;
use contract::convert::{self, to_wire};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};

use super::App;
use super::list_slots::{Calendar, Days, dates};
use super::schedule_meeting::load_state;
use crate::contract::read_number;
use crate::domain::booking::{Movable, MoveRequest, MovedBy};
use crate::domain::package::PackageTerms;
use crate::domain::practitioners::OccupiedTime;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::view::{self, View};

/// The times of a client's own booking.
///
/// # Errors
/// `BookingNotFound` for another account's, and why the session can't be moved.
pub async fn preview_own_move(
    app: &App,
    customer_id: Id<Customer>,
    request: &wire::PreviewOwnMoveRequest,
) -> Result<wire::PreviewOwnMoveResponse, Error> {
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
    Ok((id, times(app, &view, &movable, days, now).await?))
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
    let movable = Movable::of(&state, &MoveRequest { number, by, unwritten }, now);
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
    let is_other = |time: &OccupiedTime| !(time.is_session && time.span == own);
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

/// The terms of a booking's package, if it is still offered.
pub(super) async fn package_terms(
    app: &App,
    id: Id<Booking>,
) -> Result<Option<PackageTerms>, Error> {
    let booking = load(app, id).await?.booking;
    let Some(package) = booking.package else { return Ok(None) };
    let offering = app.catalogue.offering(&booking.service_id).await;
    let packages = match offering {
        Ok(offering) => offering.packages,
        Err(Error::Rejected(Rejection::ServiceNotFound)) => Vec::new(),
        Err(error) => return Err(error),
    };
    Ok(packages.into_iter().find(|terms| terms.package.id == package.package_id))
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

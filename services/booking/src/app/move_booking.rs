//! A session gets another time of its practitioner, by its client or by staff. Both days and the
//! booking change in one transaction.

use std::sync::Arc;

use contract::booking::v1 as wire;
use contract::convert::timestamp;
use eventstore::Tx;
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};
use service::{IdempotencyKey, once};
use staff::Staff;

use super::App;
use super::cancel_booking::unwritten_policy;
use super::move_times::{package_terms, parse_id, parse_number};
use super::request::parse_key;
use crate::contract::read_moved_by;
use crate::domain::booking::{Facts, MoveRequest, MovedBy};
use crate::domain::package::{PackageTerms, WrongDates};
use crate::domain::span::Span;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::{busy_times, query};
use crate::repository::LockedBooking;
use crate::repository::waiting::{self, Ending};

/// The methods' names, in idempotency keys and the audit log.
pub const METHOD: &str = "MoveBooking";
const OWN: &str = "MoveOwnBooking";

/// A move as it is asked for.
#[derive(Debug, Clone, Copy)]
struct RequestedMove {
    id: Id<Booking>,
    /// Whose it has to be; `None` for staff.
    owner: Option<Id<Customer>>,
    /// The number of the session, from 1.
    number: usize,
    /// When it starts by what was shown.
    shown: Timestamp,
    /// When it is to start.
    starts_at: Timestamp,
    by: MovedBy,
}

/// Moves a session of an account's booking.
///
/// # Errors
/// `BookingNotFound` for another account's, what the policy or the timetable refuses, and
/// `ChangedSince`.
pub async fn move_own_booking(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    mut request: wire::MoveOwnBookingRequest,
) -> Result<Id<Booking>, Error> {
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let asked = RequestedMove {
        id: parse_id(&request.booking_id)?,
        owner: Some(customer_id),
        number: parse_number(request.session_number)?,
        shown: instant(request.shown_starts_at.as_ref())?,
        starts_at: instant(request.starts_at.as_ref())?,
        by: MovedBy::Customer,
    };
    let key = IdempotencyKey::of(&customer_id, OWN, key, &request);
    moved(app, key, asked, None).await
}

/// Staff move a session.
///
/// # Errors
/// `BookingNotFound`, `InvalidMovedBy`, what the timetable refuses, and `ChangedSince`.
pub async fn move_booking(
    app: &Arc<App>,
    staff: Staff,
    mut request: wire::MoveBookingRequest,
) -> Result<Id<Booking>, Error> {
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let by = read_moved_by(request.moved_by).filter(|by| *by != MovedBy::Customer);
    let asked = RequestedMove {
        id: parse_id(&request.booking_id)?,
        owner: None,
        number: parse_number(request.session_number)?,
        shown: instant(request.shown_starts_at.as_ref())?,
        starts_at: instant(request.starts_at.as_ref())?,
        by: by.ok_or(refuse(Rejection::InvalidMovedBy))?,
    };
    let key = IdempotencyKey::of(&staff.id, METHOD, key, &request);
    moved(app, key, asked, Some(staff)).await
}

async fn moved(
    app: &Arc<App>,
    key: IdempotencyKey,
    asked: RequestedMove,
    staff: Option<Staff>,
) -> Result<Id<Booking>, Error> {
    let terms = package_terms(app, asked.id).await?.map(Arc::new);
    let command = once(key, (&app.store, app), staff, asked.id, move |tx, app| {
        let terms = terms.clone();
        Box::pin(async move { relocate(tx, app, asked, terms.as_deref()).await })
    });
    command.await
}

async fn relocate(
    tx: &mut Tx,
    app: &App,
    asked: RequestedMove,
    terms: Option<&PackageTerms>,
) -> Result<(), Error> {
    let RequestedMove { id, number, shown, starts_at, by, .. } = asked;
    let date = app.rules.date_of(starts_at);
    let locked = LockedBooking::load_with_day(tx, &app.rules, id, date).await?;
    let is_own = |facts: &Facts| asked.owner.is_none_or(|owner| owner == facts.customer_id);
    let locked = locked.filter(|locked| locked.state.facts().is_some_and(is_own));
    let mut locked = locked.ok_or(refuse(Rejection::BookingNotFound))?;
    let request = MoveRequest { number, by, unwritten: unwritten_policy(tx, app).await? };
    let to = {
        let facts = locked.state.facts().ok_or(refuse(Rejection::BookingNotFound))?;
        let from = facts.session(number).ok_or(refuse(Rejection::SessionNotFound))?;
        let to = offered(app, facts, from, starts_at, locked.now)?;
        // What is refused whatever the time is said first.
        if to != from {
            locked.check_move(&request, shown)?;
            check_dates(app, facts, number, to, terms)?;
            check_free(tx, facts, to).await?;
        }
        to
    };
    let took_offer = asked.owner.is_some() && locked.take_offer(tx, to).await?;
    locked.relocate(tx, request, shown, to).await?;
    if took_offer {
        waiting::end_of_booking(tx, id, Ending::Booked).await?;
    }
    Ok(())
}

/// The session at its new start, as long as it was, if its practitioner's timetable offers that.
fn offered(
    app: &App,
    facts: &Facts,
    from: Span,
    starts_at: Timestamp,
    now: Timestamp,
) -> Result<Span, Error> {
    if from.starts_at() == starts_at {
        return Ok(from);
    }
    let practitioner = app.practitioners.get(&facts.practitioner_id);
    let practitioner = practitioner.ok_or(refuse(Rejection::SlotNotOffered))?;
    let minutes = i32::try_from(from.minutes()).unwrap_or(0);
    let offer = practitioner.rules.offer(starts_at, minutes, &[], now);
    offer.map_err(|why| refuse(why.into()))
}

/// A package's sessions are on different dates, and no further apart than it allows. `terms` are
/// those of a package that is still offered.
fn check_dates(
    app: &App,
    facts: &Facts,
    number: usize,
    to: Span,
    terms: Option<&PackageTerms>,
) -> Result<(), Error> {
    let sessions = facts.numbers().zip(&facts.sessions);
    let dates: Vec<_> = sessions
        .map(|(other, span)| if other == number { to } else { *span })
        .map(|span| app.rules.date_of(span.starts_at()))
        .collect();
    if dates.windows(2).any(|pair| pair.first() >= pair.last()) {
        return Err(refuse(Rejection::OutOfOrder));
    }
    match terms.map(|terms| (terms.check(&dates), terms.within_days)) {
        Some((Err(WrongDates::TooFarApart), days)) => {
            Err(refuse(Rejection::DatesTooFarApart(days)))
        }
        // A package that has another number of sessions by now says nothing of this one.
        Some((Ok(()) | Err(WrongDates::Count | WrongDates::Same), _)) | None => Ok(()),
    }
}

/// Neither the practitioner's own calendar nor another session of the client is at the time.
async fn check_free(tx: &mut Tx, facts: &Facts, to: Span) -> Result<(), Error> {
    let busy = busy_times::are_busy(tx, &[(facts.practitioner_id.as_str(), to)]).await?;
    if busy.contains(&true) {
        return Err(refuse(Rejection::SlotTaken));
    }
    if query::overlaps_own(tx, facts, to).await? {
        return Err(refuse(Rejection::OverlapsOwnSession));
    }
    Ok(())
}

fn instant(wire: Option<&prost_types::Timestamp>) -> Result<Timestamp, Error> {
    wire.and_then(timestamp).ok_or(refuse(Rejection::InvalidStart))
}

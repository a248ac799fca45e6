//! A session gets another time, by its client or by staff, or another practitioner, by staff. Both
//! days and the booking change in one transaction.

use std::sync::Arc;

use contract::booking::v1 as wire;
use contract::convert::timestamp;
use eventstore::Tx;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use service::{IdempotencyKey, once};
use staff::Staff;

use super::App;
use super::cancel_booking::unwritten_policy;
use super::move_dates::{check_dates, package_terms};
use super::move_reason::Said;
use super::move_times::{heir, parse_id, parse_number};
use super::own_actor::{OwnActor, is_displaced};
use super::request::parse_key;
use crate::contract::read_moved_by;
use crate::domain::booking::{Facts, MoveRequest, MovedBy};
use crate::domain::package::PackageTerms;
use crate::domain::page_code::PageAct;
use crate::domain::span::Span;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::{busy_times, query};
use crate::repository::waiting::{self, Ending};
use crate::repository::{LockedBooking, OtherDay};

/// The methods' names, in idempotency keys and the audit log.
pub const METHOD: &str = "MoveBooking";
const OWN: &str = "MoveOwnBooking";

/// A move as it is asked for.
#[derive(Debug, Clone, Copy)]
struct RequestedMove {
    id: Id<Booking>,
    /// Whose it has to be, and what shows that; `None` for staff.
    owner: Option<OwnActor>,
    /// The number of the session, from 1.
    number: usize,
    /// When it starts by what was shown.
    shown: Timestamp,
    /// When it is to start.
    starts_at: Timestamp,
    by: MovedBy,
}

/// Moves a session of a client's own booking.
///
/// # Errors
/// `BookingNotFound` for another client's, what the policy or the timetable refuses, that a code is
/// needed, and `ChangedSince`.
pub async fn move_own_booking(
    app: &Arc<App>,
    actor: impl Into<OwnActor>,
    mut request: wire::MoveOwnBookingRequest,
) -> Result<Id<Booking>, Error> {
    let actor: OwnActor = actor.into();
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let asked = RequestedMove {
        id: parse_id(&request.booking_id)?,
        owner: Some(actor),
        number: parse_number(request.session_number)?,
        shown: instant(request.shown_starts_at.as_ref())?,
        starts_at: instant(request.starts_at.as_ref())?,
        by: MovedBy::Customer,
    };
    let key = IdempotencyKey::of(&actor.customer_id, OWN, key, &request);
    moved(app, key, asked, None, ByStaff::default()).await
}

/// What staff say of a move beside its time.
#[derive(Clone, Default)]
struct ByStaff {
    /// Who is to give the session; `None` for the one who has it.
    practitioner_id: Option<String>,
    said: Option<Said>,
}

/// Staff move a session.
///
/// # Errors
/// `BookingNotFound`, `InvalidMovedBy`, `MoveReason`, `PractitionerNotOffered`, what the timetable
/// refuses, and `ChangedSince`.
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
    let practitioner_id = heir(app, asked.id, &request.practitioner_id).await?;
    let said = Said::read(staff, &request.reason)?;
    // A client who asked for another time of the same practitioner is reason enough.
    let is_plain = asked.by == MovedBy::CustomerAsked && practitioner_id.is_none();
    if said.is_none() && !is_plain {
        return Err(refuse(Rejection::MoveReason));
    }
    let key = IdempotencyKey::of(&staff.id, METHOD, key, &request);
    moved(app, key, asked, Some(staff), ByStaff { practitioner_id, said }).await
}

async fn moved(
    app: &Arc<App>,
    key: IdempotencyKey,
    asked: RequestedMove,
    staff: Option<Staff>,
    by_staff: ByStaff,
) -> Result<Id<Booking>, Error> {
    let terms = package_terms(app, asked.id).await?.map(Arc::new);
    let command = once(key, (&app.store, app), staff, asked.id, move |tx, app| {
        let (terms, by_staff) = (terms.clone(), by_staff.clone());
        Box::pin(async move { relocate(tx, app, asked, terms.as_deref(), &by_staff).await })
    });
    command.await
}

async fn relocate(
    tx: &mut Tx,
    app: &App,
    asked: RequestedMove,
    terms: Option<&PackageTerms>,
    ByStaff { practitioner_id, said }: &ByStaff,
) -> Result<(), Error> {
    let RequestedMove { id, number, shown, starts_at, by, .. } = asked;
    let date = app.rules.date_of(starts_at);
    let day = OtherDay { practitioner_id: practitioner_id.clone(), date };
    let locked = LockedBooking::load_with_day(tx, &app.rules, id, day).await?;
    let is_own =
        |facts: &Facts| asked.owner.is_none_or(|owner| owner.customer_id == facts.customer_id);
    let locked = locked.filter(|locked| locked.state.facts().is_some_and(is_own));
    let mut locked = locked.ok_or(refuse(Rejection::BookingNotFound))?;
    let (unwritten, practitioner_id) = (unwritten_policy(tx, app).await?, practitioner_id.clone());
    let request = MoveRequest { number, by, practitioner_id, unwritten };
    let (to, needs_code) = {
        let facts = locked.state.facts().ok_or(refuse(Rejection::BookingNotFound))?;
        let from = facts.session(number).ok_or(refuse(Rejection::SessionNotFound))?;
        let whose = request.practitioner_id.as_ref().unwrap_or(&facts.practitioner_id);
        let is_there = *whose == facts.practitioner_id && from.starts_at() == starts_at;
        // What is refused whatever the time is said first.
        if !is_there {
            locked.check_move(&request, shown)?;
        }
        let to = if is_there { from } else { offered(app, whose, from, starts_at, locked.now)? };
        if !is_there {
            check_dates(app, facts, number, to, terms)?;
            check_free(tx, facts, whose, to).await?;
        }
        let is_displaced = is_displaced(&locked.state, number);
        (to, to != from && PageAct::Move.needs_code(is_displaced))
    };
    if let Some(owner) = asked.owner {
        owner.prove(tx, id, needs_code).await?;
    }
    let took_offer = asked.owner.is_some() && locked.take_offer(tx, to).await?;
    let events = locked.relocate(tx, request, shown, to).await?;
    if let Some(said) = said.as_ref().filter(|_| !events.is_empty()) {
        said.store(tx, id, number).await?;
    }
    if took_offer {
        waiting::end_of_booking(tx, id, Ending::Booked).await?;
    }
    Ok(())
}

/// The session at its new start, as long as it was, if the timetable of a practitioner offers that.
fn offered(
    app: &App,
    practitioner_id: &str,
    from: Span,
    starts_at: Timestamp,
    now: Timestamp,
) -> Result<Span, Error> {
    let practitioner = app.practitioners.get(practitioner_id);
    let practitioner = practitioner.ok_or(refuse(Rejection::SlotNotOffered))?;
    let minutes = i32::try_from(from.minutes()).unwrap_or(0);
    let offer = practitioner.rules.offer(starts_at, minutes, &[], now);
    offer.map_err(|why| refuse(why.into()))
}

/// Neither the practitioner's own calendar nor another session of the client is at the time.
async fn check_free(
    tx: &mut Tx,
    facts: &Facts,
    practitioner_id: &str,
    to: Span,
) -> Result<(), Error> {
    let busy = busy_times::are_busy(tx, &[(practitioner_id, to)]).await?;
    if busy.contains(&true) {
        return Err(refuse(Rejection::SlotTaken));
    }
    if query::overlaps_own(tx, facts, to).await? {
        return Err(refuse(Rejection::OverlapsOwnSession));
    }
    Ok(())
}

pub(super) fn instant(wire: Option<&prost_types::Timestamp>) -> Result<Timestamp, Error> {
    wire.and_then(timestamp).ok_or(refuse(Rejection::InvalidStart))
}

//! A client corrects the details of an own booking, and says that it will be late.

use std::sync::Arc;

use contract::booking::v1 as wire;
use eventstore::Metadata;
use kernel::Id;
use kernel::id::{Booking, Customer};
use service::{IdempotencyKey, once};

use super::App;
use super::move_times::{parse_id, parse_number};
use super::open_checkout::load_owned;
use super::own_actor::OwnActor;
use super::request::{parse_correction, parse_key};
use crate::domain::booking::State;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::project;
use crate::read_model::view;
use crate::repository::LockedBooking;
use crate::repository::contacts::{self, ToldLate};
use crate::repository::correct_contact as correct;

const METHOD: &str = "CorrectContact";
/// How long before a session its client can say so.
const LATE_BEFORE_MINUTES: i64 = 60;
/// By how many minutes; nothing takes the word back.
const LATE_MINUTES: [i32; 4] = [0, 5, 10, 15];

/// Corrects name, phone and note of a booking whose sessions are not over.
///
/// # Errors
/// `BookingNotFound`, `NotCorrectable`, or the first field that is wrong.
pub async fn correct_contact(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    mut request: wire::CorrectContactRequest,
) -> Result<Id<Booking>, Error> {
    let id = parse_id(&request.booking_id)?;
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let key = IdempotencyKey::of(&customer_id, METHOD, key, &request);
    let view = view::load(app.store.pool(), &app.practice, id).await?;
    let view = view.filter(|view| view.customer_id == customer_id);
    let view = view.ok_or(refuse(Rejection::BookingNotFound))?;
    // Its contact data may have been deleted.
    let kept = view.booking.contact.ok_or(refuse(Rejection::NotCorrectable))?;
    let contact = Arc::new(parse_correction(&request, &kept.email)?);
    let command = once(key, (&app.store, app), None, id, move |tx, app| {
        let contact = Arc::clone(&contact);
        Box::pin(async move {
            let locked = load_owned(tx, app, customer_id, id).await?;
            if !is_ahead(&locked) {
                return Err(refuse(Rejection::NotCorrectable));
            }
            correct(tx, id, &contact).await?;
            Ok(project::touch(tx, id).await?)
        })
    });
    command.await
}

/// Whether it is held or takes place, and its last session has not ended.
fn is_ahead(locked: &LockedBooking) -> bool {
    let stands = matches!(
        locked.state,
        State::Held { .. }
            | State::AwaitingPayment { .. }
            | State::Confirmed { .. }
            | State::MeetingScheduled { .. }
    );
    let last = locked.state.facts().and_then(|facts| facts.sessions.last());
    stands && last.is_some_and(|last| locked.now < last.ends_at())
}

/// Notes that a client will be late to a session that is on or near; the last word counts.
///
/// # Errors
/// `BookingNotFound`, `SessionNotFound`, `InvalidMinutes` or `NotLate`.
pub async fn tell_late(
    app: &Arc<App>,
    actor: impl Into<OwnActor>,
    request: &wire::TellLateRequest,
) -> Result<Id<Booking>, Error> {
    let customer_id = actor.into().customer_id;
    let id = parse_id(&request.booking_id)?;
    let number = parse_number(request.session_number)?;
    let minutes = request.minutes;
    if !LATE_MINUTES.contains(&minutes) {
        return Err(refuse(Rejection::InvalidMinutes));
    }
    let shared = Arc::clone(app);
    let metadata = Metadata::traced(customer_id.to_string()).about(id.to_string());
    app.store
        .write(metadata, move |tx| {
            let app = Arc::clone(&shared);
            Box::pin(async move {
                let locked = load_owned(tx, &app, customer_id, id).await?;
                check_late(&locked, number)?;
                let late = ToldLate { number, minutes, told_at: locked.now };
                contacts::tell_late(tx, id, late).await?;
                project::touch(tx, id).await?;
                Ok::<_, Error>(())
            })
        })
        .await?;
    Ok(id)
}

/// The session takes place, and is on or begins within an hour.
fn check_late(locked: &LockedBooking, number: usize) -> Result<(), Error> {
    let session = locked.state.facts().and_then(|facts| facts.session(number));
    let session = session.ok_or(refuse(Rejection::SessionNotFound))?;
    let from = session.starts_at().plus_minutes(-LATE_BEFORE_MINUTES);
    let is_near = from <= locked.now && locked.now < session.ends_at();
    let is_placed =
        matches!(locked.state, State::Confirmed { .. } | State::MeetingScheduled { .. });
    let takes_place = is_placed && !locked.state.is_session_cancelled(number);
    if is_near && takes_place { Ok(()) } else { Err(refuse(Rejection::NotLate)) }
}

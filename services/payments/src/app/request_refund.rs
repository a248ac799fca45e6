//! A client asks for a refund of an own booking, once. The practice answers it
//! (`answer_refund_request`); nothing goes back before.

use eventstore::{IdempotencyKey, Metadata, Tx, id_of};
use kernel::Id;
use kernel::id::{Booking, Customer, RefundRequest as RefundRequestKind};
use kernel::typed::Text;

use super::{App, metadata, traced};
use crate::contract::refund_request as wire;
use crate::domain::collection::{Collection, State};
use crate::domain::refund_request::{AskingTime, Deadlines, Moment, RefundRequest};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query;
use crate::repository::LockedCollection;
use crate::repository::refund_requests::{self, NewRequest};

/// The name of this command, of which its idempotency keys are.
pub const METHOD: &str = "RequestRefund";

/// The longest reason.
const REASON_CHARS_MAX: usize = 1_000;

/// A request for a refund, of which a booking has one at most.
#[derive(Clone)]
pub struct ClientRequest {
    /// The booking.
    pub booking_id: Id<Booking>,
    /// In the client's words; may be empty.
    pub reason: Text,
}

/// A booking's request, and when there can be one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnRequest {
    /// The request, once there is one.
    pub request: Option<RefundRequest>,
    /// When a refund can be asked for; none where nothing is left to give back.
    pub time: Option<AskingTime>,
}

/// Reads a reason.
///
/// # Errors
/// `InvalidReason`.
pub fn parse_reason(typed: &str) -> Result<Text, Error> {
    Text::parse(typed, REASON_CHARS_MAX).map_err(|_too_long| refuse(Rejection::InvalidReason))
}

/// Stores a client's request, or returns the booking's first one.
///
/// # Errors
/// `BookingNotFound`, `SessionNotBegun`, `RefundTimeOver`, `NothingToRefund`,
/// `IdempotencyKeyReused`, or that a part does not answer.
pub async fn request_refund(
    app: &App,
    customer_id: Id<Customer>,
    asked: ClientRequest,
    key: &IdempotencyKey,
) -> Result<RefundRequest, Error> {
    let booking_id = asked.booking_id;
    let time = asking_time(app, customer_id, booking_id).await?;
    let trace = query::announced_trace(app.store.pool(), booking_id).await?;
    let (key, days) = (key.clone(), app.refund_days);
    let metadata: Metadata = metadata(&customer_id.to_string(), booking_id, trace.as_deref());
    let work = app.store.write(metadata, move |tx| {
        let (key, asked) = (key.clone(), asked.clone());
        Box::pin(async move {
            if let Some(stored) = key.lookup::<RefundRequestKind>(tx).await? {
                let known = refund_requests::find(tx.connection(), stored).await?;
                return known.ok_or(refuse(Rejection::RefundRequestNotFound));
            }
            let locked = LockedCollection::load(tx, booking_id).await?;
            let known = refund_requests::of_booking(tx.connection(), booking_id).await?;
            let request = match known {
                Some(first) => first,
                None => {
                    check(&locked, time)?;
                    let deadlines = Deadlines::of(locked.now, days);
                    let reason = asked.reason.into_string();
                    let (request_id, requested_at) = (id_of_request(booking_id), locked.now);
                    let new = NewRequest {
                        request_id,
                        booking_id,
                        customer_id,
                        reason,
                        requested_at,
                        deadlines,
                    };
                    store(tx, &new).await?
                }
            };
            key.store(tx, request.request_id).await?;
            Ok(request)
        })
    });
    traced("request refund", booking_id, trace.as_deref(), work).await
}

/// A client's own request, and when there can be one.
///
/// # Errors
/// `BookingNotFound`, or that a part does not answer.
pub async fn refund_request(
    app: &App,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
) -> Result<OwnRequest, Error> {
    let time = asking_time(app, customer_id, booking_id).await?;
    let request = refund_requests::of_booking(app.store.pool(), booking_id).await?;
    let known = match LockedCollection::peek(&app.store, booking_id).await? {
        State::Open(known) => has_money_left(&known),
        State::Absent => false,
    };
    Ok(OwnRequest { request, time: known.then_some(time) })
}

/// When a refund of a client's own booking can be asked for. Booking says whose it is, also right
/// after it was adopted.
async fn asking_time(
    app: &App,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
) -> Result<AskingTime, Error> {
    let facts = app.bookings.facts(booking_id).await?;
    if facts.customer_id != customer_id {
        return Err(refuse(Rejection::BookingNotFound));
    }
    let (first_starts_at, last_ends_at) = facts
        .sessions
        .ok_or_else(|| Error::unavailable("an older booking does not say when sessions end"))?;
    Ok(AskingTime::of(first_starts_at, last_ends_at))
}

/// Of the money that counts, whether any is left to give back.
fn has_money_left(known: &Collection) -> bool {
    known.verified.as_ref().is_some_and(|payment| known.left(payment) > 0)
}

fn check(locked: &LockedCollection, time: AskingTime) -> Result<(), Error> {
    match time.at(locked.now) {
        Moment::TooEarly => return Err(refuse(Rejection::SessionNotBegun)),
        Moment::TooLate => return Err(refuse(Rejection::RefundTimeOver)),
        Moment::InTime => {}
    }
    if locked.collection().is_some_and(has_money_left) {
        Ok(())
    } else {
        Err(refuse(Rejection::NothingToRefund))
    }
}

/// The id is the booking's, so that a request that is repeated after a lost commit is the same one.
fn id_of_request(booking_id: Id<Booking>) -> Id<RefundRequestKind> {
    id_of(&["refund request", &booking_id.to_string()])
}

async fn store(tx: &mut Tx, new: &NewRequest) -> Result<RefundRequest, Error> {
    let request = refund_requests::insert(tx, new).await?;
    tx.append(&wire::stream(request.request_id), 0, &[wire::asked(&request)?]).await?;
    let (booking_id, request_id) = (request.booking_id, request.request_id);
    tracing::info!(%booking_id, %request_id, "a client asks for a refund");
    Ok(request)
}

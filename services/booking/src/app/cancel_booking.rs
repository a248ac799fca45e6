//! Staff cancel a confirmed booking, on the customer's request or the practice's own. The time
//! becomes free at once; payments refunds the amount stated in the event.

use std::sync::Arc;

use contract::booking::v1::{CancelBookingRequest, PreviewCancellationRequest};
use eventstore::{Act, Metadata, Tx, request_hash};
use kernel::id::Booking;
use kernel::{Decider as _, Id, Money};
use prost::Message as _;
use staff::Staff;

use super::App;
use super::idempotency::IdempotencyKey;
use super::placement::apply_effects;
use super::request::parse_key;
use crate::contract::{read_cancelled_by, read_number, read_refund_choice};
use crate::domain::booking::{BookingLife, Cancellation, Command, ConfirmationBasis, Event};
use crate::error::{Error, Rejection, refuse};
use crate::repository::LockedBooking;

/// The method's name, in idempotency keys and the audit log.
pub const METHOD: &str = "CancelBooking";

/// The result of a cancellation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancelled {
    /// The booking.
    pub id: Id<Booking>,
    /// The maximum amount to refund.
    pub refund: Money,
    /// No payment is verified yet; the refund applies to money that still arrives.
    pub unpaid: bool,
}

/// What a cancellation would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The booking.
    pub id: Id<Booking>,
    /// The numbers of the sessions that would be cancelled, from 1.
    pub sessions: Vec<usize>,
    /// The refund of these sessions.
    pub refund: Money,
    /// No payment is verified yet; the refund applies to money that still arrives.
    pub unpaid: bool,
}

/// Decides a cancellation as [`cancel_booking`] does, and writes nothing.
///
/// # Errors
/// Those of the cancellation.
pub async fn preview_cancellation(
    app: &Arc<App>,
    staff: Staff,
    request: &PreviewCancellationRequest,
) -> Result<Preview, Error> {
    let (id, cancellation, session) = read(app, request)?;
    let metadata =
        Metadata::by(staff.id.to_string(), runtime::telemetry::traceparent()).about(id.to_string());
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let app = Arc::clone(&app_for_task);
            Box::pin(async move {
                let Some(locked) = LockedBooking::load(tx, &app.rules, id).await? else {
                    return Err(refuse(Rejection::BookingNotFound));
                };
                let command = Command::Cancel { cancellation, session, now: locked.now };
                let events = BookingLife::decide(&locked.state, command)
                    .map_err(|rejection| refuse(rejection.into()))?;
                let price = locked.state.facts().map(|facts| facts.price);
                let nothing = price.map(|price| Money { minor: 0, ..price });
                let nothing = nothing.ok_or(refuse(Rejection::BookingNotFound))?;
                Ok(preview(id, &events, nothing))
            })
        })
        .await
}

/// What the events of a cancellation say. A package has one for each session that ends by it, and
/// its own sums up all that were ever cancelled.
fn preview(id: Id<Booking>, events: &[Event], nothing: Money) -> Preview {
    let mut preview = Preview { id, sessions: Vec::new(), refund: nothing, unpaid: false };
    for event in events {
        match event {
            Event::SessionCancelled { number, refund, unpaid, .. } => {
                preview.sessions.push(*number);
                preview.refund.minor = preview.refund.minor.saturating_add(refund.minor);
                preview.unpaid = *unpaid;
            }
            Event::Cancelled { refund, unpaid, .. } if preview.sessions.is_empty() => {
                preview.sessions.push(1);
                (preview.refund, preview.unpaid) = (*refund, *unpaid);
            }
            _ => {}
        }
    }
    preview
}

type Cancelling = (Id<Booking>, Cancellation, Option<usize>);

fn read(app: &App, request: &PreviewCancellationRequest) -> Result<Cancelling, Error> {
    let id: Id<Booking> =
        request.booking_id.parse().map_err(|_malformed| refuse(Rejection::BookingNotFound))?;
    let cancellation = Cancellation {
        by: read_cancelled_by(request.cancelled_by).ok_or(refuse(Rejection::InvalidCancelledBy))?,
        refund: read_refund_choice(request.refund).ok_or(refuse(Rejection::InvalidRefund))?,
        notice_hours: i64::from(app.practice.policies.cancellation_hours),
    };
    let session = match request.session_number {
        0 => None,
        number => Some(read_number(number).ok_or(refuse(Rejection::SessionNotFound))?),
    };
    Ok((id, cancellation, session))
}

/// Cancels a booking and returns the refund.
///
/// # Errors
/// `NotCancellable` unless the booking is confirmed and its session has not ended.
pub async fn cancel_booking(
    app: &Arc<App>,
    staff: Staff,
    mut request: CancelBookingRequest,
) -> Result<Cancelled, Error> {
    let wish = PreviewCancellationRequest {
        booking_id: request.booking_id.clone(),
        cancelled_by: request.cancelled_by,
        refund: request.refund,
        session_number: request.session_number,
    };
    let (id, cancellation, session) = read(app, &wish)?;
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let hash = request_hash(&request.encode_to_vec());
    let key = Arc::new(IdempotencyKey { caller: staff.id.to_string(), method: METHOD, key, hash });
    let metadata =
        Metadata::by(staff.id.to_string(), runtime::telemetry::traceparent()).about(id.to_string());
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let (app, key) = (Arc::clone(&app_for_task), Arc::clone(&key));
            Box::pin(async move {
                tx.audit(staff, Act { action: METHOD, subject: &id.to_string() }).await?;
                cancel(tx, &app, (id, cancellation, session), &key).await
            })
        })
        .await
}

async fn cancel(
    tx: &mut Tx,
    app: &App,
    (id, cancellation, session): (Id<Booking>, Cancellation, Option<usize>),
    key: &IdempotencyKey,
) -> Result<Cancelled, Error> {
    let known = key.lookup::<Booking>(tx).await?.is_some();
    let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    let command = Command::Cancel { cancellation, session, now: locked.now };
    let events = locked.apply(tx, command).await?;
    apply_effects(tx, &mut locked, id, &events).await?;
    if !known {
        key.store(tx, id).await?;
    }
    let refund = locked.state.promised_refund().ok_or(refuse(Rejection::NotCancellable))?;
    let unpaid = locked.state.basis() == Some(&ConfirmationBasis::Claim);
    Ok(Cancelled { id, refund, unpaid })
}

//! Staff cancel a confirmed booking, on the customer's request or the practice's own. The time
//! becomes free at once; payments refunds the amount stated in the event.

use std::sync::Arc;

use contract::booking::v1::CancelBookingRequest;
use eventstore::{Act, Metadata, Tx, request_hash};
use kernel::id::Booking;
use kernel::{Id, Money};
use prost::Message as _;
use staff::Staff;

use super::App;
use super::idempotency::IdempotencyKey;
use super::placement::apply_effects;
use super::request::parse_key;
use crate::contract::{read_cancelled_by, read_number, read_refund_choice};
use crate::domain::booking::{Cancellation, Command, ConfirmationBasis};
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

/// Cancels a booking and returns the refund.
///
/// # Errors
/// `NotCancellable` unless the booking is confirmed and its session has not ended.
pub async fn cancel_booking(
    app: &Arc<App>,
    staff: Staff,
    mut request: CancelBookingRequest,
) -> Result<Cancelled, Error> {
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

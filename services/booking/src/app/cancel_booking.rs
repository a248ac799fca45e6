//! Staff cancel a confirmed booking, on the customer's request or the practice's own. The time
//! becomes free at once; payments refunds the amount stated in the event.

use std::sync::Arc;

use contract::booking::v1::{CancelBookingRequest, PreviewCancellationRequest};
use eventstore::{Act, Metadata, Tx};
use kernel::id::Booking;
use kernel::{CancellationPolicy, Decider as _, Id, Money, PracticeLate};
use service::IdempotencyKey;
use staff::Staff;

use super::App;
use super::grace::{ClientGrace, GraceUse};
use super::request::parse_key;
use crate::contract::{read_cancelled_by, read_number, read_refund_choice};
use crate::domain::booking::{
    BookingLife, Cancellation, CancelledBy, CancelledSum, Command, ConfirmationBasis, RefundChoice,
};
use crate::error::{Error, Rejection, refuse};
use crate::repository::{LockedBooking, cancellation_policies};

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
    /// The sessions that would be cancelled, and what goes back of them.
    pub sum: CancelledSum,
    /// What the practice gives besides for the first of them.
    pub practice_late: PracticeLate,
    /// What of the refund comes back by grace.
    pub grace: Option<GraceUse>,
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
    let (id, requested) = read(request)?;
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
                let (cancellation, grace) = requested.by_policy(tx, &app, &locked).await?;
                let now = locked.now;
                let command = Command::Cancel { cancellation: cancellation.clone(), now };
                let events = BookingLife::decide(&locked.state, command)
                    .map_err(|rejection| refuse(rejection.into()))?;
                let facts = locked.state.facts().ok_or(refuse(Rejection::BookingNotFound))?;
                let sum = CancelledSum::of(&events, Money { minor: 0, ..facts.price });
                let first = sum.sessions.first().and_then(|number| facts.session(*number));
                let practice_late = first.map_or(PracticeLate::Nothing, |first| {
                    cancellation.given(facts, first.starts_at(), now)
                });
                let grace = grace.used(sum.grace_times, sum.by_grace);
                Ok(Preview { id, sum, practice_late, grace })
            })
        })
        .await
}

/// What staff ask for.
#[derive(Debug, Clone, Copy)]
struct RequestedCancellation {
    by: CancelledBy,
    refund: RefundChoice,
    session: Option<usize>,
}

impl RequestedCancellation {
    async fn by_policy(
        self,
        tx: &mut Tx,
        app: &App,
        locked: &LockedBooking,
    ) -> Result<(Cancellation, ClientGrace), Error> {
        let Self { by, refund, session } = self;
        let unwritten = unwritten_policy(tx, app).await?;
        let grace = ClientGrace::of(tx, app, locked, &unwritten).await?;
        let grace_left = grace.left();
        Ok((Cancellation { by, refund, session, unwritten, grace_left }, grace))
    }
}

/// The policy of bookings that carry none.
pub(super) async fn unwritten_policy(tx: &mut Tx, app: &App) -> Result<CancellationPolicy, Error> {
    let kept = cancellation_policies::earlier(tx).await?;
    Ok(kept.unwrap_or_else(|| app.practice.policies.cancellation_policy(None)))
}

fn read(
    request: &PreviewCancellationRequest,
) -> Result<(Id<Booking>, RequestedCancellation), Error> {
    let id: Id<Booking> =
        request.booking_id.parse().map_err(|_malformed| refuse(Rejection::BookingNotFound))?;
    let by =
        read_cancelled_by(request.cancelled_by).ok_or(refuse(Rejection::InvalidCancelledBy))?;
    let refund = read_refund_choice(request.refund).ok_or(refuse(Rejection::InvalidRefund))?;
    let session = match request.session_number {
        0 => None,
        number => Some(read_number(number).ok_or(refuse(Rejection::SessionNotFound))?),
    };
    Ok((id, RequestedCancellation { by, refund, session }))
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
    let (id, requested) = read(&wish)?;
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let key = Arc::new(IdempotencyKey::of(&staff.id, METHOD, key, &request));
    let metadata =
        Metadata::by(staff.id.to_string(), runtime::telemetry::traceparent()).about(id.to_string());
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let (app, key) = (Arc::clone(&app_for_task), Arc::clone(&key));
            Box::pin(async move {
                tx.audit(staff, Act { action: METHOD, subject: &id.to_string() }).await?;
                cancel(tx, &app, (id, requested), &key).await
            })
        })
        .await
}

async fn cancel(
    tx: &mut Tx,
    app: &App,
    (id, requested): (Id<Booking>, RequestedCancellation),
    key: &IdempotencyKey,
) -> Result<Cancelled, Error> {
    let known = key.lookup::<Booking>(tx).await?.is_some();
    let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    let (cancellation, _grace) = requested.by_policy(tx, app, &locked).await?;
    let command = Command::Cancel { cancellation, now: locked.now };
    locked.apply(tx, command).await?;
    if !known {
        key.store(tx, id).await?;
    }
    let refund = locked.state.promised_refund().ok_or(refuse(Rejection::NotCancellable))?;
    let unpaid = locked.state.basis() == Some(&ConfirmationBasis::Claim);
    Ok(Cancelled { id, refund, unpaid })
}

//! Refunds money of a booking on a staff member's request. The same idempotency key is the same
//! refund.

use eventstore::{Act, IdempotencyKey, Tx, id_of};
use kernel::Id;
use kernel::id::{Booking, Refund as RefundKind};
use staff::Staff;

use super::{App, metadata, traced};
use crate::domain::collection::{Command, Event};
use crate::domain::fact::{Amount, PaymentId};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query;
use crate::repository::LockedCollection;

/// The name of this act in the audit log.
pub const ACTION: &str = "RefundPayment";

/// A refund that was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedRefund {
    /// Our id.
    pub refund_id: Id<RefundKind>,
    /// How much is refunded.
    pub amount: Amount,
    /// Whether a person gives it back at the desk.
    pub is_at_desk: bool,
}

impl RequestedRefund {
    fn of(refund_id: Id<RefundKind>, amount: Amount, payment: &PaymentId) -> Self {
        Self { refund_id, amount, is_at_desk: contract::desk::way_of(payment.as_str()).is_some() }
    }
}

/// Requests a refund of this amount, or of all that is left.
///
/// # Errors
/// `BookingNotFound`, `NothingToRefund`, `RefundDeducted`, `InvalidAmount`,
/// `AmountNotRefundable` or `IdempotencyKeyReused`.
pub async fn refund_payment(
    app: &App,
    staff: Staff,
    booking_id: Id<Booking>,
    amount: Option<Amount>,
    key: &IdempotencyKey,
) -> Result<RequestedRefund, Error> {
    let trace = query::announced_trace(app.store.pool(), booking_id).await?;
    let (actor, key) = (staff.id.to_string(), key.clone());
    let least_minor = app.provider.least_refund_minor();
    let work = app.store.write(metadata(&actor, booking_id, trace.as_deref()), move |tx| {
        let (key, amount) = (key.clone(), amount.clone());
        Box::pin(async move {
            let subject = booking_id.to_string();
            tx.audit(staff, Act { action: ACTION, subject: &subject }).await?;
            if let Some(answer) = key.answer(tx).await? {
                return stored_refund(tx, &answer).await;
            }
            // Derived from the caller's key, so that a repeat is the same refund even if the commit
            // that stored the key was lost, or the key was deleted since.
            let refund_id = id_of(&[&key.scoped_name(), &subject]);
            let mut locked = LockedCollection::load(tx, booking_id).await?;
            let asked = request(tx, &mut locked, refund_id, (amount, least_minor)).await?;
            key.store(tx, asked.refund_id).await?;
            Ok(asked)
        })
    });
    traced("refund payment", booking_id, trace.as_deref(), work).await
}

/// Requests a refund with this id; a repeat is the same refund.
///
/// # Errors
/// As [`refund_payment`].
pub(super) async fn request(
    tx: &mut Tx,
    locked: &mut LockedCollection,
    refund_id: Id<RefundKind>,
    (amount, least_minor): (Option<Amount>, i64),
) -> Result<RequestedRefund, Error> {
    let known = locked.collection().and_then(|known| known.refunds.get(&refund_id));
    if let Some(refund) = known {
        return Ok(RequestedRefund::of(refund_id, refund.amount.clone(), &refund.payment));
    }
    if locked.collection().is_none() {
        let is_known =
            query::announced_owner(tx.connection(), locked.booking_id()).await?.is_some();
        let why = if is_known { Rejection::NothingToRefund } else { Rejection::BookingNotFound };
        return Err(refuse(why));
    }
    let command = Command::RefundByStaff { amount, refund_id, least_minor };
    let events = locked.apply(tx, command).await?;
    let asked = events.into_iter().find_map(|event| match event {
        Event::RefundRequested { refund_id, refund } => {
            Some(RequestedRefund::of(refund_id, refund.amount, &refund.payment))
        }
        _ => None,
    });
    asked.ok_or(refuse(Rejection::NothingToRefund))
}

/// The refund that was requested with this key before.
pub(super) async fn stored_refund(tx: &mut Tx, answer: &str) -> Result<RequestedRefund, Error> {
    let refund_id = answer.parse().map_err(Error::unavailable)?;
    let row = query::refund(tx.connection(), refund_id).await?;
    let row = row.ok_or(refuse(Rejection::NothingToRefund))?;
    Ok(RequestedRefund::of(refund_id, row.amount, &row.payment))
}

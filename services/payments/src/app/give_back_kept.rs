//! Staff give back, once and in one act, what late cancellations of a booking have kept.

use eventstore::{Act, IdempotencyKey, id_of};
use kernel::Id;
use kernel::id::{Booking, Refund as RefundKind};
use staff::Staff;

use super::refund_payment::{RequestedRefund, request, stored_refund};
use super::{App, metadata, traced};
use crate::domain::fact::Amount;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query;
use crate::repository::LockedCollection;

/// The name of this act in the audit log.
pub const ACTION: &str = "GiveBackKept";

/// How much would go back now; nothing is changed.
///
/// # Errors
/// `BookingNotFound`.
pub async fn kept_amount(app: &App, booking_id: Id<Booking>) -> Result<Amount, Error> {
    let work = app.store.write(metadata("staff", booking_id, None), move |tx| {
        Box::pin(async move {
            let locked = LockedCollection::load(tx, booking_id).await?;
            let owner = query::announced_owner(tx.connection(), booking_id).await?;
            if locked.collection().is_none() && owner.is_none() {
                return Err(refuse(Rejection::BookingNotFound));
            }
            Ok(kept(&locked))
        })
    });
    work.await
}

/// Requests the refund of all that is kept, where that is the sum that was shown.
///
/// # Errors
/// `BookingNotFound`, `NothingKept`, `AmountNotKept`, `IdempotencyKeyReused`, or as
/// [`super::refund_payment::refund_payment`] refuses the sum.
pub async fn give_back_kept(
    app: &App,
    staff: Staff,
    booking_id: Id<Booking>,
    shown: Amount,
    key: &IdempotencyKey,
) -> Result<RequestedRefund, Error> {
    let trace = query::announced_trace(app.store.pool(), booking_id).await?;
    let (actor, key) = (staff.id.to_string(), key.clone());
    let least_minor = app.provider.least_refund_minor();
    let work = app.store.write(metadata(&actor, booking_id, trace.as_deref()), move |tx| {
        let (key, shown) = (key.clone(), shown.clone());
        Box::pin(async move {
            let subject = booking_id.to_string();
            tx.audit(staff, Act { action: ACTION, subject: &subject }).await?;
            if let Some(answer) = key.answer(tx).await? {
                return stored_refund(tx, &answer).await;
            }
            let mut locked = LockedCollection::load(tx, booking_id).await?;
            let owner = query::announced_owner(tx.connection(), booking_id).await?;
            if locked.collection().is_none() && owner.is_none() {
                return Err(refuse(Rejection::BookingNotFound));
            }
            let kept = kept(&locked);
            if kept.minor == 0 {
                return Err(refuse(Rejection::NothingKept));
            }
            if kept != shown {
                return Err(refuse(Rejection::AmountNotKept));
            }
            let refund_id = refund_of(booking_id);
            let asked = request(tx, &mut locked, refund_id, (Some(kept), least_minor)).await?;
            key.store(tx, asked.refund_id).await?;
            Ok(asked)
        })
    });
    traced("give back kept", booking_id, trace.as_deref(), work).await
}

/// Its refund is derived from the booking, so that there is never another one.
fn refund_of(booking_id: Id<Booking>) -> Id<RefundKind> {
    id_of(&["kept of", &booking_id.to_string()])
}

/// What is kept of cancelled sessions and is still here; nothing once it was given back.
fn kept(locked: &LockedCollection) -> Amount {
    let nothing = || Amount { minor: 0, currency: "INR".to_owned() };
    let Some(known) = locked.collection() else { return nothing() };
    let given = known.refunds.contains_key(&refund_of(locked.booking_id()));
    match (&known.verified, &known.retained) {
        (Some(payment), Some(retained)) if !given => {
            Amount { minor: retained.minor.min(known.left(payment)), ..retained.clone() }
        }
        _ => nothing(),
    }
}

//! Releases the refunds of a booking that wait for the end of a dispute, on a staff member's
//! request: before the bank decides, giving the money back is how a dispute ends without a loss.

use eventstore::Act;
use kernel::Id;
use kernel::id::{Booking, Refund as RefundKind};
use staff::Staff;

use super::{App, metadata, traced};
use crate::domain::collection::Command;
use crate::domain::fact::Amount;
use crate::domain::refund::Refund;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query;
use crate::repository::LockedCollection;

/// The name of this act in the audit log.
pub const ACTION: &str = "ReleaseRefund";

/// Releases them, and requests them from the provider at once: those whose money no dispute has
/// taken yet. A repeat changes nothing.
///
/// # Errors
/// `BookingNotFound`; where none was released, `RefundDeducted` when the provider has deducted the
/// money of all that wait, `RefundNotHeld` when none waits.
pub async fn release_refund(
    app: &App,
    staff: Staff,
    booking_id: Id<Booking>,
) -> Result<Vec<(Id<RefundKind>, Amount)>, Error> {
    let trace = query::announced_trace(app.store.pool(), booking_id).await?;
    let actor = staff.id.to_string();
    let work = app.store.write(metadata(&actor, booking_id, trace.as_deref()), move |tx| {
        Box::pin(async move {
            let subject = booking_id.to_string();
            tx.audit(staff, Act { action: ACTION, subject: &subject }).await?;
            let mut locked = LockedCollection::load(tx, booking_id).await?;
            let Some(known) = locked.collection() else {
                return Err(refuse(Rejection::BookingNotFound));
            };
            let part = |(id, it): (_, &Refund)| (id, it.amount.clone());
            let meant: Vec<_> = known.releasable_refunds().into_iter().map(part).collect();
            if meant.is_empty() {
                let released: Vec<_> = known.released_refunds().map(part).collect();
                let is_held = known.refunds.keys().any(|id| known.is_held(*id));
                return match (released.is_empty(), is_held) {
                    (false, _) => Ok(released),
                    (true, true) => Err(refuse(Rejection::RefundDeducted)),
                    (true, false) => Err(refuse(Rejection::RefundNotHeld)),
                };
            }
            for (refund_id, _) in &meant {
                let refund_id = *refund_id;
                locked.apply(tx, Command::ReleaseRefund { refund_id }).await?;
            }
            Ok(meant)
        })
    });
    traced("release refund", booking_id, trace.as_deref(), work).await
}

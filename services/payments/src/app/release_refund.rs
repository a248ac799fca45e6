//! Releases the refunds of a booking that wait for the end of a dispute, on a staff member's
//! request: before the bank decides, giving the money back is how a dispute ends without a loss.

use eventstore::Act;
use kernel::Id;
use kernel::id::{Booking, Refund as RefundKind};
use staff::Staff;

use super::{App, metadata, traced};
use crate::domain::collection::Command;
use crate::domain::fact::Amount;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query;
use crate::repository::LockedCollection;

/// The name of this act in the audit log.
pub const ACTION: &str = "ReleaseRefund";

/// Releases them, and requests them from the provider at once. A repeat changes nothing.
///
/// # Errors
/// `BookingNotFound`, or `RefundNotHeld` when none of them waits or was released.
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
            let meant = known.refunds.iter().filter(|(id, _)| known.is_held(**id));
            let meant: Vec<_> = meant.map(|(id, it)| (*id, it.amount.clone())).collect();
            if meant.is_empty() {
                let released = known.released_refunds();
                let released: Vec<_> = released.map(|(id, it)| (id, it.amount.clone())).collect();
                let is_repeat = !released.is_empty();
                return if is_repeat {
                    Ok(released)
                } else {
                    Err(refuse(Rejection::RefundNotHeld))
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

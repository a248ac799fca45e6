//! Requests another refund in place of one that the provider accepted and that failed there.

use kernel::Id;
use kernel::id::Refund as RefundKind;

use super::{App, metadata, traced};
use crate::domain::collection::Command;
use crate::error::Error;
use crate::read_model::query;
use crate::repository::LockedCollection;
use crate::timers::kinds;

/// Requests it under another id, because the provider would answer to the old one with the failure.
/// The id follows from the old one, so that a repeat after a restore is the same refund there.
pub async fn renew_refund(app: &App, failed: Id<RefundKind>) -> Result<(), Error> {
    let Some(row) = query::refund(app.store.pool(), failed).await? else { return Ok(()) };
    let (booking_id, trace) = (row.booking_id, row.traceparent.as_deref());
    let work = app.store.write(metadata("payments", booking_id, trace), move |tx| {
        Box::pin(async move {
            let mut locked = LockedCollection::load(tx, booking_id).await?;
            locked.apply(tx, Command::RenewRefund { failed }).await?;
            kinds::end_renewal(tx, failed).await?;
            Ok(())
        })
    });
    traced("renew refund", booking_id, trace, work).await
}

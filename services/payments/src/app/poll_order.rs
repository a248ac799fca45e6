//! Asks the provider for an order's payments when its timer says so.

use kernel::Id;
use kernel::id::Booking;
use runtime::status::chain;

use super::fold::{Next, fold_now};
use super::{Error, Till, metadata, traced};
use crate::domain::fact::Source;
use crate::read_model::query;
use crate::timers;

/// Asks, folds, and sets the next time, or ends the polling.
///
/// # Errors
/// When the database does not answer.
pub async fn poll_order(till: &Till, booking_id: Id<Booking>, step: usize) -> Result<(), Error> {
    let row = query::collection(till.store.pool(), booking_id).await?;
    let Some((row, order)) = row.and_then(|row| row.order.clone().map(|order| (row, order))) else {
        return timers::forget_polling(&till.store, booking_id).await;
    };
    let trace = row.traceparent.as_deref();
    let work = async {
        let asked = till.provider.payments_of(&order.id).await;
        if let Err(error) = &asked {
            tracing::warn!(%booking_id, error = chain(error), "an order could not be polled");
        }
        let metadata = metadata("payments", booking_id, trace);
        let next = Next::Step(step + 1);
        let payments = asked.unwrap_or_default();
        fold_now(till, metadata, booking_id, payments, (Source::Poll, next)).await?;
        Ok(())
    };
    traced("poll order", booking_id, trace, work).await
}

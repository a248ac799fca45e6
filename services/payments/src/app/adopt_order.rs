//! An order that no collection knows: another business of the same account has made it, or it is
//! ours and its record was lost, as a failover may lose the last commits. Its receipt says which.

use kernel::Id;
use kernel::id::Booking;

use super::{Error, Till, metadata};
use crate::domain::collection::Command;
use crate::domain::fact::OrderId;
use crate::provider::OrderReport;
use crate::read_model::query;
use crate::store::OpenCollection;

/// Whose an order is that no collection knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Another business of the account has made it.
    Others,
    /// Its receipt is one of ours, and we know no collection with it.
    Lost,
    /// It is this booking's. Money on it is judged there: it counts if this became its order, and
    /// goes back if the booking has had another order since.
    Booking(Id<Booking>),
}

/// Finds out whose an order is, and writes it down for its booking if that has none.
///
/// # Errors
/// When the database does not answer.
pub async fn adopt_order(till: &Till, order: &OrderReport) -> Result<Whose, Error> {
    let Some(receipt) = order.receipt else { return Ok(Whose::Others) };
    let Some(row) = query::collection_of_receipt(till.store.pool(), receipt).await? else {
        return Ok(Whose::Lost);
    };
    if row.order.is_none() {
        record(till, (row.booking_id, row.traceparent.as_deref()), &order.fact.id).await?;
    }
    Ok(Whose::Booking(row.booking_id))
}

async fn record(
    till: &Till,
    (booking_id, trace): (Id<Booking>, Option<&str>),
    order: &OrderId,
) -> Result<(), Error> {
    let (provider, order) = (till.provider.name(), order.clone());
    tracing::warn!(%booking_id, %order, "an order whose record was lost is written down again");
    till.store
        .write(metadata("payments", booking_id, trace), move |tx| {
            let (provider, order) = (provider.to_owned(), order.clone());
            Box::pin(async move {
                let mut open = OpenCollection::load(tx, booking_id).await?;
                // Another one may have been recorded meanwhile; then it stays.
                if open.collection().is_some_and(|known| known.order.is_none()) {
                    open.apply(tx, Command::RecordOrder { provider, order }).await?;
                }
                Ok(())
            })
        })
        .await
}

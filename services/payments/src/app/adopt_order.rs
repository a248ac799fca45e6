//! An order that no collection has: it belongs to another business of the same account, it is
//! beneath one of our payment links, or it is ours and its record was lost in a failover. Its
//! receipt shows which.

use kernel::Id;
use kernel::id::{Booking, PaymentLink};

use super::{App, metadata};
use crate::domain::collection::Command;
use crate::domain::fact::{OrderId, Source};
use crate::domain::link::LinkFact;
use crate::error::Error;
use crate::providers::{OrderReport, Receipt};
use crate::read_model::{links, query};
use crate::repository::LockedCollection;

/// The owner of an order that no collection has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderOwner {
    /// Another business of the account has made it.
    Others,
    /// Its receipt is one of ours, and we know no collection with it.
    Lost,
    /// It is this booking's. Money on it is judged there: it counts if this became its order, and
    /// is refunded if the booking has had another order since.
    Booking(Id<Booking>),
}

/// Determines the owner of an order, and records it for its booking if that has no order.
pub async fn adopt_order(app: &App, order: &OrderReport) -> Result<OrderOwner, Error> {
    let receipt = match order.receipt {
        None => return Ok(OrderOwner::Others),
        Some(Receipt::Link(link_id)) => {
            return adopt_link_order(app, link_id, &order.fact.id).await;
        }
        Some(Receipt::Collection(receipt)) => receipt,
    };
    let Some(row) = query::collection_of_receipt(app.store.pool(), receipt).await? else {
        return Ok(OrderOwner::Lost);
    };
    if row.order.is_none() {
        record(app, (row.booking_id, row.traceparent.as_deref()), &order.fact.id).await?;
    }
    Ok(OrderOwner::Booking(row.booking_id))
}

/// The provider created the order beneath a payment link, whose reference it bears.
async fn adopt_link_order(
    app: &App,
    link_id: Id<PaymentLink>,
    order: &OrderId,
) -> Result<OrderOwner, Error> {
    let Some(link) = links::link(app.store.pool(), link_id).await? else {
        return Ok(OrderOwner::Lost);
    };
    let booking_id = link.booking_id;
    let row = query::collection(app.store.pool(), booking_id).await?;
    let trace = row.and_then(|row| row.traceparent);
    let order = order.clone();
    app.store
        .write(metadata("payments", booking_id, trace.as_deref()), move |tx| {
            let fact = LinkFact { order: Some(order.clone()), ..LinkFact::default() };
            Box::pin(async move {
                let mut locked = LockedCollection::load(tx, booking_id).await?;
                let source = Source::Poll;
                locked.apply(tx, Command::ObserveLink { link_id, fact, source }).await?;
                Ok::<(), Error>(())
            })
        })
        .await?;
    Ok(OrderOwner::Booking(booking_id))
}

async fn record(
    app: &App,
    (booking_id, trace): (Id<Booking>, Option<&str>),
    order: &OrderId,
) -> Result<(), Error> {
    let (provider, order) = (app.provider.name(), order.clone());
    tracing::warn!(%booking_id, %order, "an order whose record was lost is written down again");
    app.store
        .write(metadata("payments", booking_id, trace), move |tx| {
            let (provider, order) = (provider.to_owned(), order.clone());
            Box::pin(async move {
                let mut locked = LockedCollection::load(tx, booking_id).await?;
                // If another order was recorded in the meantime, that one stays.
                if locked.collection().is_some_and(|known| known.order.is_none()) {
                    locked.apply(tx, Command::RecordOrder { provider, order }).await?;
                }
                Ok(())
            })
        })
        .await
}

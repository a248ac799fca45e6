//! Creates one provider order per booking, also under concurrent calls and lost answers: one caller
//! at a time holds a lease, the receipt is unique at the provider, and after an unknown outcome the
//! order is looked up before it is created again.

use std::sync::Arc;

use kernel::Id;
use kernel::id::Booking;
use tokio::time::Instant;

use super::lease::{LEASE_POLL, LEASE_WAIT, under_lease};
use super::{App, metadata, provider_failed};
use crate::domain::collection::Command;
use crate::domain::fact::OrderId;
use crate::error::{Error, Rejection, refuse};
use crate::providers::{OrderRequest, Provider, ProviderError};
use crate::read_model::query::{self, CollectionRow};
use crate::repository::LockedCollection;
use crate::repository::leases::Creation;

/// The collection with its order.
///
/// # Errors
/// `ProviderUnavailable`, or that the database does not answer.
pub async fn ensure_order(
    app: &Arc<App>,
    booking_id: Id<Booking>,
    trace: Option<&str>,
) -> Result<CollectionRow, Error> {
    let deadline = Instant::now() + LEASE_WAIT;
    loop {
        let pool = app.store.pool();
        let row = query::collection(pool, booking_id)
            .await?
            .ok_or(refuse(Rejection::PaymentNotStarted))?;
        if row.order.is_some() {
            return Ok(row);
        }
        let trace = trace.map(str::to_owned);
        let create = move |app, lease| create(app, row, lease, trace);
        if let Some(row) = under_lease(app, booking_id, Creation::Order, create).await? {
            return Ok(row);
        }
        if Instant::now() >= deadline {
            return Err(refuse(Rejection::ProviderUnavailable));
        }
        app.store.wait_for_commit(LEASE_POLL).await;
    }
}

async fn create(
    app: Arc<App>,
    row: CollectionRow,
    lease: i32,
    trace: Option<String>,
) -> Result<CollectionRow, Error> {
    let booking_id = row.booking_id;
    let wanted = OrderRequest { receipt: row.collection_id, booking_id, amount: row.amount };
    match order(app.provider.as_ref(), wanted, lease > 1).await {
        Ok(order) => {
            app.order_health.record_accepted();
            record(&app, &row, order, trace.as_deref()).await
        }
        Err(error) => {
            app.order_health.record_failure(booking_id, &error);
            Err(provider_failed(booking_id, &error))
        }
    }
}

/// Creates the order or finds it again. After an earlier attempt it is looked up first.
///
/// # Errors
/// Why there is none yet.
pub async fn order(
    provider: &dyn Provider,
    wanted: OrderRequest,
    asked_before: bool,
) -> Result<OrderId, ProviderError> {
    if asked_before && let Some(found) = provider.find_order(wanted).await? {
        return Ok(found);
    }
    match provider.create_order(wanted).await {
        // It may exist all the same: the answer was lost, or the receipt was taken by us before.
        Err(error @ (ProviderError::NoAnswer(_) | ProviderError::Refused { .. })) => {
            provider.find_order(wanted).await?.ok_or(error)
        }
        done => done,
    }
}

async fn record(
    app: &App,
    row: &CollectionRow,
    order: OrderId,
    trace: Option<&str>,
) -> Result<CollectionRow, Error> {
    let (booking_id, provider) = (row.booking_id, app.provider.name());
    app.store
        .write(metadata("payments", booking_id, trace), move |tx| {
            let (provider, order) = (provider.to_owned(), order.clone());
            Box::pin(async move {
                let mut locked = LockedCollection::load(tx, booking_id).await?;
                locked.apply(tx, Command::RecordOrder { provider, order }).await?;
                Ok::<(), Error>(())
            })
        })
        .await?;
    let row = query::collection(app.store.pool(), booking_id).await?;
    row.ok_or(refuse(Rejection::PaymentNotStarted))
}

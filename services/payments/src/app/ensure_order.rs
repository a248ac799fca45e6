//! Creates one provider order per booking, also under concurrent calls and lost answers: one caller
//! at a time holds a lease, the receipt is unique at the provider, and after an unknown outcome the
//! order is looked up before it is created again.

use std::sync::Arc;

use kernel::Timestamp;
use tokio::time::Instant;

use super::lease::{LEASE_POLL, LEASE_WAIT, under_lease};
use super::webhook_health::HEARD_SECONDS;
use super::{App, metadata, provider_failed};
use crate::domain::collection::{Collection, Command};
use crate::domain::fact::OrderId;
use crate::error::{Error, Rejection, refuse};
use crate::providers::{OrderRequest, Provider, ProviderError};
use crate::read_model::inbox;
use crate::read_model::query::{self, CollectionRow, Order};
use crate::repository::LockedCollection;
use crate::repository::leases::Creation;

/// What the creation of an order needs to know.
#[derive(Debug, Clone)]
pub struct NewOrder {
    /// The collection without its order, as it was read last.
    pub row: CollectionRow,
    /// Until when the booking's time is held.
    pub held_until: Timestamp,
    /// The trace in which the booking began.
    pub trace: Option<String>,
}

/// The collection with its order.
///
/// # Errors
/// `ProviderUnavailable`, or that the database does not answer.
pub async fn ensure_order(app: &Arc<App>, mut wanted: NewOrder) -> Result<CollectionRow, Error> {
    let booking_id = wanted.row.booking_id;
    let deadline = Instant::now() + LEASE_WAIT;
    loop {
        if wanted.row.order.is_some() {
            return Ok(wanted.row);
        }
        let create = {
            let wanted = wanted.clone();
            move |app: Arc<App>, lease| async move { create(&app, wanted, lease).await }
        };
        if let Some(row) = under_lease(app, booking_id, Creation::Order, create).await? {
            return Ok(row);
        }
        if Instant::now() >= deadline {
            return Err(refuse(Rejection::ProviderUnavailable));
        }
        app.store.wait_for_commit(LEASE_POLL).await;
        let row = query::collection(app.store.pool(), booking_id).await?;
        wanted.row = row.ok_or(refuse(Rejection::PaymentNotStarted))?;
    }
}

/// Creates the order of a lease's holder and records it.
///
/// # Errors
/// As [`ensure_order`].
pub async fn create(app: &App, wanted: NewOrder, lease: i32) -> Result<CollectionRow, Error> {
    let (booking_id, receipt) = (wanted.row.booking_id, wanted.row.collection_id);
    let request = OrderRequest { receipt, booking_id, amount: wanted.row.amount };
    match order(app.provider.as_ref(), request, lease > 1).await {
        Ok(order) => {
            app.order_health.record_accepted();
            record(app, wanted, order).await
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

async fn record(app: &App, wanted: NewOrder, order: OrderId) -> Result<CollectionRow, Error> {
    let metadata = metadata("payments", wanted.row.booking_id, wanted.trace.as_deref());
    let provider = app.provider.name();
    let has_own_account = app.webhook_health.check().is_ok();
    app.store
        .write(metadata, move |tx| {
            let (wanted, order) = (wanted.clone(), order.clone());
            Box::pin(async move {
                let booking_id = wanted.row.booking_id;
                let mut locked = LockedCollection::load(tx, booking_id).await?;
                if has_own_account && inbox::was_heard(tx.connection(), HEARD_SECONDS).await? {
                    locked.unhurried_until = Some(wanted.held_until);
                }
                let recorded =
                    Command::RecordOrder { provider: provider.to_owned(), order: order.clone() };
                if !locked.apply(tx, recorded).await?.is_empty() {
                    let order = Some(Order { id: order, created_at: locked.now });
                    let standing = locked.collection().map(Collection::standing);
                    let standing = standing.unwrap_or(wanted.row.standing);
                    return Ok(CollectionRow { order, standing, ..wanted.row });
                }
                // It was recorded meanwhile.
                let row = query::collection(tx.connection(), booking_id).await?;
                row.ok_or(refuse(Rejection::PaymentNotStarted))
            })
        })
        .await
}

//! Creates one provider order per booking, also under concurrent calls and lost answers: one caller
//! at a time holds a lease, the receipt is unique at the provider, and after an unknown outcome the
//! order is looked up before it is created again.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use kernel::id::Booking;
use kernel::{CommandError, Id};
use tokio::time::Instant;
use tracing::Instrument as _;

use super::{App, metadata, provider_failed};
use crate::domain::collection::Command;
use crate::domain::fact::OrderId;
use crate::error::{Error, Rejection, refuse};
use crate::providers::{OrderRequest, Provider, ProviderError};
use crate::read_model::query::{self, CollectionRow};
use crate::repository::LockedCollection;

/// How long a lease lasts if its process dies. A live holder renews it.
const LEASE_SECONDS: i32 = 5;
/// How often the lease is renewed.
const RENEW_EVERY: Duration = Duration::from_secs(1);
/// How long to wait for another holder's lease.
const LEASE_WAIT: Duration = Duration::from_secs(9);
/// How often to check whether that lease has ended.
const LEASE_POLL: Duration = Duration::from_millis(100);

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
        if let Some(row) = create_under_lease(app, row, trace.map(str::to_owned)).await? {
            return Ok(row);
        }
        if Instant::now() >= deadline {
            return Err(refuse(Rejection::ProviderUnavailable));
        }
        app.store.wait_for_commit(LEASE_POLL).await;
    }
}

/// Acquires the lease if it is free, and creates the order under it, even if the caller
/// disconnects: a dropped future would leave the lease held and others waiting. So the work runs in
/// a task of its own.
async fn create_under_lease(
    app: &Arc<App>,
    row: CollectionRow,
    trace: Option<String>,
) -> Result<Option<CollectionRow>, Error> {
    let app = Arc::clone(app);
    let work = async move {
        let (pool, booking_id) = (app.store.pool(), row.booking_id);
        let Some(lease) = query::acquire_order_lease(pool, booking_id, LEASE_SECONDS).await? else {
            return Ok(None);
        };
        let wanted = OrderRequest { receipt: row.collection_id, booking_id, amount: row.amount };
        let ordering = order(app.provider.as_ref(), wanted, lease > 1);
        let ordered = tokio::select! {
            ordered = ordering => ordered,
            never = renew_lease(&app, booking_id, lease) => match never {},
        };
        match ordered {
            Ok(order) => {
                app.order_health.record_accepted();
                record(&app, &row, order, trace.as_deref()).await.map(Some)
            }
            Err(error) => {
                app.order_health.record_failure(booking_id, &error);
                query::release_order_lease(pool, booking_id, lease).await?;
                Err(provider_failed(booking_id, &error))
            }
        }
    };
    match tokio::spawn(work.in_current_span()).await {
        Ok(done) => done,
        Err(error) => Err(CommandError::unavailable(error)),
    }
}

/// Renews the lease for as long as this future is polled.
async fn renew_lease(app: &App, booking_id: Id<Booking>, lease: i32) -> Infallible {
    loop {
        tokio::time::sleep(RENEW_EVERY).await;
        let renewed =
            query::renew_order_lease(app.store.pool(), booking_id, lease, LEASE_SECONDS).await;
        if let Err(error) = renewed {
            // At worst another caller acquires the lease, finds the receipt in use and looks the
            // order up.
            tracing::warn!(%error, %booking_id, "a turn could not be kept");
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

//! One provider order per booking, however many ask for it at once and whatever gets lost: one
//! asker at a time has the turn, the provider is asked for a unique receipt, and after an unknown
//! outcome it is looked for before it is asked again.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use kernel::id::Booking;
use kernel::{CommandError, Id};
use tokio::time::Instant;
use tracing::Instrument as _;

use super::{App, Error, Rejection, metadata, provider_failed, refuse};
use crate::domain::collection::Command;
use crate::domain::fact::OrderId;
use crate::provider::{OrderRequest, Provider, ProviderError};
use crate::read_model::query::{self, CollectionRow};
use crate::repository::LockedCollection;

/// How long a turn lasts when its process dies. Whoever is alive makes it last on.
const LEASE_SECONDS: i32 = 5;
/// How often it is made to last on.
const RENEW_EVERY: Duration = Duration::from_secs(1);
/// How long to wait for somebody else's turn.
const LEASE_WAIT: Duration = Duration::from_secs(9);
/// How often to look whether it is over.
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
        app.store.changed(LEASE_POLL).await;
    }
}

/// Takes the turn, if it is free, and runs it to its end, even when the caller has gone: half of
/// it would leave others waiting. So the turn is taken by the task that cannot be dropped.
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

/// Makes the turn last on for as long as it is awaited.
async fn renew_lease(app: &App, booking_id: Id<Booking>, lease: i32) -> Infallible {
    loop {
        tokio::time::sleep(RENEW_EVERY).await;
        let renewed =
            query::renew_order_lease(app.store.pool(), booking_id, lease, LEASE_SECONDS).await;
        if let Err(error) = renewed {
            // At worst another one takes a turn, finds the receipt taken and looks the order up.
            tracing::warn!(%error, %booking_id, "a turn could not be kept");
        }
    }
}

/// The order, made or found again. Whoever may have asked before looks first.
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

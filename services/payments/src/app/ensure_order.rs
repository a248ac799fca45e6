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

use super::{Error, Rejection, Till, metadata, provider_failed, refuse};
use crate::domain::collection::Command;
use crate::domain::fact::OrderId;
use crate::provider::{Provider, ProviderError, WantedOrder};
use crate::read_model::query::{self, CollectionRow};
use crate::store::OpenCollection;

/// How long a turn lasts when its process dies. Whoever is alive makes it last on.
const TURN_SECONDS: i32 = 5;
/// How often it is made to last on.
const KEEP_EVERY: Duration = Duration::from_secs(1);
/// How long to wait for somebody else's turn.
const WAIT: Duration = Duration::from_secs(9);
/// How often to look whether it is over.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The collection with its order.
///
/// # Errors
/// `ProviderUnavailable`, or that the database does not answer.
pub async fn ensure_order(
    till: &Arc<Till>,
    booking_id: Id<Booking>,
    trace: Option<&str>,
) -> Result<CollectionRow, Error> {
    let deadline = Instant::now() + WAIT;
    loop {
        let pool = till.store.pool();
        let row = query::collection(pool, booking_id)
            .await?
            .ok_or(refuse(Rejection::PaymentNotStarted))?;
        if row.order.is_some() {
            return Ok(row);
        }
        if let Some(row) = take_turn(till, row, trace.map(str::to_owned)).await? {
            return Ok(row);
        }
        if Instant::now() >= deadline {
            return Err(refuse(Rejection::ProviderUnavailable));
        }
        till.store.changed(LOOK_EVERY).await;
    }
}

/// Takes the turn, if it is free, and runs it to its end, even when the caller has gone: half of
/// it would leave others waiting. So the turn is taken by the task that cannot be dropped.
async fn take_turn(
    till: &Arc<Till>,
    row: CollectionRow,
    trace: Option<String>,
) -> Result<Option<CollectionRow>, Error> {
    let till = Arc::clone(till);
    let work = async move {
        let (pool, booking_id) = (till.store.pool(), row.booking_id);
        let Some(turn) = query::take_turn(pool, booking_id, TURN_SECONDS).await? else {
            return Ok(None);
        };
        let wanted = WantedOrder { receipt: row.collection_id, booking_id, amount: row.amount };
        let ordering = order(till.provider.as_ref(), wanted, turn > 1);
        let ordered = tokio::select! {
            ordered = ordering => ordered,
            never = keep(&till, booking_id, turn) => match never {},
        };
        match ordered {
            Ok(order) => {
                till.orders.taken();
                record(&till, &row, order, trace.as_deref()).await.map(Some)
            }
            Err(error) => {
                till.orders.failed(booking_id, &error);
                query::give_turn_back(pool, booking_id, turn).await?;
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
async fn keep(till: &Till, booking_id: Id<Booking>, turn: i32) -> Infallible {
    loop {
        tokio::time::sleep(KEEP_EVERY).await;
        let kept = query::keep_turn(till.store.pool(), booking_id, turn, TURN_SECONDS).await;
        if let Err(error) = kept {
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
    wanted: WantedOrder,
    asked_before: bool,
) -> Result<OrderId, ProviderError> {
    if asked_before && let Some(found) = provider.find_order(wanted).await? {
        return Ok(found);
    }
    match provider.create_order(wanted).await {
        // It may exist all the same: the answer was lost, or the receipt was taken by us before.
        Err(error @ (ProviderError::Silent(_) | ProviderError::Refused { .. })) => {
            provider.find_order(wanted).await?.ok_or(error)
        }
        done => done,
    }
}

async fn record(
    till: &Till,
    row: &CollectionRow,
    order: OrderId,
    trace: Option<&str>,
) -> Result<CollectionRow, Error> {
    let (booking_id, provider) = (row.booking_id, till.provider.name());
    till.store
        .write(metadata("payments", booking_id, trace), move |tx| {
            let (provider, order) = (provider.to_owned(), order.clone());
            Box::pin(async move {
                let mut open = OpenCollection::load(tx, booking_id).await?;
                open.apply(tx, Command::RecordOrder { provider, order }).await?;
                Ok::<(), Error>(())
            })
        })
        .await?;
    let row = query::collection(till.store.pool(), booking_id).await?;
    row.ok_or(refuse(Rejection::PaymentNotStarted))
}

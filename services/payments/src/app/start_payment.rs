//! Creates the one order of a booking: records the intent, calls the provider, records the order.

use std::sync::Arc;

use eventstore::new_id;
use kernel::Id;
use kernel::id::{Booking, Customer};

use super::ensure_order::ensure_order;
use super::idempotency::IdempotencyKey;
use super::{App, metadata, traced};
use crate::domain::collection::{Command, Standing, Terms};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query::{self, CollectionRow};
use crate::repository::LockedCollection;

/// The collection with its order, created or found again.
///
/// # Errors
/// `BookingNotFound`, `IdempotencyKeyReused`, `HoldEnded`,
/// `InvalidPrice`, `ProviderUnavailable`, or that a part is down.
pub async fn start_payment(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
    key: &IdempotencyKey,
) -> Result<CollectionRow, Error> {
    let known = query::collection(app.store.pool(), booking_id).await?;
    if let Some(row) = &known {
        if row.customer_id != customer_id {
            return Err(refuse(Rejection::BookingNotFound));
        }
        if row.order.is_some() && has_money(row.standing) {
            key.check_or_store(app, booking_id).await?;
            return Ok(row.clone());
        }
    }
    let facts = app.bookings.facts(booking_id).await?;
    if facts.customer_id != customer_id {
        return Err(refuse(Rejection::BookingNotFound));
    }
    key.check_or_store(app, booking_id).await?;
    let now = app.store.now().await?;
    if facts.held_until_at.is_none_or(|until| until <= now) {
        return Err(refuse(Rejection::HoldEnded));
    }
    let trace = match known.and_then(|row| row.traceparent) {
        Some(trace) => Some(trace),
        None => query::announced_trace(app.store.pool(), booking_id).await?,
    };
    let terms = Terms { collection_id: new_id(), booking_id, customer_id, amount: facts.price };
    let work = async {
        record_intent(app, terms, trace.as_deref()).await?;
        ensure_order(app, booking_id, trace.as_deref()).await
    };
    traced("start payment", booking_id, trace.as_deref(), work).await
}

/// Whether money has arrived, even if it was refunded since; then another checkout makes no sense.
fn has_money(standing: Standing) -> bool {
    match standing {
        Standing::Paid | Standing::Mismatched | Standing::Refunding | Standing::Refunded => true,
        Standing::Pending | Standing::Failed => false,
    }
}

async fn record_intent(app: &App, terms: Terms, trace: Option<&str>) -> Result<(), Error> {
    let actor = terms.customer_id.to_string();
    app.store
        .write(metadata(&actor, terms.booking_id, trace), move |tx| {
            Box::pin(async move {
                let mut locked = LockedCollection::load(tx, terms.booking_id).await?;
                locked.apply(tx, Command::Open(terms)).await?;
                Ok(())
            })
        })
        .await
}

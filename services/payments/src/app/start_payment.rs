//! Gives a booking its one order: the intent first, then the provider, then the answer.

use std::sync::Arc;

use eventstore::new_id;
use kernel::Id;
use kernel::id::{Booking, Customer};

use super::ensure_order::ensure_order;
use super::idempotent::Key;
use super::{Error, Rejection, Till, metadata, refuse, traced};
use crate::domain::collection::{Command, Standing, Terms};
use crate::read_model::query::{self, CollectionRow};
use crate::store::OpenCollection;

/// The collection with its order, created or found again.
///
/// # Errors
/// `BookingNotFound`, `IdempotencyKeyReused`, `HoldEnded`,
/// `InvalidPrice`, `ProviderUnavailable`, or that a part is down.
pub async fn start_payment(
    till: &Arc<Till>,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
    key: &Key,
) -> Result<CollectionRow, Error> {
    let known = query::collection(till.store.pool(), booking_id).await?;
    if let Some(row) = &known {
        if row.customer_id != customer_id {
            return Err(refuse(Rejection::BookingNotFound));
        }
        if row.order.is_some() && has_money(row.standing) {
            key.admit(till, booking_id).await?;
            return Ok(row.clone());
        }
    }
    let facts = till.bookings.facts(booking_id).await?;
    if facts.customer_id != customer_id {
        return Err(refuse(Rejection::BookingNotFound));
    }
    key.admit(till, booking_id).await?;
    let now = till.store.now().await?;
    if facts.held_until_at.is_none_or(|until| until <= now) {
        return Err(refuse(Rejection::HoldEnded));
    }
    let trace = match known.and_then(|row| row.traceparent) {
        Some(trace) => Some(trace),
        None => query::announced_trace(till.store.pool(), booking_id).await?,
    };
    let terms = Terms { collection_id: new_id(), booking_id, customer_id, amount: facts.price };
    let work = async {
        record_intent(till, terms, trace.as_deref()).await?;
        ensure_order(till, booking_id, trace.as_deref()).await
    };
    traced("start payment", booking_id, trace.as_deref(), work).await
}

/// Whether money has arrived, whatever became of it; then another checkout makes no sense.
fn has_money(standing: Standing) -> bool {
    match standing {
        Standing::Paid | Standing::Mismatched | Standing::Refunding | Standing::Refunded => true,
        Standing::Pending | Standing::Failed => false,
    }
}

async fn record_intent(till: &Till, terms: Terms, trace: Option<&str>) -> Result<(), Error> {
    let actor = terms.customer_id.to_string();
    till.store
        .write(metadata(&actor, terms.booking_id, trace), move |tx| {
            Box::pin(async move {
                let mut open = OpenCollection::load(tx, terms.booking_id).await?;
                open.apply(tx, Command::Open(terms)).await?;
                Ok(())
            })
        })
        .await
}

//! Asks the provider again for the order of a sold booking.

use std::sync::Arc;

use eventstore::Metadata;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use runtime::status::chain;

use super::fold::{Next, Told, fold, look_into};
use super::{Error, Till, metadata, traced};
use crate::domain::fact::Source;
use crate::provider::ProviderError;
use crate::read_model::query;
use crate::sold_orders::{self, ASK_SOLD_ORDER, Ask};

/// The answer "too many requests".
const TOO_MANY: u16 = 429;

/// Takes a second of the common pace, or, when it has come, asks and folds the answer.
///
/// # Errors
/// When the database or booking does not answer; the timer comes again.
pub async fn ask_sold_order(till: &Till, booking_id: Id<Booking>, ask: Ask) -> Result<(), Error> {
    let row = query::collection(till.store.pool(), booking_id).await?;
    let Some((row, order)) = row.and_then(|row| row.order.clone().map(|order| (row, order))) else {
        return end(till, booking_id).await;
    };
    if !ask.is_placed() {
        return place(till, booking_id, ask).await;
    }
    let trace = row.traceparent.as_deref();
    let work = async {
        let starts_at = match till.bookings.facts(booking_id).await {
            Ok(facts) => facts.starts_at,
            // Booking may have been restored from a copy that is older than this sale.
            Err(Error::Rejected(_)) => None,
            Err(error) => return Err(error),
        };
        let asked = till.provider.payments_of(&order.id).await;
        if let Err(error) = &asked {
            tracing::warn!(%booking_id, error = chain(error), "a sold order could not be asked");
        }
        let is_too_fast = matches!(asked, Err(ProviderError::Later(TOO_MANY)));
        let is_answered = asked.is_ok();
        let told = look_into(till, asked.unwrap_or_default()).await?;
        let next = if is_answered && !told.is_partial { ask.answered() } else { ask.failed() };
        let metadata = metadata("payments", booking_id, trace);
        write_down(till, metadata, (booking_id, told), (next, starts_at), is_too_fast).await
    };
    traced("ask sold order", booking_id, trace, work).await
}

/// Writes down what was told, the pace, and when the next question is asked.
async fn write_down(
    till: &Till,
    metadata: Metadata,
    (booking_id, told): (Id<Booking>, Told),
    (next, starts_at): (Ask, Option<Timestamp>),
    is_too_fast: bool,
) -> Result<(), Error> {
    let told = Arc::new(told);
    till.store
        .write(metadata, move |tx| {
            let told = Arc::clone(&told);
            Box::pin(async move {
                fold(tx, booking_id, &told, Source::Poll, Next::Keep).await?;
                let now = tx.now().await?;
                sold_orders::set(tx, booking_id, next, now, starts_at).await?;
                Ok(sold_orders::keep_pace(tx, is_too_fast).await?)
            })
        })
        .await
}

/// Puts the question off to the next free second of the pace.
async fn place(till: &Till, booking_id: Id<Booking>, ask: Ask) -> Result<(), Error> {
    till.store
        .write(Metadata::by("payments", None), move |tx| {
            Box::pin(async move {
                let due = sold_orders::take_place(tx).await?;
                let payload = ask.placed().payload();
                Ok(tx.set_bulk_timer(ASK_SOLD_ORDER, &booking_id.to_string(), due, payload).await?)
            })
        })
        .await
}

/// Ends questions that have nothing to ask for.
async fn end(till: &Till, booking_id: Id<Booking>) -> Result<(), Error> {
    till.store
        .write(Metadata::by("payments", None), move |tx| {
            Box::pin(
                async move { Ok(tx.end_timer(ASK_SOLD_ORDER, &booking_id.to_string()).await?) },
            )
        })
        .await
}

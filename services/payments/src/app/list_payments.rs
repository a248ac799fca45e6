//! Every night the provider's own list of payments is compared with our book: what we were never
//! told is found here. Then whatever is still open is asked after once more.

use eventstore::Metadata;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::take_in::{not_told, pass_over, take_in_payment, take_in_report};
use super::{Error, Till, metadata};
use crate::domain::collection::Command;
use crate::domain::fact::{OrderId, Status};
use crate::provider::{ProviderError, WantedOrder};
use crate::read_model::{inbox, query, settlement};
use crate::store::OpenCollection;

const DAY: i64 = 24 * 3600;
/// How far back payments are listed, from the list before; the provider lets money come up to three
/// days late.
const LISTED_FOR: i64 = 4 * DAY;
/// And at most, however long we have been away.
const LISTED_FOR_MAX: i64 = 60 * DAY;
/// How long a webhook or an order's creation may take to explain itself.
const PATIENCE: i64 = 15 * 60;
/// How many of each kind of open question are asked at once, so that a slow provider answers in
/// time.
const QUESTIONS: i64 = 5;

/// Where a list begins, when the one before began at `before`: what was created since then is in
/// it, and what was created before and could still be captured since. So nights without a list, in
/// which we were away, leave no gap.
#[must_use]
pub fn listed_from(now: Timestamp, before: Option<Timestamp>) -> Timestamp {
    let from = before.unwrap_or(now).min(now).plus_seconds(-LISTED_FOR);
    from.max(now.plus_seconds(-LISTED_FOR_MAX))
}

/// Compares a page of the list of what was created since `from`, in its so-manieth try; says where
/// the next one begins.
///
/// # Errors
/// When the database or the provider does not answer.
pub async fn list_page(
    till: &Till,
    (from, now): (Timestamp, Timestamp),
    skip: usize,
    attempts: i32,
) -> Result<Option<usize>, Error> {
    // The provider's clock may be ahead of ours.
    let until = now.plus_seconds(DAY);
    let page = till.provider.payments_between(from, until, skip).await;
    let page = page.map_err(|error| not_told("payments", &error))?;
    if page.unread > 0 {
        tracing::error!(unread = page.unread, "payments of the provider's list cannot be read");
    }
    for report in page.items {
        pass_over(take_in_report(till, report).await, attempts)?;
    }
    Ok(page.next)
}

/// Asks after what nothing explains yet: payments and orders that are not ours, and orders whose
/// creation had no answer. Some of each, by chance.
///
/// # Errors
/// When the database or the provider does not answer.
pub async fn ask_after(till: &Till, now: Timestamp, attempts: i32) -> Result<(), Error> {
    let (pool, before) = (till.store.pool(), now.plus_seconds(-PATIENCE));
    for payment in settlement::some_unknown(pool, QUESTIONS).await? {
        pass_over(take_in_payment(till, &payment).await, attempts)?;
    }
    for order in settlement::some_waiting(pool, before, QUESTIONS).await? {
        pass_over(ask_after_order(till, &order).await, attempts)?;
    }
    for (booking_id, turn) in settlement::some_without_order(pool, before, QUESTIONS).await? {
        pass_over(look_for_order(till, booking_id, turn).await, attempts)?;
    }
    Ok(())
}

/// An order whose creation had no answer is recorded if it is there, or known not to be.
async fn look_for_order(till: &Till, booking_id: Id<Booking>, turn: i32) -> Result<(), Error> {
    let row = query::collection(till.store.pool(), booking_id).await?;
    let Some(row) = row else { return Ok(()) };
    let wanted = WantedOrder { receipt: row.collection_id, booking_id, amount: row.amount };
    let found = till.provider.find_order(wanted).await;
    let found = found.map_err(|error| not_told("order", &error))?;
    let provider = till.provider.name();
    till.store
        .write(metadata("payments", booking_id, row.traceparent.as_deref()), move |tx| {
            let found = found.clone();
            Box::pin(async move {
                let Some(order) = found else {
                    settlement::note_absent_order(tx, booking_id, turn).await?;
                    return Ok(());
                };
                let mut open = OpenCollection::load(tx, booking_id).await?;
                let provider = provider.to_owned();
                open.apply(tx, Command::RecordOrder { provider, order }).await?;
                Ok(())
            })
        })
        .await
}

/// An order that webhooks told of and that is not ours: its money is taken in as unknown. One on
/// which no money came needs no explanation, and if some comes later, another webhook tells.
async fn ask_after_order(till: &Till, order: &OrderId) -> Result<(), Error> {
    let reports = match till.provider.payments_of(order).await {
        Ok(reports) => reports,
        // Not even the provider knows it.
        Err(ProviderError::Refused { .. }) => Vec::new(),
        Err(error) => return Err(not_told("payments of an order", &error)),
    };
    let mut is_money = false;
    for report in reports {
        is_money |= report.payment.fact.status >= Status::Captured;
        take_in_report(till, report).await?;
    }
    if is_money {
        return Ok(());
    }
    let order = order.clone();
    till.store
        .write(Metadata::by("payments", None), move |tx| {
            let order = order.clone();
            Box::pin(async move {
                for event_id in inbox::waiting_for(tx, &order).await? {
                    inbox::folded(tx, &event_id).await?;
                }
                Ok::<(), Error>(())
            })
        })
        .await
}

//! Every night the provider's own list of payments is compared with our book: what we were never
//! told is found here. Then whatever is still open is asked after once more.

use eventstore::Metadata;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::import_payment::{
    import_payment, import_report, provider_unavailable, skip_after_retries,
};
use super::{App, Error, metadata};
use crate::domain::collection::Command;
use crate::domain::fact::{OrderId, Status};
use crate::provider::{OrderRequest, ProviderError};
use crate::read_model::{inbox, query, settlement};
use crate::repository::LockedCollection;

const DAY: i64 = 24 * 3600;
/// How far back payments are listed, from the list before; the provider lets money come up to three
/// days late.
const LOOKBACK: i64 = 4 * DAY;
/// And at most, however long we have been away.
const LOOKBACK_MAX: i64 = 60 * DAY;
/// How long a webhook or an order's creation may take to explain itself.
const GRACE: i64 = 15 * 60;
/// How many of each kind of open question are asked at once, so that a slow provider answers in
/// time.
const MAX_LOOKUPS: i64 = 5;

/// Where a list begins, when the one before began at `before`: what was created since then is in
/// it, and what was created before and could still be captured since. So nights without a list, in
/// which we were away, leave no gap.
#[must_use]
pub fn listed_from(now: Timestamp, before: Option<Timestamp>) -> Timestamp {
    let from = before.unwrap_or(now).min(now).plus_seconds(-LOOKBACK);
    from.max(now.plus_seconds(-LOOKBACK_MAX))
}

/// Compares a page of the list of what was created since `from`, in its so-manieth try; says where
/// the next one begins.
///
/// # Errors
/// When the database or the provider does not answer.
pub async fn list_page(
    app: &App,
    (from, now): (Timestamp, Timestamp),
    skip: usize,
    attempts: i32,
) -> Result<Option<usize>, Error> {
    // The provider's clock may be ahead of ours.
    let until = now.plus_seconds(DAY);
    let page = app.provider.payments_between(from, until, skip).await;
    let page = page.map_err(|error| provider_unavailable("payments", &error))?;
    if page.unread > 0 {
        tracing::error!(unread = page.unread, "payments of the provider's list cannot be read");
    }
    for report in page.items {
        skip_after_retries(import_report(app, report).await, attempts)?;
    }
    Ok(page.next)
}

/// Asks after what nothing explains yet: payments and orders that are not ours, and orders whose
/// creation had no answer. Some of each, by chance.
///
/// # Errors
/// When the database or the provider does not answer.
pub async fn look_up_open_items(app: &App, now: Timestamp, attempts: i32) -> Result<(), Error> {
    let (pool, before) = (app.store.pool(), now.plus_seconds(-GRACE));
    for payment in settlement::sample_unknown(pool, MAX_LOOKUPS).await? {
        skip_after_retries(import_payment(app, &payment).await, attempts)?;
    }
    for order in settlement::sample_waiting(pool, before, MAX_LOOKUPS).await? {
        skip_after_retries(look_up_order(app, &order).await, attempts)?;
    }
    for (booking_id, lease) in settlement::sample_without_order(pool, before, MAX_LOOKUPS).await? {
        skip_after_retries(find_missing_order(app, booking_id, lease).await, attempts)?;
    }
    Ok(())
}

/// An order whose creation had no answer is recorded if it is there, or known not to be.
async fn find_missing_order(app: &App, booking_id: Id<Booking>, lease: i32) -> Result<(), Error> {
    let row = query::collection(app.store.pool(), booking_id).await?;
    let Some(row) = row else { return Ok(()) };
    let wanted = OrderRequest { receipt: row.collection_id, booking_id, amount: row.amount };
    let found = app.provider.find_order(wanted).await;
    let found = found.map_err(|error| provider_unavailable("order", &error))?;
    let provider = app.provider.name();
    app.store
        .write(metadata("payments", booking_id, row.traceparent.as_deref()), move |tx| {
            let found = found.clone();
            Box::pin(async move {
                let Some(order) = found else {
                    settlement::record_absent_order(tx, booking_id, lease).await?;
                    return Ok(());
                };
                let mut locked = LockedCollection::load(tx, booking_id).await?;
                let provider = provider.to_owned();
                locked.apply(tx, Command::RecordOrder { provider, order }).await?;
                Ok(())
            })
        })
        .await
}

/// An order that webhooks told of and that is not ours: its money is taken in as unknown. One on
/// which no money came needs no explanation, and if some comes later, another webhook tells.
async fn look_up_order(app: &App, order: &OrderId) -> Result<(), Error> {
    let reports = match app.provider.payments_of(order).await {
        Ok(reports) => reports,
        // Not even the provider knows it.
        Err(ProviderError::Refused { .. }) => Vec::new(),
        Err(error) => return Err(provider_unavailable("payments of an order", &error)),
    };
    let mut is_money = false;
    for report in reports {
        is_money |= report.payment.fact.status >= Status::Captured;
        import_report(app, report).await?;
    }
    if is_money {
        return Ok(());
    }
    let order = order.clone();
    app.store
        .write(Metadata::by("payments", None), move |tx| {
            let order = order.clone();
            Box::pin(async move {
                for event_id in inbox::waiting_for(tx, &order).await? {
                    inbox::mark_folded(tx, &event_id).await?;
                }
                Ok::<(), Error>(())
            })
        })
        .await
}

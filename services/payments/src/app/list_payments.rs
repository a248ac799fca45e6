//! Compares the provider's list of payments with our ledger every night, to find payments that no
//! webhook reported. Then looks up the items that are still open.

use eventstore::Metadata;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::import_payment::{
    import_payment, import_report, provider_unavailable, skip_after_retries,
};
use super::{App, metadata};
use crate::domain::collection::Command;
use crate::domain::fact::{OrderId, Status};
use crate::error::Error;
use crate::providers::{OrderRequest, ProviderError};
use crate::read_model::{inbox, query, settlement};
use crate::repository::LockedCollection;

const DAY: i64 = 24 * 3600;
/// How far back payments are listed, before the start of the previous list; captures may be up to
/// three days late.
const LOOKBACK: i64 = 4 * DAY;
/// The limit, however long the service was down.
const LOOKBACK_MAX: i64 = 60 * DAY;
/// How long a webhook or an order's creation may stay open before it is looked up.
const GRACE: i64 = 15 * 60;
/// How many open items of each kind are looked up at once, so that a slow provider does not exceed
/// the timer's timeout.
const MAX_LOOKUPS: i64 = 5;

/// The start of a list when the previous one began at `before`: it includes what was created since
/// then, and what was created earlier and could be captured since. So nights without a list leave
/// no gap.
#[must_use]
pub fn listed_from(now: Timestamp, before: Option<Timestamp>) -> Timestamp {
    let from = before.unwrap_or(now).min(now).plus_seconds(-LOOKBACK);
    from.max(now.plus_seconds(-LOOKBACK_MAX))
}

/// Imports a page of the payments created since `from`; `attempts` counts from 1. Returns where the
/// next page begins.
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

/// Looks up open items: payments and orders that are not ours, payments that were authorised long
/// ago, and orders whose creation had no answer. A random sample of each.
pub async fn look_up_open_items(app: &App, now: Timestamp, attempts: i32) -> Result<(), Error> {
    let (pool, before) = (app.store.pool(), now.plus_seconds(-GRACE));
    for payment in settlement::sample_unknown(pool, MAX_LOOKUPS).await? {
        skip_after_retries(import_payment(app, &payment).await, attempts)?;
    }
    // The provider may have voided it after our polling ended, and no webhook may have come.
    for payment in settlement::sample_authorized(pool, MAX_LOOKUPS).await? {
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

/// Looks up an order whose creation had no answer: records the order, or that there is none.
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

/// An order that webhooks reported and that is not ours: its money is imported as unknown. An order
/// without money is closed; if money arrives later, another webhook reports it.
async fn look_up_order(app: &App, order: &OrderId) -> Result<(), Error> {
    let reports = match app.provider.payments_of(order).await {
        Ok(reports) => reports,
        // The provider does not know it either.
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

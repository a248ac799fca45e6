//! Polls the order of a sold booking.

use std::sync::Arc;

use eventstore::Metadata;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use runtime::status::chain;

use super::ask_provider::ask_provider;
use super::fold::{PollDirective, ProviderReport, fetch_missing_refunds, fold};
use super::{App, metadata, traced};
use crate::domain::fact::Source;
use crate::error::Error;
use crate::providers::ProviderError;
use crate::read_model::query::{self, CollectionRow};
use crate::repository::call_pace;
use crate::timers::sold_orders::{self, ASK_SOLD_ORDER, RecheckSchedule};

/// The answer "too many requests".
const TOO_MANY_REQUESTS: u16 = 429;

/// Reserves a time in the rate limit, or, when that time has come, polls the order and folds the
/// report.
///
/// # Errors
/// When the database or booking does not answer; the timer comes again.
pub async fn ask_sold_order(
    app: &App,
    booking_id: Id<Booking>,
    schedule: RecheckSchedule,
) -> Result<(), Error> {
    let row = query::collection(app.store.pool(), booking_id).await?;
    let Some(row) = row.filter(CollectionRow::is_at_provider) else {
        return end_rechecks(app, booking_id).await;
    };
    if !schedule.is_reserved() {
        return reserve(app, booking_id, schedule).await;
    }
    let trace = row.traceparent.as_deref();
    let work = async {
        let starts_at = match app.bookings.facts(booking_id).await {
            Ok(facts) => facts.starts_at,
            // Booking may have been restored from a copy that is older than this sale.
            Err(Error::Rejected(_)) => None,
            Err(error) => return Err(error),
        };
        let answers = ask_provider(app, &row).await?;
        if let Some(error) = &answers.failed {
            tracing::warn!(%booking_id, error = chain(error), "a sold order could not be asked");
        }
        let is_too_fast =
            matches!(answers.failed, Some(ProviderError::RetryLater(TOO_MANY_REQUESTS)));
        let is_answered = answers.failed.is_none();
        let links = answers.links;
        let report = fetch_missing_refunds(app, answers.payments).await?;
        let report = ProviderReport { links, are_links_known: answers.are_links_known, ..report };
        let next =
            if is_answered && !report.is_partial { schedule.answered() } else { schedule.failed() };
        let metadata = metadata("payments", booking_id, trace);
        let next = NextPoll { schedule: next, starts_at, is_too_fast };
        record(app, metadata, booking_id, report, next).await
    };
    traced("ask sold order", booking_id, trace, work).await
}

/// What the time of the next poll depends on.
#[derive(Clone, Copy)]
struct NextPoll {
    schedule: RecheckSchedule,
    starts_at: Option<Timestamp>,
    is_too_fast: bool,
}

/// Records the report, the rate limit and the time of the next poll.
async fn record(
    app: &App,
    metadata: Metadata,
    booking_id: Id<Booking>,
    report: ProviderReport,
    next: NextPoll,
) -> Result<(), Error> {
    let report = Arc::new(report);
    app.store
        .write(metadata, move |tx| {
            let report = Arc::clone(&report);
            Box::pin(async move {
                fold(tx, booking_id, &report, Source::Poll, PollDirective::Keep).await?;
                let now = tx.now().await?;
                // Of a booking that is over, only late money can still come.
                let is_live = query::booking_state(tx.connection(), booking_id).await?.is_live();
                let starts_at = next.starts_at.filter(|_| is_live);
                sold_orders::set(tx, booking_id, next.schedule, now, starts_at).await?;
                Ok(call_pace::adjust_pace(tx, next.is_too_fast).await?)
            })
        })
        .await
}

/// Postpones the poll to the next free time of the rate limit.
async fn reserve(
    app: &App,
    booking_id: Id<Booking>,
    schedule: RecheckSchedule,
) -> Result<(), Error> {
    app.store
        .write(Metadata::by("payments", None), move |tx| {
            Box::pin(async move {
                let due = call_pace::reserve_time(tx).await?;
                let payload = schedule.reserved().payload();
                Ok(tx.set_bulk_timer(ASK_SOLD_ORDER, &booking_id.to_string(), due, payload).await?)
            })
        })
        .await
}

/// Ends the polling of a booking without an order.
async fn end_rechecks(app: &App, booking_id: Id<Booking>) -> Result<(), Error> {
    app.store
        .write(Metadata::by("payments", None), move |tx| {
            Box::pin(
                async move { Ok(tx.end_timer(ASK_SOLD_ORDER, &booking_id.to_string()).await?) },
            )
        })
        .await
}

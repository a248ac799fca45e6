//! Polls a collection's order and links, and their payments, when its timer fires.

use std::time::Duration;

use eventstore::Metadata;
use kernel::id::Booking;
use kernel::{Id, Money, Timestamp};
use runtime::status::chain;

use super::ask_provider::{Answers, ask_provider};
use super::fold::{CompletedPoll, PollDirective, fetch_refunds_and_orders, fold_in_transaction};
use super::{App, metadata, traced};
use crate::domain::fact::{Amount, Fact, Source, Status};
use crate::error::Error;
use crate::providers::PaymentReport;
use crate::read_model::query::{self, CollectionRow};
use crate::timers::polling::{self, PollSchedule};

/// The timeout of fetching the hold's end from booking. The poll works without it.
const HOLD_TIMEOUT: Duration = Duration::from_secs(2);

/// Asks, folds, and sets the next time, or ends the polling.
pub async fn poll_order(
    app: &App,
    booking_id: Id<Booking>,
    schedule: PollSchedule,
) -> Result<(), Error> {
    let row = query::collection(app.store.pool(), booking_id).await?;
    let Some(row) = row.filter(CollectionRow::is_at_provider) else {
        return end_polling(app, booking_id).await;
    };
    let trace = row.traceparent.as_deref();
    let work = async {
        let answers = ask_provider(app, &row).await?;
        if let Some(error) = &answers.failed {
            tracing::warn!(%booking_id, error = chain(error), "an order could not be polled");
        }
        let answers = capture_authorized(app, &row, schedule, answers).await?;
        let report = fetch_refunds_and_orders(app, &row, answers).await?;
        let next = if report.is_partial { schedule.failed() } else { schedule.answered() };
        let held_until = held_until(app, booking_id, next).await?;
        let next = PollDirective::Advance(CompletedPoll { schedule, next, held_until });
        let metadata = metadata("payments", booking_id, trace);
        fold_in_transaction(app, metadata, booking_id, report, (Source::Poll, next)).await?;
        Ok(())
    };
    traced("poll order", booking_id, trace, work).await
}

/// Captures a payment that the provider left authorised: one of our order, if no other money was
/// captured. Otherwise it would be voided days later while its payer believes that it is paid. Its
/// amount may have a fee or an offer in it, and is captured as it is: the order's state decides
/// whether it counts.
async fn capture_authorized(
    app: &App,
    row: &CollectionRow,
    schedule: PollSchedule,
    mut answers: Answers,
) -> Result<Answers, Error> {
    let has_money = |report: &PaymentReport| report.payment.fact.status >= Status::Captured;
    let is_late = schedule.is_past_capture(app.store.now().await?);
    // At the desk it may have been paid meanwhile.
    let is_paid = row.standing.has_money() || answers.payments.iter().any(has_money);
    if !is_late || is_paid {
        return Ok(answers);
    }
    let amount = Amount::from(row.amount);
    let Answers { orders, payments, .. } = &mut answers;
    let is_ours = |fact: &Fact| {
        let order = fact.order.as_ref();
        fact.status == Status::Authorized
            && fact.amount.currency == amount.currency
            && order.is_some_and(|order| orders.contains(order))
    };
    let authorized = payments.iter_mut().find(|report| is_ours(&report.payment.fact));
    if let Some(report) = authorized {
        let (booking_id, payment) = (row.booking_id, report.payment.id.clone());
        let left = Money { minor: report.payment.fact.amount.minor, ..row.amount };
        match app.provider.capture(&payment, left).await {
            Ok(captured) => {
                tracing::info!(%booking_id, %payment, "a payment that was left is captured");
                *report = captured;
            }
            // The next poll tries again.
            Err(error) => {
                let error = chain(&error);
                tracing::warn!(%booking_id, %payment, error, "a payment could not be captured");
            }
        }
    }
    Ok(answers)
}

/// The end of the booking's hold, if the next poll could miss it and booking answers.
async fn held_until(
    app: &App,
    booking_id: Id<Booking>,
    next: PollSchedule,
) -> Result<Option<Timestamp>, Error> {
    if !next.is_slow(app.store.now().await?) {
        return Ok(None);
    }
    let facts = tokio::time::timeout(HOLD_TIMEOUT, app.bookings.facts(booking_id)).await;
    Ok(facts.ok().and_then(Result::ok).and_then(|facts| facts.held_until_at))
}

/// Ends the polling of a booking without an order or a link.
async fn end_polling(app: &App, booking_id: Id<Booking>) -> Result<(), Error> {
    app.store
        .write(Metadata::by("payments", None), move |tx| {
            Box::pin(async move { Ok(polling::end(tx, booking_id).await?) })
        })
        .await
}

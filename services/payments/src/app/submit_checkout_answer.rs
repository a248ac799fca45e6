//! Handles the checkout's signed answer. The signature proves its origin, not the capture, so the
//! payment is fetched from the provider at once.

use eventstore::IdempotencyKey;
use kernel::Id;
use kernel::id::{Booking, Customer};
use runtime::status::chain;

use super::ask_provider::Answers;
use super::fold::{PollDirective, fetch_refunds_and_orders, fold_in_transaction};
use super::idempotency::check_or_store;
use super::ownership::{owned, started};
use super::{App, metadata, traced};
use crate::domain::collection::Standing;
use crate::domain::fact::{OrderId, PaymentId, Source};
use crate::error::{Error, Rejection, refuse};
use crate::providers::ReturnError;
use crate::read_model::query::CollectionRow;

/// Returns the payment's state after it.
///
/// # Errors
/// `BookingNotFound`, `PaymentNotStarted`, `InvalidPaymentId`, `SignatureInvalid` or
/// `IdempotencyKeyReused`.
pub async fn submit_checkout_answer(
    app: &App,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
    (payment_id, signature): (&str, &str),
    key: &IdempotencyKey,
) -> Result<Standing, Error> {
    let row = owned(app, customer_id, booking_id).await?;
    let order = row.order.clone().ok_or(refuse(Rejection::PaymentNotStarted))?;
    let payment_id = verified(app, booking_id, &order.id, (payment_id, signature))?;
    check_or_store(app, key, booking_id).await?;
    confirm_with_provider(app, (row, payment_id), &customer_id.to_string(), booking_id).await
}

/// Handles the same answer from the form that the checkout posts where it cannot call the page: in
/// browsers inside other apps. The payer may be signed out there; the signature over this booking's
/// own order is the authority.
///
/// # Errors
/// `BookingNotFound`, `PaymentNotStarted`, `InvalidPaymentId` or `SignatureInvalid`.
pub async fn submit_return(
    app: &App,
    booking_id: Id<Booking>,
    (payment_id, signature): (&str, &str),
) -> Result<Standing, Error> {
    let (row, order) = started(app, booking_id).await?;
    let payment_id = verified(app, booking_id, &order.id, (payment_id, signature))?;
    confirm_with_provider(app, (row, payment_id), "checkout-return", booking_id).await
}

fn verified(
    app: &App,
    booking_id: Id<Booking>,
    order: &OrderId,
    (payment_id, signature): (&str, &str),
) -> Result<PaymentId, Error> {
    app.provider.verify_return(order, payment_id, signature).map_err(|refusal| match refusal {
        ReturnError::Malformed => refuse(Rejection::InvalidPaymentId),
        ReturnError::Forged => {
            tracing::warn!(%booking_id, "a checkout answer with a wrong signature was refused");
            refuse(Rejection::SignatureInvalid)
        }
    })
}

/// Fetches the payment from the provider and folds the report.
async fn confirm_with_provider(
    app: &App,
    (row, payment_id): (CollectionRow, PaymentId),
    actor: &str,
    booking_id: Id<Booking>,
) -> Result<Standing, Error> {
    let trace = row.traceparent.as_deref();
    let work = async {
        let asked = app.provider.payment(&payment_id).await;
        if let Err(error) = &asked {
            // The answer is valid, and polling finds the payment later; the caller waits for its
            // event.
            tracing::warn!(%booking_id, error = chain(error), "a payment could not be fetched");
        }
        let orders = row.order.iter().map(|order| order.id.clone()).collect();
        let payments = asked.into_iter().collect();
        let answers = Answers { payments, orders, ..Answers::default() };
        let report = fetch_refunds_and_orders(app, &row, answers).await?;
        let metadata = metadata(actor, booking_id, trace);
        let how = (Source::Checkout, PollDirective::Restart);
        let outcome = fold_in_transaction(app, metadata, booking_id, report, how).await?;
        Ok(outcome.standing)
    };
    traced("submit checkout answer", booking_id, trace, work).await
}

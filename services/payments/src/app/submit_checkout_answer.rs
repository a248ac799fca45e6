//! Takes the checkout's signed answer. A signature proves who speaks, never that money is here:
//! that is asked of the provider at once.

use kernel::Id;
use kernel::id::{Booking, Customer};
use runtime::status::chain;

use super::fold::{Next, fold_now, look_into_order};
use super::idempotent::Key;
use super::owner::{owned, started};
use super::{Error, Rejection, Till, metadata, refuse, traced};
use crate::domain::collection::Standing;
use crate::domain::fact::{OrderId, PaymentId, Source};
use crate::provider::Refusal;
use crate::read_model::query::CollectionRow;

/// Where the payment stands after it.
///
/// # Errors
/// `BookingNotFound`, `PaymentNotStarted`, `InvalidPaymentId`, `SignatureInvalid` or
/// `IdempotencyKeyReused`.
pub async fn submit_checkout_answer(
    till: &Till,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
    (payment_id, signature): (&str, &str),
    key: &Key,
) -> Result<Standing, Error> {
    let (row, order) = owned(till, customer_id, booking_id).await?;
    let payment_id = verified(till, booking_id, &order.id, (payment_id, signature))?;
    key.admit(till, booking_id).await?;
    take_in(till, (row, payment_id), &customer_id.to_string(), booking_id).await
}

/// Takes the same answer from the form that the checkout posts where it cannot call the page: in
/// browsers inside other apps. The payer may be signed out there; the signature over this booking's
/// own order is the authority.
///
/// # Errors
/// `BookingNotFound`, `PaymentNotStarted`, `InvalidPaymentId` or `SignatureInvalid`.
pub async fn take_return(
    till: &Till,
    booking_id: Id<Booking>,
    (payment_id, signature): (&str, &str),
) -> Result<Standing, Error> {
    let (row, order) = started(till, booking_id).await?;
    let payment_id = verified(till, booking_id, &order.id, (payment_id, signature))?;
    take_in(till, (row, payment_id), "checkout-return", booking_id).await
}

fn verified(
    till: &Till,
    booking_id: Id<Booking>,
    order: &OrderId,
    (payment_id, signature): (&str, &str),
) -> Result<PaymentId, Error> {
    till.provider.verify_return(order, payment_id, signature).map_err(|refusal| match refusal {
        Refusal::Malformed => refuse(Rejection::InvalidPaymentId),
        Refusal::Forged => {
            tracing::warn!(%booking_id, "a checkout answer with a wrong signature was refused");
            refuse(Rejection::SignatureInvalid)
        }
    })
}

/// Asks the provider for the payment and takes in what it says.
async fn take_in(
    till: &Till,
    (row, payment_id): (CollectionRow, PaymentId),
    actor: &str,
    booking_id: Id<Booking>,
) -> Result<Standing, Error> {
    let trace = row.traceparent.as_deref();
    let work = async {
        let asked = till.provider.payment(&payment_id).await;
        if let Err(error) = &asked {
            // The answer is good, and the poller asks again; the caller waits for its word.
            tracing::warn!(%booking_id, error = chain(error), "a payment could not be fetched");
        }
        let told = look_into_order(till, &row, asked.into_iter().collect()).await?;
        let metadata = metadata(actor, booking_id, trace);
        fold_now(till, metadata, booking_id, told, (Source::Checkout, Next::Hurry)).await
    };
    traced("submit checkout answer", booking_id, trace, work).await
}

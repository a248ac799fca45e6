//! Takes the checkout's signed answer. A signature proves who speaks, never that money is here:
//! that is asked of the provider at once.

use kernel::Id;
use kernel::id::{Booking, Customer};
use runtime::status::chain;

use super::fold::{Next, fold_now, look_into};
use super::idempotent::Key;
use super::owner::owned;
use super::{Error, Rejection, Till, metadata, refuse, traced};
use crate::domain::collection::Standing;
use crate::domain::fact::Source;
use crate::provider::Refusal;

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
    let verified = till.provider.verify_return(&order.id, payment_id, signature);
    let payment_id = verified.map_err(|refusal| match refusal {
        Refusal::Malformed => refuse(Rejection::InvalidPaymentId),
        Refusal::Forged => {
            tracing::warn!(%booking_id, "a checkout answer with a wrong signature was refused");
            refuse(Rejection::SignatureInvalid)
        }
    })?;
    key.admit(till, booking_id).await?;
    let trace = row.traceparent.as_deref();
    let work = async {
        let asked = till.provider.payment(&payment_id).await;
        if let Err(error) = &asked {
            // The answer is good, and the poller asks again; the caller waits for its word.
            tracing::warn!(%booking_id, error = chain(error), "a payment could not be fetched");
        }
        let told = look_into(till, asked.into_iter().collect()).await?;
        let metadata = metadata(&customer_id.to_string(), booking_id, trace);
        fold_now(till, metadata, booking_id, told, (Source::Checkout, Next::Hurry)).await
    };
    traced("submit checkout answer", booking_id, trace, work).await
}

//! Asks the provider at once. The answer is what it says, never what the caller says.

use kernel::Id;
use kernel::id::{Booking, Customer};

use super::fold::{Next, fold_now, look_into_order};
use super::owner::owned;
use super::{Error, Till, metadata, provider_failed, traced};
use crate::domain::collection::Standing;
use crate::domain::fact::Source;

/// Where the payment stands.
///
/// # Errors
/// `BookingNotFound`, `PaymentNotStarted` or `ProviderUnavailable`.
pub async fn check_payment(
    till: &Till,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
) -> Result<Standing, Error> {
    let (row, order) = owned(till, customer_id, booking_id).await?;
    // What is verified stays so; the rest is for the provider to say.
    if matches!(row.standing, Standing::Paid | Standing::Refunding) {
        return Ok(row.standing);
    }
    let trace = row.traceparent.as_deref();
    let work = async {
        let reports = till
            .provider
            .payments_of(&order.id)
            .await
            .map_err(|error| provider_failed(booking_id, &error))?;
        let metadata = metadata(&customer_id.to_string(), booking_id, trace);
        let told = look_into_order(till, &row, reports).await?;
        fold_now(till, metadata, booking_id, told, (Source::Poll, Next::Keep)).await
    };
    traced("check payment", booking_id, trace, work).await
}

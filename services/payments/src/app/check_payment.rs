//! Queries the provider at once. The result is what the provider reports, never what the caller
//! says.

use kernel::Id;
use kernel::id::{Booking, Customer};

use super::fold::{PollDirective, fetch_refunds_and_order, fold_in_transaction};
use super::ownership::owned;
use super::{App, metadata, provider_failed, traced};
use crate::domain::collection::Standing;
use crate::domain::fact::Source;
use crate::error::Error;

/// Returns the payment's state.
///
/// # Errors
/// `BookingNotFound`, `PaymentNotStarted` or `ProviderUnavailable`.
pub async fn check_payment(
    app: &App,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
) -> Result<Standing, Error> {
    let (row, order) = owned(app, customer_id, booking_id).await?;
    // A verified payment stays verified; anything else is queried.
    if matches!(row.standing, Standing::Paid | Standing::Refunding) {
        return Ok(row.standing);
    }
    let trace = row.traceparent.as_deref();
    let work = async {
        let reports = app
            .provider
            .payments_of(&order.id)
            .await
            .map_err(|error| provider_failed(booking_id, &error))?;
        let metadata = metadata(&customer_id.to_string(), booking_id, trace);
        let report = fetch_refunds_and_order(app, &row, reports).await?;
        fold_in_transaction(app, metadata, booking_id, report, (Source::Poll, PollDirective::Keep))
            .await
    };
    traced("check payment", booking_id, trace, work).await
}

//! Queries the provider at once. The result is what the provider reports, never what the caller
//! says.

use kernel::Id;
use kernel::id::{Booking, Customer};

use super::ask_provider::ask_provider;
use super::fold::{Outcome, PollDirective, fetch_refunds_and_orders, fold_in_transaction};
use super::ownership::owned;
use super::{App, metadata, provider_failed, traced};
use crate::domain::collection::Standing;
use crate::domain::fact::Source;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query::{self, CollectionRow};

/// Returns the payment's state.
///
/// # Errors
/// `BookingNotFound`, `PaymentNotStarted` or `ProviderUnavailable`.
pub async fn check_payment(
    app: &App,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
) -> Result<Outcome, Error> {
    let row = owned(app, customer_id, booking_id).await?;
    check(app, &row).await
}

/// The same for the holder of the key of a booking's page.
///
/// # Errors
/// As [`check_payment`].
pub async fn check_page_payment(app: &App, page_key: &str) -> Result<Outcome, Error> {
    let facts = app.bookings.page_facts(page_key).await?;
    let row = query::collection(app.store.pool(), facts.booking_id).await?;
    let row = row.filter(CollectionRow::is_at_provider);
    check(app, &row.ok_or(refuse(Rejection::PaymentNotStarted))?).await
}

async fn check(app: &App, row: &CollectionRow) -> Result<Outcome, Error> {
    let CollectionRow { booking_id, customer_id, .. } = *row;
    // A verified payment stays verified; anything else is queried.
    if matches!(row.standing, Standing::Paid | Standing::Refunding) {
        return Ok(Outcome { standing: row.standing, ended_link: None });
    }
    let trace = row.traceparent.as_deref();
    let work = async {
        let answers = ask_provider(app, row).await?;
        if let Some(error) = &answers.failed {
            return Err(provider_failed(booking_id, error));
        }
        let metadata = metadata(&customer_id.to_string(), booking_id, trace);
        let report = fetch_refunds_and_orders(app, row, answers).await?;
        fold_in_transaction(app, metadata, booking_id, report, (Source::Poll, PollDirective::Keep))
            .await
    };
    traced("check payment", booking_id, trace, work).await
}

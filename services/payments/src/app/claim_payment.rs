//! Records the client's claim to have paid, queries the provider at once and restarts polling. Only
//! captured money makes a booking paid.

use eventstore::IdempotencyKey;
use kernel::Id;
use kernel::id::{Booking, Customer};
use runtime::status::chain;

use super::ask_provider::ask_provider;
use super::fold::{Outcome, PollDirective, fetch_refunds_and_orders, fold_in_transaction};
use super::idempotency::check_or_store;
use super::ownership::owned;
use super::{App, metadata, traced};
use crate::domain::collection::Command;
use crate::domain::fact::Source;
use crate::error::Error;
use crate::repository::LockedCollection;

/// Returns the payment's state after it.
///
/// # Errors
/// `BookingNotFound`, `PaymentNotStarted` or `IdempotencyKeyReused`.
pub async fn claim_payment(
    app: &App,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
    key: &IdempotencyKey,
) -> Result<Outcome, Error> {
    let row = owned(app, customer_id, booking_id).await?;
    check_or_store(app, key, booking_id).await?;
    let trace = row.traceparent.as_deref();
    let actor = customer_id.to_string();
    let work = async {
        record(app, &actor, booking_id, trace).await?;
        let answers = ask_provider(app, &row).await?;
        if let Some(error) = &answers.failed {
            // The claim is recorded, and polling goes on.
            tracing::warn!(%booking_id, error = chain(error), "a claim could not be checked yet");
        }
        let report = fetch_refunds_and_orders(app, &row, answers).await?;
        let metadata = metadata(&actor, booking_id, trace);
        fold_in_transaction(
            app,
            metadata,
            booking_id,
            report,
            (Source::Poll, PollDirective::Restart),
        )
        .await
    };
    traced("claim payment", booking_id, trace, work).await
}

async fn record(
    app: &App,
    actor: &str,
    booking_id: Id<Booking>,
    trace: Option<&str>,
) -> Result<(), Error> {
    app.store
        .write(metadata(actor, booking_id, trace), move |tx| {
            Box::pin(async move {
                let mut locked = LockedCollection::load(tx, booking_id).await?;
                locked.apply(tx, Command::Claim).await?;
                Ok(())
            })
        })
        .await
}

//! Records that the customer says it is paid, asks the provider at once and keeps asking. Only
//! captured money makes a booking paid.

use kernel::Id;
use kernel::id::{Booking, Customer};
use runtime::status::chain;

use super::fold::{Next, fold_now, look_into_order};
use super::idempotent::Key;
use super::owner::owned;
use super::{Error, Till, metadata, traced};
use crate::domain::collection::{Command, Standing};
use crate::domain::fact::Source;
use crate::store::OpenCollection;

/// Where the payment stands after it.
///
/// # Errors
/// `BookingNotFound`, `PaymentNotStarted` or `IdempotencyKeyReused`.
pub async fn claim_payment(
    till: &Till,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
    key: &Key,
) -> Result<Standing, Error> {
    let (row, order) = owned(till, customer_id, booking_id).await?;
    key.admit(till, booking_id).await?;
    let trace = row.traceparent.as_deref();
    let actor = customer_id.to_string();
    let work = async {
        record(till, &actor, booking_id, trace).await?;
        let asked = till.provider.payments_of(&order.id).await;
        if let Err(error) = &asked {
            // The claim is recorded, and the poller goes on asking.
            tracing::warn!(%booking_id, error = chain(error), "a claim could not be checked yet");
        }
        let told = look_into_order(till, &row, asked.unwrap_or_default()).await?;
        let metadata = metadata(&actor, booking_id, trace);
        fold_now(till, metadata, booking_id, told, (Source::Poll, Next::Hurry)).await
    };
    traced("claim payment", booking_id, trace, work).await
}

async fn record(
    till: &Till,
    actor: &str,
    booking_id: Id<Booking>,
    trace: Option<&str>,
) -> Result<(), Error> {
    till.store
        .write(metadata(actor, booking_id, trace), move |tx| {
            Box::pin(async move {
                let mut open = OpenCollection::load(tx, booking_id).await?;
                open.apply(tx, Command::Claim).await?;
                Ok(())
            })
        })
        .await
}

//! The customer gives a held time back before checkout was opened.

use std::sync::Arc;

use eventstore::{Metadata, request_hash};
use kernel::Id;
use kernel::id::{Booking, Customer};

use super::idempotent::Key;
use super::open_checkout::owned;
use super::placement::carry_out;
use super::request::parse_key;
use super::{Desk, Error};
use crate::domain::booking;

/// The call's name beside idempotency keys.
const METHOD: &str = "ReleaseBooking";

/// Releases a customer's booking.
///
/// # Errors
/// `CheckoutOpened` when it is too late, `BookingNotFound` for somebody else's booking.
pub async fn release_booking(
    desk: &Arc<Desk>,
    customer_id: Id<Customer>,
    id: Id<Booking>,
    key: &str,
) -> Result<(), Error> {
    let key = Arc::new(Key {
        caller: customer_id.to_string(),
        method: METHOD,
        key: parse_key(key)?,
        hash: request_hash(id.to_string().as_bytes()),
    });
    let metadata = Metadata::by(customer_id.to_string(), runtime::telemetry::traceparent())
        .about(id.to_string());
    let desk_for_task = Arc::clone(desk);
    desk.store
        .write(metadata, move |tx| {
            let (desk, key) = (Arc::clone(&desk_for_task), Arc::clone(&key));
            Box::pin(async move {
                if key.recall::<Booking>(tx).await?.is_some() {
                    return Ok(());
                }
                let mut open = owned(tx, &desk, customer_id, id).await?;
                let events = open.apply(tx, booking::Command::Release).await?;
                if !events.is_empty() {
                    carry_out(tx, &mut open, id, &events).await?;
                    tracing::info!(booking_id = %id, "the time was given back");
                }
                key.remember(tx, id).await
            })
        })
        .await
}

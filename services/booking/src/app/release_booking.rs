//! The customer releases a held time before checkout was opened.

use std::sync::Arc;

use eventstore::{Metadata, request_hash};
use kernel::Id;
use kernel::id::{Booking, Customer};

use super::App;
use super::idempotency::IdempotencyKey;
use super::open_checkout::load_owned;
use super::placement::apply_effects;
use super::request::parse_key;
use crate::domain::booking;
use crate::error::Error;
use crate::repository::hold_origins;

/// The method's name, stored with its idempotency keys.
const METHOD: &str = "ReleaseBooking";

/// Releases a customer's booking.
///
/// # Errors
/// `CheckoutOpened` when checkout was opened, `BookingNotFound` when the caller doesn't own the
/// booking.
pub async fn release_booking(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    id: Id<Booking>,
    key: &str,
) -> Result<(), Error> {
    let key = Arc::new(IdempotencyKey {
        caller: customer_id.to_string(),
        method: METHOD,
        key: parse_key(key)?,
        hash: request_hash(id.to_string().as_bytes()),
    });
    let metadata = Metadata::by(customer_id.to_string(), runtime::telemetry::traceparent())
        .about(id.to_string());
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let (app, key) = (Arc::clone(&app_for_task), Arc::clone(&key));
            Box::pin(async move {
                if key.lookup::<Booking>(tx).await?.is_some() {
                    return Ok(());
                }
                let mut locked = load_owned(tx, &app, customer_id, id).await?;
                let events = locked.apply(tx, booking::Command::Release).await?;
                if !events.is_empty() {
                    apply_effects(tx, &mut locked, id, &events).await?;
                    hold_origins::release(tx, id, locked.now).await?;
                    tracing::info!(booking_id = %id, "the time was given back");
                }
                key.store(tx, id).await
            })
        })
        .await
}

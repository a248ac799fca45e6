//! The customer releases a held time before checkout was opened.

use std::sync::Arc;

use kernel::Id;
use kernel::id::{Booking, Customer};
use service::{IdempotencyKey, once};

use super::App;
use super::open_checkout::load_owned;
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
    let key = IdempotencyKey::about(&customer_id, METHOD, parse_key(key)?, id);
    let command = once(key, (&app.store, app), None, id, move |tx, app| {
        Box::pin(async move {
            let mut locked = load_owned(tx, app, customer_id, id).await?;
            let events = locked.apply(tx, booking::Command::Release).await?;
            if !events.is_empty() {
                hold_origins::release(tx, id, locked.now).await?;
                tracing::info!(booking_id = %id, "the time was given back");
            }
            Ok(())
        })
    });
    command.await.map(|_id| ())
}

//! The customer opens the provider's checkout: the hold is extended, once.

use std::sync::Arc;

use eventstore::Tx;
use kernel::Id;
use kernel::id::{Booking, Customer};
use service::{IdempotencyKey, once};

use super::App;
use super::request::parse_key;
use crate::domain::booking;
use crate::error::{Error, Rejection, refuse};
use crate::repository::LockedBooking;

/// The method's name, stored with its idempotency keys.
const METHOD: &str = "OpenCheckout";

/// Extends the hold of a customer's booking.
///
/// # Errors
/// `HoldEnded` when the hold has expired, `BookingNotFound` when the caller doesn't own the
/// booking.
pub async fn open_checkout(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    id: Id<Booking>,
    key: &str,
) -> Result<(), Error> {
    let key = IdempotencyKey::about(&customer_id, METHOD, parse_key(key)?, id);
    let command = once(key, (&app.store, app), None, id, move |tx, app| {
        Box::pin(async move {
            let mut locked = load_owned(tx, app, customer_id, id).await?;
            let command =
                booking::Command::OpenCheckout { grow_minutes: grow_minutes(app), now: locked.now };
            locked.apply(tx, command).await?;
            Ok(())
        })
    });
    command.await.map(|_id| ())
}

/// By how many minutes opening checkout extends a hold.
pub(crate) fn grow_minutes(app: &App) -> i64 {
    let policies = &app.practice.policies;
    i64::from(policies.hold_extended_minutes) - i64::from(policies.hold_minutes)
}

/// Loads a booking under its locks if the customer owns it.
pub(crate) async fn load_owned(
    tx: &mut Tx,
    app: &App,
    customer_id: Id<Customer>,
    id: Id<Booking>,
) -> Result<LockedBooking, Error> {
    let locked = LockedBooking::load(tx, &app.rules, id).await?;
    locked
        .filter(|locked| locked.state.facts().is_some_and(|facts| facts.customer_id == customer_id))
        .ok_or(refuse(Rejection::BookingNotFound))
}

//! The provider's checkout is being opened: the hold is extended, once.

use std::sync::Arc;

use eventstore::{Metadata, Tx, request_hash};
use kernel::Id;
use kernel::id::{Booking, Customer};

use super::idempotent::Key;
use super::placement::carry_out;
use super::request::parse_key;
use super::{Desk, Error, Rejection, refuse};
use crate::domain::booking;
use crate::store::OpenBooking;

/// The call's name beside idempotency keys.
const METHOD: &str = "OpenCheckout";

/// Extends the hold of a customer's booking.
///
/// # Errors
/// `HoldEnded` when there is none any more, `BookingNotFound` for somebody else's booking.
pub async fn open_checkout(
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
                let command = booking::Command::OpenCheckout {
                    grow_minutes: grow_minutes(&desk),
                    now: open.now,
                };
                let events = open.apply(tx, command).await?;
                carry_out(tx, &mut open, id, &events).await?;
                key.remember(tx, id).await
            })
        })
        .await
}

/// How much longer a hold lasts once checkout was opened.
pub(crate) fn grow_minutes(desk: &Desk) -> i64 {
    let policies = &desk.practice.policies;
    i64::from(policies.hold_extended_minutes) - i64::from(policies.hold_minutes)
}

/// A customer's own booking under its locks.
pub(crate) async fn owned(
    tx: &mut Tx,
    desk: &Desk,
    customer_id: Id<Customer>,
    id: Id<Booking>,
) -> Result<OpenBooking, Error> {
    let open = OpenBooking::load(tx, &desk.rules, id).await?;
    open.filter(|open| open.state.facts().is_some_and(|facts| facts.customer_id == customer_id))
        .ok_or(refuse(Rejection::BookingNotFound))
}

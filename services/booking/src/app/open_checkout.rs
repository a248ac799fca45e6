//! The provider's checkout is being opened: the hold is extended, once.

use std::sync::Arc;

use eventstore::{Metadata, Tx, request_hash};
use kernel::Id;
use kernel::id::{Booking, Customer};

use super::idempotent::Key;
use super::request::parse_key;
use super::{Desk, Error, Rejection, refuse};
use crate::domain::{booking, day};
use crate::store::OpenBooking;
use crate::timers::{self, HOLD_END};

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
                if key.recall(tx).await?.is_some() {
                    return Ok(());
                }
                let mut open = owned(tx, &desk, customer_id, id).await?;
                let command = booking::Command::OpenCheckout {
                    grow_minutes: grow_minutes(&desk),
                    now: open.now,
                };
                extend(tx, &mut open, id, command).await?;
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

/// Decides an extension of the hold and carries it to the days and the timer.
pub(crate) async fn extend(
    tx: &mut Tx,
    open: &mut OpenBooking,
    id: Id<Booking>,
    command: booking::Command,
) -> Result<(), Error> {
    let events = open.apply(tx, command).await?;
    for event in events {
        if let booking::Event::CheckoutOpened { until } = event {
            let extend = |_span| day::Command::Extend { booking_id: id, until };
            open.apply_to_days(tx, extend).await?;
            tx.set_timer(HOLD_END, &id.to_string(), until, timers::payload(tx)).await?;
            tracing::info!(booking_id = %id, "the hold was extended");
        }
    }
    Ok(())
}

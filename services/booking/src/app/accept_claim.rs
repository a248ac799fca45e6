//! Staff take a customer's word for a payment: the booking is confirmed without verified money, by
//! name of who decided it.

use std::sync::Arc;

use contract::booking::v1::AcceptClaimRequest;
use eventstore::{Act, Metadata, Tx, request_hash};
use kernel::Id;
use kernel::id::Booking;
use runtime::staff::Staff;

use super::idempotent::Key;
use super::placement::carry_out;
use super::request::parse_key;
use super::{Desk, Error, Rejection, refuse};
use crate::domain::booking::Command;
use crate::read_model::query;
use crate::store::OpenBooking;

/// The call's name beside idempotency keys and in the audit log.
pub const METHOD: &str = "AcceptClaim";

/// Confirms it.
///
/// # Errors
/// `NotClaimed` when the customer never said that it is paid; `TimeOccupied` when its time is gone.
pub async fn accept_claim(
    desk: &Arc<Desk>,
    staff: Staff,
    asked: AcceptClaimRequest,
) -> Result<Id<Booking>, Error> {
    let id: Id<Booking> =
        asked.booking_id.parse().map_err(|_malformed| refuse(Rejection::BookingNotFound))?;
    let key = Arc::new(Key {
        caller: staff.id.to_string(),
        method: METHOD,
        key: parse_key(&asked.idempotency_key)?,
        hash: request_hash(id.to_string().as_bytes()),
    });
    let metadata =
        Metadata::by(staff.id.to_string(), runtime::telemetry::traceparent()).about(id.to_string());
    let desk_for_task = Arc::clone(desk);
    desk.store
        .write(metadata, move |tx| {
            let (desk, key) = (Arc::clone(&desk_for_task), Arc::clone(&key));
            Box::pin(async move {
                tx.audit(staff, Act { action: METHOD, subject: &id.to_string() }).await?;
                if key.recall::<Booking>(tx).await?.is_none() {
                    accept(tx, &desk, id).await?;
                    key.remember(tx, id).await?;
                }
                Ok(id)
            })
        })
        .await
}

async fn accept(tx: &mut Tx, desk: &Desk, id: Id<Booking>) -> Result<(), Error> {
    let Some(mut open) = OpenBooking::load(tx, &desk.rules, id).await? else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    let claimed = query::is_claimed(tx, id).await?;
    let free = open.is_free(tx).await?;
    let command = Command::AcceptClaim { claimed, free, now: open.now };
    let events = open.apply(tx, command).await?;
    carry_out(tx, &mut open, id, &events).await
}

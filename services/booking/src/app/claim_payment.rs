//! The customer says that it is paid: the hold is extended, once, while the provider is asked; or,
//! where the practice takes every such word, the booking is confirmed on it.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;

use super::open_checkout::grow_minutes;
use super::placement::{carry_out, place};
use super::{ClaimPolicy, Desk, Error};
use crate::domain::booking::Command;
use crate::read_model::learn;
use crate::store::OpenBooking;

/// Runs inside the transaction that takes the claim's event in.
///
/// # Errors
/// When the database does not answer.
pub async fn claim_payment(tx: &mut Tx, desk: &Desk, id: Id<Booking>) -> Result<(), Error> {
    let Some(mut open) = OpenBooking::load(tx, &desk.rules, id).await? else { return Ok(()) };
    // A claim is decided about once, on the state of its time: when events are taken in again, a
    // time that was gone then may be free by now.
    if !learn::claimed(tx, id).await? {
        return Ok(());
    }
    let accept = match desk.claims {
        ClaimPolicy::Review => None,
        ClaimPolicy::Accept => Some(place(tx, &desk.rules, &open).await?),
    };
    let now = open.now;
    let command = Command::ClaimPayment { grow_minutes: grow_minutes(desk), accept, now };
    let events = open.apply(tx, command).await?;
    carry_out(tx, &mut open, id, &events).await?;
    Ok(())
}

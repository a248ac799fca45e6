//! The customer says that it is paid: the hold is extended, once, while the provider is asked.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;

use super::open_checkout::{extend, grow_minutes};
use super::{Desk, Error};
use crate::domain::booking::Command;
use crate::read_model::learn;
use crate::store::OpenBooking;

/// Runs inside the transaction that takes the claim's event in.
///
/// # Errors
/// When the database does not answer.
pub async fn claim_payment(tx: &mut Tx, desk: &Desk, id: Id<Booking>) -> Result<(), Error> {
    let Some(mut open) = OpenBooking::load(tx, &desk.rules, id).await? else { return Ok(()) };
    let command = Command::ClaimPayment { grow_minutes: grow_minutes(desk), now: open.now };
    extend(tx, &mut open, id, command).await?;
    learn::claimed(tx, id).await?;
    Ok(())
}

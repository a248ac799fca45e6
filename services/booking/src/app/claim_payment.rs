//! The customer claims to have paid: the hold is extended once while the provider is queried; or,
//! under the policy `accept`, the booking is confirmed on the claim.

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;

use super::App;
use super::open_checkout::grow_minutes;
use super::placement::check_placement;
use crate::domain::booking::Command;
use crate::domain::claim_policy::ClaimPolicy;
use crate::error::Error;
use crate::read_model::external_facts;
use crate::repository::LockedBooking;

/// Runs inside the transaction that handles the event.
pub async fn claim_payment(tx: &mut Tx, app: &App, id: Id<Booking>) -> Result<(), Error> {
    let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? else { return Ok(()) };
    // A claim is decided once, on the state of its time at that moment: when events are consumed
    // again, a time that was taken then may be free now.
    if !external_facts::claimed(tx, id).await? {
        return Ok(());
    }
    let accept = match app.claim_policy {
        ClaimPolicy::Review => None,
        ClaimPolicy::Accept => Some(check_placement(tx, &app.practitioners, &locked).await?),
    };
    let now = locked.now;
    let command = Command::ClaimPayment { grow_minutes: grow_minutes(app), accept, now };
    locked.apply(tx, command).await?;
    Ok(())
}

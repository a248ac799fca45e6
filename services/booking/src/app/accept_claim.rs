//! Staff accept a claimed payment: the booking is confirmed without verified money, and the audit
//! log says who decided it.

use std::sync::Arc;

use contract::booking::v1::AcceptClaimRequest;
use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;
use service::{IdempotencyKey, once};
use staff::Staff;

use super::App;
use super::request::parse_key;
use crate::domain::booking::Command;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query;
use crate::repository::LockedBooking;

/// The method's name, in idempotency keys and the audit log.
pub const METHOD: &str = "AcceptClaim";

/// Confirms the booking.
///
/// # Errors
/// `NotClaimed` when the customer didn't claim a payment; `TimeOccupied` when the time is taken.
pub async fn accept_claim(
    app: &Arc<App>,
    staff: Staff,
    request: AcceptClaimRequest,
) -> Result<Id<Booking>, Error> {
    let id: Id<Booking> =
        request.booking_id.parse().map_err(|_malformed| refuse(Rejection::BookingNotFound))?;
    let key = parse_key(&request.idempotency_key)?;
    let key = IdempotencyKey::about(&staff.id, METHOD, key, id);
    let command =
        once(key, (&app.store, app), Some(staff), id, move |tx, app| Box::pin(accept(tx, app, id)));
    command.await
}

async fn accept(tx: &mut Tx, app: &App, id: Id<Booking>) -> Result<(), Error> {
    let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    let claimed = query::is_claimed(tx, id).await?;
    let free = locked.is_free(tx).await?;
    let command = Command::AcceptClaim { claimed, free, now: locked.now };
    locked.apply(tx, command).await?;
    Ok(())
}

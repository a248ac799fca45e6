//! Staff take back an unpaid booking that was made by phone: entered wrongly, or not wanted any
//! more. Its time is free at once, and payments ends its link.

use std::sync::Arc;

use contract::booking::v1::ReleaseHoldRequest;
use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;
use service::{IdempotencyKey, once};
use staff::Staff;

use super::App;
use super::request::parse_key;
use crate::domain::booking::Command;
use crate::error::{Error, Rejection, refuse};
use crate::repository::{LockedBooking, hold_origins};

/// The method's name, in idempotency keys and the audit log.
pub const METHOD: &str = "ReleaseHold";

/// Takes the booking back.
///
/// # Errors
/// `BookingNotFound`, `NotByPhone`, or `HoldEnded` for one that is paid.
pub async fn release_hold(
    app: &Arc<App>,
    staff: Staff,
    request: ReleaseHoldRequest,
) -> Result<Id<Booking>, Error> {
    let id: Id<Booking> =
        request.booking_id.parse().map_err(|_malformed| refuse(Rejection::BookingNotFound))?;
    let key = parse_key(&request.idempotency_key)?;
    let key = IdempotencyKey::about(&staff.id, METHOD, key, id);
    let command = once(key, (&app.store, app), Some(staff), id, move |tx, app| {
        Box::pin(release(tx, app, id))
    });
    command.await
}

async fn release(tx: &mut Tx, app: &App, id: Id<Booking>) -> Result<(), Error> {
    let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    let events = locked.apply(tx, Command::TakeBack).await?;
    if !events.is_empty() {
        hold_origins::release(tx, id, locked.now).await?;
        tracing::info!(booking_id = %id, "staff took the booking back");
    }
    Ok(())
}

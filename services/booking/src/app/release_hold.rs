//! Staff take back an unpaid booking that was made by phone: entered wrongly, or not wanted any
//! more. Its time is free at once, and payments ends its link.

use std::sync::Arc;

use contract::booking::v1::ReleaseHoldRequest;
use eventstore::{Act, Metadata, Tx, request_hash};
use kernel::Id;
use kernel::id::Booking;
use staff::Staff;

use super::App;
use super::idempotency::IdempotencyKey;
use super::placement::apply_effects;
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
    let key = Arc::new(IdempotencyKey {
        caller: staff.id.to_string(),
        method: METHOD,
        key: parse_key(&request.idempotency_key)?,
        hash: request_hash(id.to_string().as_bytes()),
    });
    let metadata =
        Metadata::by(staff.id.to_string(), runtime::telemetry::traceparent()).about(id.to_string());
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let (app, key) = (Arc::clone(&app_for_task), Arc::clone(&key));
            Box::pin(async move {
                tx.audit(staff, Act { action: METHOD, subject: &id.to_string() }).await?;
                if key.lookup::<Booking>(tx).await?.is_none() {
                    release(tx, &app, id).await?;
                    key.store(tx, id).await?;
                }
                Ok(id)
            })
        })
        .await
}

async fn release(tx: &mut Tx, app: &App, id: Id<Booking>) -> Result<(), Error> {
    let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    let events = locked.apply(tx, Command::TakeBack).await?;
    if !events.is_empty() {
        apply_effects(tx, &mut locked, id, &events).await?;
        hold_origins::release(tx, id, locked.now).await?;
        tracing::info!(booking_id = %id, "staff took the booking back");
    }
    Ok(())
}

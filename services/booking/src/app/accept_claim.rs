//! Staff accept a claimed payment: the booking is confirmed without verified money, and the audit
//! log says who decided it.

use std::sync::Arc;

use contract::booking::v1::AcceptClaimRequest;
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
                    accept(tx, &app, id).await?;
                    key.store(tx, id).await?;
                }
                Ok(id)
            })
        })
        .await
}

async fn accept(tx: &mut Tx, app: &App, id: Id<Booking>) -> Result<(), Error> {
    let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    let claimed = query::is_claimed(tx, id).await?;
    let free = locked.is_free(tx).await?;
    let command = Command::AcceptClaim { claimed, free, now: locked.now };
    let events = locked.apply(tx, command).await?;
    apply_effects(tx, &mut locked, id, &events).await
}

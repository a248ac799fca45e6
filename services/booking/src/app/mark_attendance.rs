//! Staff say whether a client came to a session.

use std::sync::Arc;

use contract::booking::v1::MarkAttendanceRequest;
use eventstore::{Act, Metadata, Tx, request_hash};
use kernel::Id;
use kernel::id::Booking;
use prost::Message as _;
use staff::Staff;

use super::App;
use super::idempotency::IdempotencyKey;
use super::placement::apply_effects;
use super::request::parse_key;
use crate::contract::{read_attendance, read_number};
use crate::domain::booking::{Attendance, Command};
use crate::error::{Error, Rejection, refuse};
use crate::repository::LockedBooking;

/// The method's name, in idempotency keys and the audit log.
pub const METHOD: &str = "MarkAttendance";

/// Marks the session.
///
/// # Errors
/// `BookingNotFound`, `SessionNotFound`, or `NotMarkable`.
pub async fn mark_attendance(
    app: &Arc<App>,
    staff: Staff,
    mut request: MarkAttendanceRequest,
) -> Result<Id<Booking>, Error> {
    let id: Id<Booking> =
        request.booking_id.parse().map_err(|_malformed| refuse(Rejection::BookingNotFound))?;
    let attendance =
        read_attendance(request.attendance).ok_or(refuse(Rejection::InvalidAttendance))?;
    let session = match request.session_number {
        0 => None,
        number => Some(read_number(number).ok_or(refuse(Rejection::SessionNotFound))?),
    };
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let hash = request_hash(&request.encode_to_vec());
    let key = Arc::new(IdempotencyKey { caller: staff.id.to_string(), method: METHOD, key, hash });
    let metadata =
        Metadata::by(staff.id.to_string(), runtime::telemetry::traceparent()).about(id.to_string());
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let (app, key) = (Arc::clone(&app_for_task), Arc::clone(&key));
            Box::pin(async move {
                tx.audit(staff, Act { action: METHOD, subject: &id.to_string() }).await?;
                if key.lookup::<Booking>(tx).await?.is_none() {
                    mark(tx, &app, (id, session, attendance)).await?;
                    key.store(tx, id).await?;
                }
                Ok(id)
            })
        })
        .await
}

async fn mark(
    tx: &mut Tx,
    app: &App,
    (id, session, attendance): (Id<Booking>, Option<usize>, Attendance),
) -> Result<(), Error> {
    let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    let command = Command::MarkAttendance { session, attendance, now: locked.now };
    let events = locked.apply(tx, command).await?;
    apply_effects(tx, &mut locked, id, &events).await
}

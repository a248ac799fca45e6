//! Staff say whether a client came to a session.

use std::sync::Arc;

use contract::booking::v1::MarkAttendanceRequest;
use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;
use service::{IdempotencyKey, once};
use staff::Staff;

use super::App;
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
    let key = IdempotencyKey::of(&staff.id, METHOD, key, &request);
    let command = once(key, (&app.store, app), Some(staff), id, move |tx, app| {
        Box::pin(mark(tx, app, id, session, attendance))
    });
    command.await
}

async fn mark(
    tx: &mut Tx,
    app: &App,
    id: Id<Booking>,
    session: Option<usize>,
    attendance: Attendance,
) -> Result<(), Error> {
    let Some(mut locked) = LockedBooking::load(tx, &app.rules, id).await? else {
        return Err(refuse(Rejection::BookingNotFound));
    };
    let command = Command::MarkAttendance { session, attendance, now: locked.now };
    locked.apply(tx, command).await?;
    Ok(())
}

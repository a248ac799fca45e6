//! Staff book for a client on the phone, who has no account. The request takes the way of a
//! client's (`request_booking`); its customer is a contact of its own, and the terms are accepted
//! later.

use std::sync::Arc;

use contract::booking::v1::RequestPhoneBookingRequest;
use staff::Staff;

use super::App;
use super::pending_request::{HeldBooking, PhoneTerms};
use super::request::BookingRequest;
use super::request_booking::hold;
use super::requester::Requester;
use crate::error::{Error, Rejection, refuse};

/// How long a time is held if staff do not say, in minutes.
const HOLD_MINUTES: i64 = 24 * 60;
/// For how many minutes staff may have a time held.
const HOLD_RANGE: std::ops::RangeInclusive<i64> = 15..=7 * 24 * 60;

/// Returns the booking that holds the time.
///
/// # Errors
/// The rejection; then nothing was changed.
pub async fn request_phone_booking(
    app: &Arc<App>,
    staff: Staff,
    request: RequestPhoneBookingRequest,
) -> Result<HeldBooking, Error> {
    let hold_minutes = match i64::from(request.hold_minutes) {
        0 => HOLD_MINUTES,
        minutes if HOLD_RANGE.contains(&minutes) => minutes,
        _ => return Err(refuse(Rejection::InvalidHoldMinutes)),
    };
    let send_mail = request.send_mail;
    let details = BookingRequest::parse_phone(request, &app.consent.terms.version)?;
    hold(app, Requester::Staff(PhoneTerms { staff, hold_minutes, send_mail }), details).await
}

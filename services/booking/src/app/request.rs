//! What a booking request must be before anything is asked of the database.

use contract::booking::v1::RequestBookingRequest;
use contract::convert::timestamp;
use jiff::civil::{Date, Time};
use kernel::Timestamp;
use prost::Message as _;

use super::{Error, KEY_CHARS, Rejection, refuse};
use crate::contract::read_mode;
use crate::domain::booking::Mode;
use crate::domain::contact::{Contact, ContactInput};

/// No service's id is longer.
const SERVICE_ID_MAX: usize = 64;
/// A date as it is written: year-month-day.
const DATE_CHARS: usize = 10;
/// A time of day as it is written: hours and minutes.
const TIME_CHARS: usize = 5;

/// No session starts before the year 2000 or from 2100 on: what is further away is a slip, and not
/// every part of this program could reckon with it.
const START_SECONDS: std::ops::Range<i64> = 946_684_800..4_102_444_800;

/// A request that is right in itself.
#[derive(Debug, Clone)]
pub struct BookingRequest {
    /// The caller's key.
    pub key: String,
    /// What the key stands for: everything else in the request.
    pub hash: Vec<u8>,
    /// The service.
    pub service_id: String,
    /// When the session starts.
    pub starts_at: Timestamp,
    /// Online or in person.
    pub mode: Mode,
    /// Who comes.
    pub contact: Contact,
}

impl BookingRequest {
    /// Checks a request field by field.
    ///
    /// # Errors
    /// The first field that is wrong.
    pub fn parse(mut request: RequestBookingRequest) -> Result<Self, Error> {
        let key = parse_key(&request.idempotency_key)?;
        request.idempotency_key.clear();
        let hash = eventstore::request_hash(&request.encode_to_vec());
        if !is_service_id(&request.service_id) {
            return Err(refuse(Rejection::ServiceNotFound));
        }
        let starts_at = request
            .starts_at
            .as_ref()
            .and_then(timestamp)
            .filter(|starts_at| START_SECONDS.contains(&starts_at.seconds()))
            .ok_or(refuse(Rejection::InvalidStart))?;
        let mode = read_mode(request.mode).ok_or(refuse(Rejection::InvalidMode))?;
        let input = request.contact.unwrap_or_default();
        let contact = Contact::parse(&ContactInput {
            first_name: &input.first_name,
            last_name: &input.last_name,
            email: &input.email,
            phone: &input.phone,
            notes: &input.notes,
        })
        .map_err(|wrong| refuse(Rejection::InvalidContact(wrong)))?;
        if !request.terms_accepted {
            return Err(refuse(Rejection::TermsNotAccepted));
        }
        Ok(Self { key, hash, service_id: request.service_id, starts_at, mode, contact })
    }
}

/// Checks a caller's idempotency key.
///
/// # Errors
/// When it is not 8 to 64 printable characters.
pub fn parse_key(key: &str) -> Result<String, Error> {
    let good = KEY_CHARS.contains(&key.len()) && key.bytes().all(|b| b.is_ascii_graphic());
    if good { Ok(key.to_owned()) } else { Err(refuse(Rejection::InvalidIdempotencyKey)) }
}

/// Reads "2026-11-24".
#[must_use]
pub fn parse_date(text: &str) -> Option<Date> {
    (text.len() == DATE_CHARS).then(|| text.parse().ok())?
}

/// Reads "14:30".
#[must_use]
pub fn parse_time(text: &str) -> Option<Time> {
    let has_colon = text.as_bytes().get(2) == Some(&b':');
    (text.len() == TIME_CHARS && has_colon).then(|| text.parse().ok())?
}

/// Whether a text can be the id of a service at all.
#[must_use]
pub fn is_service_id(text: &str) -> bool {
    (1..=SERVICE_ID_MAX).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

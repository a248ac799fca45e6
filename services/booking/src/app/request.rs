//! Validation of a booking request, before the database is used.

use contract::booking::v1::{
    Consent as WireConsent, CorrectContactRequest, RequestBookingRequest,
    RequestPhoneBookingRequest, ShownText as WireShownText, ShownTexts as WireShownTexts,
};
use contract::convert::timestamp;
use jiff::civil::{Date, Time};
use kernel::{IdempotencyKey, Timestamp};
use prost::Message as _;

use crate::contract::read_mode;
use crate::domain::booking::Mode;
use crate::domain::consent::{Consent, ConsentInput};
use crate::domain::contact::{Contact, ContactInput};
use crate::domain::shown_texts::{NOTICE_HOURS, ShownText, ShownTexts};
use crate::error::{Error, Rejection, refuse};

/// The maximum length of a service id.
const SERVICE_ID_MAX: usize = 64;
/// The maximum number of sessions of a package.
const SESSIONS_MAX: usize = 20;
/// The maximum length of an event's address at the scheduling provider.
const EVENT_URI_MAX: usize = 500;
/// The length of a date, `YYYY-MM-DD`.
const DATE_CHARS: usize = 10;
/// The length of a time of day, `HH:MM`.
const TIME_CHARS: usize = 5;

/// Accepted start times: from the year 2000 to the end of 2099, in Unix seconds. Others are typing
/// errors, and time arithmetic could overflow on extreme ones.
const START_SECONDS: std::ops::Range<i64> = 946_684_800..4_102_444_800;

/// A validated booking request.
#[derive(Debug, Clone)]
pub struct BookingRequest {
    /// The caller's idempotency key.
    pub key: String,
    /// A hash of the rest of the request; a repeated key must come with the same hash.
    pub hash: Vec<u8>,
    /// The service.
    pub service_id: String,
    /// When the sessions start, in order: one, or those of a package.
    pub starts: Vec<Timestamp>,
    /// The wanted package; `None` for a single session.
    pub package_id: Option<String>,
    /// Online or in person.
    pub mode: Mode,
    /// The customer's contact data.
    pub contact: Contact,
    /// The wanted practitioner; `None` for anyone.
    pub practitioner_id: Option<String>,
    /// The customer's consent, if it was asked for.
    pub consent: Option<Consent>,
    /// What was scheduled in the provider's widget, of which this is to be the booking.
    pub scheduled_event_uri: Option<String>,
    /// Which versions of the practice's texts the page showed.
    pub shown: ShownTexts,
}

impl BookingRequest {
    /// Checks a request field by field. `consent_version` is the version of today's terms, to which
    /// alone a client can consent.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn parse(mut request: RequestBookingRequest, consent_version: &str) -> Result<Self, Error> {
        let key = parse_key(&request.idempotency_key)?;
        request.idempotency_key.clear();
        // A repeat from a page that was loaded again shows what stands now: it is the same request.
        let shown = request.shown.take();
        let hash = eventstore::request_hash(&request.encode_to_vec());
        if !is_service_id(&request.service_id) {
            return Err(refuse(Rejection::ServiceNotFound));
        }
        let starts = read_starts(&request).ok_or(refuse(Rejection::InvalidStart))?;
        let package_id = Some(request.package_id).filter(|id| !id.is_empty());
        if package_id.is_none() && starts.len() > 1 {
            return Err(refuse(Rejection::InvalidStart));
        }
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
        let shown = parse_shown(shown)?;
        let practitioner_id = wanted_practitioner(request.practitioner_id);
        let consent = request.consent.map(|given| parse_consent(&given, consent_version));
        let consent = consent.transpose()?;
        let event_uri = Some(request.scheduled_event_uri).filter(|uri| !uri.is_empty());
        let is_long = event_uri.as_ref().is_some_and(|uri| uri.len() > EVENT_URI_MAX);
        if is_long || (event_uri.is_some() && package_id.is_some()) {
            return Err(refuse(Rejection::ScheduledEventUsed));
        }
        let service_id = request.service_id;
        Ok(Self {
            key,
            hash,
            service_id,
            starts,
            package_id,
            mode,
            contact,
            practitioner_id,
            consent,
            scheduled_event_uri: event_uri,
            shown,
        })
    }

    /// Checks a request that staff make for a client on the phone, who accepts the terms later.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn parse_phone(
        mut request: RequestPhoneBookingRequest,
        consent_version: &str,
    ) -> Result<Self, Error> {
        let idempotency_key = std::mem::take(&mut request.idempotency_key);
        let hash = eventstore::request_hash(&request.encode_to_vec());
        let mut starts_at = request.starts_at.into_iter();
        let same = RequestBookingRequest {
            idempotency_key,
            service_id: request.service_id,
            starts_at: starts_at.next(),
            further_starts_at: starts_at.collect(),
            package_id: request.package_id,
            mode: request.mode,
            practitioner_id: request.practitioner_id,
            contact: request.contact,
            terms_accepted: true,
            consent: None,
            scheduled_event_uri: String::new(),
            shown: None,
        };
        Ok(Self { hash, ..Self::parse(same, consent_version)? })
    }
}

/// The starts of all sessions, in order; `None` if one is missing or out of range, or there are too
/// many.
fn read_starts(request: &RequestBookingRequest) -> Option<Vec<Timestamp>> {
    if request.further_starts_at.len() >= SESSIONS_MAX {
        return None;
    }
    let read = |starts_at| {
        timestamp(starts_at).filter(|starts_at| START_SECONDS.contains(&starts_at.seconds()))
    };
    let wanted = request.starts_at.iter().chain(&request.further_starts_at);
    let mut starts = wanted.map(read).collect::<Option<Vec<_>>>()?;
    starts.sort_unstable();
    (!starts.is_empty()).then_some(starts)
}

/// The practitioner that a request names; `None` for anyone.
#[must_use]
pub fn wanted_practitioner(practitioner_id: String) -> Option<String> {
    Some(practitioner_id).filter(|id| !id.is_empty())
}

/// Checks a consent; `version` is that of today's terms.
///
/// # Errors
/// The first invalid part.
pub(super) fn parse_consent(given: &WireConsent, version: &str) -> Result<Consent, Error> {
    let input = ConsentInput {
        version: &given.version,
        full_name: &given.full_name,
        email: &given.email,
        signature: &given.signature,
        accepted_declaration: given.accepted_declaration,
    };
    Consent::parse(&input, version).map_err(|wrong| refuse(Rejection::InvalidConsent(wrong)))
}

/// Reads which versions of the practice's texts a page showed.
///
/// # Errors
/// `InvalidShownTexts` when that can't be the name of a version.
pub(super) fn parse_shown(shown: Option<WireShownTexts>) -> Result<ShownTexts, Error> {
    let invalid = || refuse(Rejection::InvalidShownTexts);
    let WireShownTexts { terms, refunds, privacy, notice_hours } = shown.unwrap_or_default();
    if notice_hours.is_some_and(|hours| !NOTICE_HOURS.contains(&hours)) {
        return Err(invalid());
    }
    let read = |text: Option<WireShownText>| {
        let read = |text: WireShownText| ShownText::parse(text.version, text.hash);
        text.map(|text| read(text).ok_or_else(invalid)).transpose()
    };
    Ok(ShownTexts {
        terms: read(terms)?,
        refunds: read(refunds)?,
        privacy: read(privacy)?,
        notice_hours,
    })
}

/// The least length of an idempotency key, in characters.
const KEY_CHARS_MIN: usize = 8;

/// Checks a caller's idempotency key.
///
/// # Errors
/// When it is not 8 to 64 printable characters.
pub fn parse_key(key: &str) -> Result<String, Error> {
    let key = IdempotencyKey::parse(key, KEY_CHARS_MIN).map(IdempotencyKey::into_string);
    key.ok_or(refuse(Rejection::InvalidIdempotencyKey))
}

/// Reads corrected contact data; the address stays.
///
/// # Errors
/// The first invalid field.
pub fn parse_correction(request: &CorrectContactRequest, email: &str) -> Result<Contact, Error> {
    let corrected = Contact::parse(&ContactInput {
        first_name: &request.first_name,
        last_name: &request.last_name,
        email,
        phone: &request.phone,
        notes: &request.notes,
    });
    corrected.map_err(|wrong| refuse(Rejection::InvalidContact(wrong)))
}

/// Parses "2026-11-24".
#[must_use]
pub fn parse_date(text: &str) -> Option<Date> {
    (text.len() == DATE_CHARS).then(|| text.parse().ok())?
}

/// Parses "14:30".
#[must_use]
pub fn parse_time(text: &str) -> Option<Time> {
    let has_colon = text.as_bytes().get(2) == Some(&b':');
    (text.len() == TIME_CHARS && has_colon).then(|| text.parse().ok())?
}

/// Whether a text is a well-formed service id.
#[must_use]
pub fn is_service_id(text: &str) -> bool {
    (1..=SERVICE_ID_MAX).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

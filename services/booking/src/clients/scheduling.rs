//! The external scheduling provider, as Calendly's API (v2) is: event types, scheduled events,
//! invitees. A practice without one has its own calendar only.
//!
//! The provider gets the time, the client's name and address, and our opaque id; never the service.
//! The token stays on the server.

use std::sync::Arc;
use std::time::Duration;

use kernel::id::Booking;
use kernel::{Id, Timestamp};
use moka::sync::Cache;
use reqwest::{RequestBuilder, StatusCode};
use runtime::failpoint;
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use url::Url;

pub use self::answers::Cause;
use self::answers::{body, no_response, refused};
use crate::domain::span::Span;

mod answers;

/// The timeout of a request.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(8);
/// For how long an event of the widget is compared with the event types that were read.
const TYPES_KNOWN_FOR: Duration = Duration::from_secs(5 * 60);
/// The longest address that is kept.
const URI_CHARS_MAX: usize = 500;
/// The name by which our events are found again.
const SOURCE: &str = "sukoon";
/// What the provider shows as the reason of a cancellation.
const REASON: &str = "The session was cancelled.";

/// The practice's scheduling provider.
#[derive(Debug, Clone)]
pub enum Scheduling {
    /// Our own calendar alone.
    Own,
    /// An external one.
    External(Provider),
}

/// What the provider is to schedule.
#[derive(Clone)]
pub struct CalendarBookingRequest {
    /// The booking.
    pub booking_id: Id<Booking>,
    /// The session's number within its booking, from 1.
    pub session_number: i32,
    /// The time of the session.
    pub session: Span,
    /// The client's given name.
    pub first_name: String,
    /// The client's family name.
    pub last_name: String,
    /// The client's address.
    pub email: String,
    /// The zone in which the provider writes to the client, IANA's name.
    pub time_zone: String,
}

impl CalendarBookingRequest {
    /// Our opaque id of the session, by which its event is found again; also the idempotency key.
    /// That of a first session is the booking's id alone, as before there were packages.
    fn key(&self) -> String {
        match self.session_number {
            1 => self.booking_id.to_string(),
            number => format!("{}/{number}", self.booking_id),
        }
    }
}

/// What the provider has scheduled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarBooking {
    /// `resource.uri`: the calendar booking's id.
    pub uri: String,
    /// The event that it belongs to.
    pub event_uri: String,
}

/// The addresses of an event and of its invitee, which are the provider's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventAddress(CalendarBooking);

impl EventAddress {
    /// The event's.
    #[must_use]
    pub fn event_uri(&self) -> &str {
        &self.0.event_uri
    }

    /// Both.
    #[must_use]
    pub fn calendar_booking(&self) -> CalendarBooking {
        self.0.clone()
    }
}

/// An event that was scheduled in the provider's widget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundEvent {
    /// When it starts.
    pub starts_at: Timestamp,
    /// Whether it was not cancelled.
    pub is_active: bool,
    /// Whether it is of the wanted type, and that type is the account's.
    pub is_of_the_type: bool,
    /// The page that scheduled it; empty when it was scheduled elsewhere.
    pub visit_id: String,
}

/// Why the provider did not do it. The texts are what the specification's catalogue of errors says.
#[derive(Debug, thiserror::Error)]
pub enum SchedulingError {
    /// The event types cannot be had.
    #[error("Failed to fetch event types")]
    EventTypes(#[source] Cause),
    /// The provider's account has none.
    #[error("No event types found")]
    NoEventTypes,
    /// The event cannot be created.
    #[error("Failed to create booking: {}", .0.message())]
    Booking(#[source] Cause),
    /// The event cannot be cancelled.
    #[error("Failed to cancel booking: {}", .0.message())]
    Cancellation(#[source] Cause),
}

impl SchedulingError {
    /// The seconds after which the provider wants to be asked again, if it says so.
    #[must_use]
    pub fn pause_seconds(&self) -> Option<i64> {
        match self {
            Self::EventTypes(cause) | Self::Booking(cause) | Self::Cancellation(cause) => {
                match cause {
                    Cause::Refused(_, _, pause) => *pause,
                    Cause::NoResponse(_) | Cause::InvalidResponse => None,
                }
            }
            Self::NoEventTypes => None,
        }
    }
}

/// An external provider's account.
#[derive(Debug, Clone)]
pub struct Provider {
    http: reqwest::Client,
    url: String,
    token: SecretString,
    /// The address of the account's user.
    user: String,
    /// The user's event types as they were read last, for events of the widget.
    known_types: Cache<(), Arc<Vec<String>>>,
}

#[derive(Deserialize)]
struct Collection<T> {
    collection: Vec<T>,
}

#[derive(Deserialize)]
struct EventType {
    uri: String,
}

#[derive(Deserialize)]
struct ScheduledEvent {
    uri: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    event_type: String,
    start_time: Option<String>,
}

#[derive(Deserialize)]
struct Single<T> {
    resource: T,
}

#[derive(Deserialize)]
struct Invitee {
    uri: String,
    event: String,
    /// Absent or null for what was scheduled elsewhere.
    tracking: Option<Tracking>,
}

impl Invitee {
    fn tracking(&self) -> Tracking {
        self.tracking.clone().unwrap_or_default()
    }
}

#[derive(Clone, Default, Deserialize)]
struct Tracking {
    utm_source: Option<String>,
    utm_content: Option<String>,
}

#[derive(Serialize)]
struct NewInvitee<'a> {
    event_type: &'a str,
    start_time: String,
    invitee: Person<'a>,
    tracking: Origin<'a>,
}

#[derive(Serialize)]
struct Person<'a> {
    name: String,
    first_name: &'a str,
    last_name: &'a str,
    email: &'a str,
    timezone: &'a str,
}

#[derive(Serialize)]
struct Origin<'a> {
    utm_source: &'a str,
    utm_content: &'a str,
}

#[derive(Serialize)]
struct Cancellation<'a> {
    reason: &'a str,
}

impl Provider {
    /// An account of a provider at a URL.
    pub fn new(url: &str, user: &str, token: SecretString) -> Result<Self, reqwest::Error> {
        let (url, user) = (url.trim_end_matches('/').to_owned(), user.to_owned());
        let known_types = Cache::builder().max_capacity(1).time_to_live(TYPES_KNOWN_FOR).build();
        Ok(Self { http: runtime::http::client()?, url, token, user, known_types })
    }

    /// Schedules a session. One that was scheduled by a call whose answer was lost is found again,
    /// so that a repeated call never makes a second one.
    ///
    /// # Errors
    /// Why it was not scheduled.
    pub async fn book(
        &self,
        request: &CalendarBookingRequest,
    ) -> Result<CalendarBooking, SchedulingError> {
        let event_type = self.event_type().await?;
        let known = self.find(request).await.map_err(SchedulingError::Booking)?;
        if let Some(known) = known {
            return Ok(known);
        }
        let key = request.key();
        let invitee = NewInvitee {
            event_type: &event_type,
            start_time: request.session.starts_at().to_string(),
            invitee: Person {
                name: format!("{} {}", request.first_name, request.last_name),
                first_name: &request.first_name,
                last_name: &request.last_name,
                email: &request.email,
                timezone: &request.time_zone,
            },
            tracking: Origin { utm_source: SOURCE, utm_content: &key },
        };
        failpoint::pass(&"scheduling.before");
        let request = self.http.post(format!("{}/invitees", self.url));
        let request = request.header("idempotency-key", &key).json(&invitee);
        let made: Result<Single<Invitee>, Cause> = self.ask(request).await;
        failpoint::pass(&"scheduling.after");
        let made = made.map_err(SchedulingError::Booking)?.resource;
        self.checked(made).ok_or(SchedulingError::Booking(Cause::InvalidResponse))
    }

    /// Cancels what was scheduled; what is cancelled already stays so.
    ///
    /// # Errors
    /// Why it was not cancelled.
    pub async fn cancel(&self, booking: &CalendarBooking) -> Result<(), SchedulingError> {
        failpoint::pass(&"scheduling.before");
        let request = self.http.post(format!("{}/cancellation", booking.event_uri));
        let cancelled: Result<serde_json::Value, Cause> =
            self.ask(request.json(&Cancellation { reason: REASON })).await;
        failpoint::pass(&"scheduling.after");
        match cancelled {
            Ok(_) | Err(Cause::Refused(StatusCode::NOT_FOUND, ..)) => Ok(()),
            Err(cause @ Cause::Refused(StatusCode::FORBIDDEN, ..)) => {
                // The provider refuses to cancel twice.
                let found: Result<Single<ScheduledEvent>, Cause> =
                    self.ask(self.http.get(&booking.event_uri)).await;
                match found {
                    Ok(found) if found.resource.status == "canceled" => Ok(()),
                    _ => Err(SchedulingError::Cancellation(cause)),
                }
            }
            Err(cause) => Err(SchedulingError::Cancellation(cause)),
        }
    }

    /// The addresses that a widget's message names; `None` when they are not the provider's own,
    /// because they are asked with our token.
    #[must_use]
    pub fn event_address(&self, event_uri: &str, invitee_uri: &str) -> Option<EventAddress> {
        let id = invitee_uri.strip_prefix(event_uri)?.strip_prefix("/invitees/")?;
        let good = self.is_event(event_uri) && is_plain(invitee_uri) && is_id(id);
        let booking =
            CalendarBooking { uri: invitee_uri.to_owned(), event_uri: event_uri.to_owned() };
        good.then_some(EventAddress(booking))
    }

    /// What the provider has at an address; `None` when it has nothing there.
    ///
    /// # Errors
    /// Why it does not say.
    pub async fn scheduled_event(
        &self,
        address: &EventAddress,
        event_type: &str,
    ) -> Result<Option<FoundEvent>, SchedulingError> {
        let is_own = self.known_types().await?.iter().any(|it| it == event_type);
        let (event, invitee) = match self.event_and_invitee(address).await {
            Ok((event, Some(invitee))) => (event, invitee),
            Ok((_, None))
            | Err(Cause::Refused(StatusCode::NOT_FOUND | StatusCode::FORBIDDEN, ..)) => {
                return Ok(None);
            }
            Err(cause) => return Err(SchedulingError::Booking(cause)),
        };
        let starts_at = event.start_time.as_deref().and_then(|text| text.parse().ok());
        let starts_at = starts_at.ok_or(SchedulingError::Booking(Cause::InvalidResponse))?;
        let tracking = invitee.tracking();
        let came_from_us = tracking.utm_source.as_deref() == Some(SOURCE);
        let visit_id = tracking.utm_content.filter(|_| came_from_us);
        Ok(Some(FoundEvent {
            starts_at,
            is_active: event.status == "active",
            is_of_the_type: is_own && event.event_type == event_type,
            visit_id: visit_id.unwrap_or_default(),
        }))
    }

    async fn event_and_invitee(
        &self,
        EventAddress(address): &EventAddress,
    ) -> Result<(ScheduledEvent, Option<Invitee>), Cause> {
        let event: Single<ScheduledEvent> = self.ask(self.http.get(&address.event_uri)).await?;
        let url = format!("{}/invitees", address.event_uri);
        let invitees: Collection<Invitee> = self.list(&url, &[("status", "active")]).await?;
        let invitee = invitees.collection.into_iter().find(|it| it.uri == address.uri);
        Ok((event.resource, invitee))
    }

    /// The first of the user's event types.
    async fn event_type(&self) -> Result<String, SchedulingError> {
        self.event_types().await?.into_iter().next().ok_or(SchedulingError::NoEventTypes)
    }

    /// The user's event types as they were some minutes ago at most.
    async fn known_types(&self) -> Result<Arc<Vec<String>>, SchedulingError> {
        if let Some(known) = self.known_types.get(&()) {
            return Ok(known);
        }
        let read = Arc::new(self.event_types().await?);
        self.known_types.insert((), Arc::clone(&read));
        Ok(read)
    }

    /// The user's event types; at least one.
    async fn event_types(&self) -> Result<Vec<String>, SchedulingError> {
        let wanted = [("user", self.user.as_str()), ("active", "true"), ("count", "100")];
        let url = format!("{}/event_types", self.url);
        let found: Result<Collection<EventType>, Cause> = self.list(&url, &wanted).await;
        let found = found.map_err(SchedulingError::EventTypes)?;
        let all = found.collection.into_iter().map(|it| it.uri).filter(|uri| is_plain(uri));
        let all: Vec<_> = all.collect();
        if all.is_empty() { Err(SchedulingError::NoEventTypes) } else { Ok(all) }
    }

    /// What was scheduled for this booking before.
    async fn find(
        &self,
        request: &CalendarBookingRequest,
    ) -> Result<Option<CalendarBooking>, Cause> {
        let starts_at = request.session.starts_at();
        let (from, to) = (starts_at.to_string(), starts_at.plus_seconds(1).to_string());
        let wanted = [
            ("user", self.user.as_str()),
            ("invitee_email", request.email.as_str()),
            ("min_start_time", from.as_str()),
            ("max_start_time", to.as_str()),
            ("status", "active"),
        ];
        let url = format!("{}/scheduled_events", self.url);
        let listed: Collection<ScheduledEvent> = self.list(&url, &wanted).await?;
        let key = request.key();
        for event in listed.collection {
            if !self.is_event(&event.uri) {
                continue;
            }
            let url = format!("{}/invitees", event.uri);
            let invitees: Collection<Invitee> = self.list(&url, &[("status", "active")]).await?;
            let ours = invitees
                .collection
                .into_iter()
                .find(|it| it.tracking().utm_content.as_deref() == Some(key.as_str()));
            if let Some(ours) = ours {
                return Ok(self.checked(ours));
            }
        }
        Ok(None)
    }

    async fn list<T: DeserializeOwned>(
        &self,
        url: &str,
        wanted: &[(&str, &str)],
    ) -> Result<T, Cause> {
        let url = Url::parse_with_params(url, wanted);
        self.ask(self.http.get(url.map_err(|_malformed| Cause::InvalidResponse)?)).await
    }

    async fn ask<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, Cause> {
        let request = request.bearer_auth(self.token.expose_secret()).timeout(ANSWER_TIMEOUT);
        let answer = request.send().await.map_err(no_response)?;
        if !answer.status().is_success() {
            return Err(refused(answer).await);
        }
        serde_json::from_slice(&body(answer).await?).map_err(|_malformed| Cause::InvalidResponse)
    }

    /// The addresses are asked later with our token, so they must be the provider's own.
    fn checked(&self, invitee: Invitee) -> Option<CalendarBooking> {
        let good = self.is_event(&invitee.event) && is_plain(&invitee.uri);
        good.then_some(CalendarBooking { uri: invitee.uri, event_uri: invitee.event })
    }

    fn is_event(&self, uri: &str) -> bool {
        let id =
            uri.strip_prefix(&self.url).and_then(|rest| rest.strip_prefix("/scheduled_events/"));
        is_plain(uri) && id.is_some_and(is_id)
    }
}

fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

fn is_plain(uri: &str) -> bool {
    (1..=URI_CHARS_MAX).contains(&uri.len()) && uri.bytes().all(|b| b.is_ascii_graphic())
}

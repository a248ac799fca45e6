//! The client of the meeting provider: one room per booking, requested over HTTP. The provider gets
//! the time and a generic title, but neither the service nor the customer.

use std::time::Duration;

use kernel::Id;
use kernel::id::Booking;
use reqwest::StatusCode;
use runtime::failpoint;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use crate::domain::span::Span;

/// The timeout of a request.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum length of a link or id in a response.
const ANSWER_CHARS_MAX: usize = 2000;

/// A request for a room.
#[derive(Debug, Clone)]
pub struct RoomRequest {
    /// The booking; also the idempotency key.
    pub booking_id: Id<Booking>,
    /// The title that the provider may show.
    pub title: String,
    /// The time of the session; of a package, of the first one.
    pub session: Span,
}

/// A meeting room.
#[derive(Clone)]
pub struct Room {
    /// The provider's id of the room.
    pub meeting_id: String,
    /// The secret link: it grants access to the room.
    pub join_url: String,
}

impl std::fmt::Debug for Room {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Room").field("meeting_id", &self.meeting_id).finish_non_exhaustive()
    }
}

/// Why no room was created.
#[derive(Debug, thiserror::Error)]
pub enum MeetingError {
    /// The provider did not answer.
    #[error("the meeting provider did not answer")]
    NoResponse(#[source] reqwest::Error),
    /// The provider returned an error status.
    #[error("the meeting provider answered {0}")]
    Refused(StatusCode),
    /// The response holds no valid room.
    #[error("the meeting provider's answer has no usable room")]
    InvalidResponse,
}

#[derive(Serialize)]
struct Request<'a> {
    external_id: String,
    title: &'a str,
    starts_at: String,
    duration_minutes: i64,
}

#[derive(Deserialize)]
struct RoomResponse {
    id: String,
    join_url: String,
}

/// The meeting provider.
#[derive(Debug, Clone)]
pub struct Meetings {
    http: reqwest::Client,
    url: String,
    token: SecretString,
}

impl Meetings {
    /// A client for a provider at a URL.
    pub fn new(url: &str, token: SecretString) -> Result<Self, reqwest::Error> {
        Ok(Self { http: runtime::http::client()?, url: format!("{url}/meetings"), token })
    }

    /// Creates the room of a booking; a repeated call returns the same one.
    ///
    /// # Errors
    /// Why no room was created yet.
    pub async fn create(&self, room_request: &RoomRequest) -> Result<Room, MeetingError> {
        let booking_id = room_request.booking_id.to_string();
        let session = room_request.session;
        let request = Request {
            external_id: booking_id.clone(),
            title: &room_request.title,
            starts_at: session.starts_at().to_string(),
            duration_minutes: session.ends_at().seconds_since(session.starts_at()) / 60,
        };
        let mut headers = reqwest::header::HeaderMap::new();
        runtime::telemetry::inject_headers(&mut headers);
        failpoint::pass(&"meeting.before");
        let answer = self
            .http
            .post(&self.url)
            .headers(headers)
            .bearer_auth(self.token.expose_secret())
            .header("idempotency-key", booking_id)
            .timeout(ANSWER_TIMEOUT)
            .json(&request)
            .send()
            .await
            .map_err(|error| MeetingError::NoResponse(error.without_url()))?;
        failpoint::pass(&"meeting.after");
        if !answer.status().is_success() {
            return Err(MeetingError::Refused(answer.status()));
        }
        let room: RoomResponse =
            answer.json().await.map_err(|_malformed| MeetingError::InvalidResponse)?;
        validated(room).ok_or(MeetingError::InvalidResponse)
    }
}

/// The link is shown in mails and pages, so it must be a plain web address.
fn validated(room: RoomResponse) -> Option<Room> {
    let web = ["https://", "http://"].iter().any(|scheme| room.join_url.starts_with(scheme));
    let clean = |text: &str| {
        (1..=ANSWER_CHARS_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
    };
    (web && clean(&room.join_url) && clean(&room.id))
        .then_some(Room { meeting_id: room.id, join_url: room.join_url })
}

//! The meeting provider behind one small port: a room per booking, asked for over HTTP. It learns
//! the time and an opaque title, and never which service was booked or by whom.

use std::time::Duration;

use kernel::Id;
use kernel::id::Booking;
use reqwest::StatusCode;
use runtime::failpoint;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use crate::domain::span::Span;

/// How long the provider may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The longest link or id that is taken from an answer.
const ANSWER_CHARS_MAX: usize = 2000;

/// A room that is asked for.
#[derive(Debug, Clone)]
pub struct RoomRequest {
    /// For which booking; it is the idempotency key too.
    pub booking_id: Id<Booking>,
    /// What the provider may show.
    pub title: String,
    /// When it is needed.
    pub session: Span,
}

/// A room.
#[derive(Clone)]
pub struct Room {
    /// The provider's id.
    pub meeting_id: String,
    /// The key to it: whoever has the link may enter.
    pub join_url: String,
}

impl std::fmt::Debug for Room {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Room").field("meeting_id", &self.meeting_id).finish_non_exhaustive()
    }
}

/// Why there is no room.
#[derive(Debug, thiserror::Error)]
pub enum MeetingError {
    /// It did not answer.
    #[error("the meeting provider did not answer")]
    NoResponse(#[source] reqwest::Error),
    /// It refused.
    #[error("the meeting provider answered {0}")]
    Refused(StatusCode),
    /// Its answer has no room that can be used.
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
    /// The provider at a URL.
    ///
    /// # Errors
    /// The HTTP client cannot be built.
    pub fn new(url: &str, token: SecretString) -> Result<Self, reqwest::Error> {
        Ok(Self { http: runtime::http::client()?, url: format!("{url}/meetings"), token })
    }

    /// The room of a booking; asked again, it is the same one.
    ///
    /// # Errors
    /// Why there is none yet.
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

/// The link goes into mails and pages, so it must be a web address and nothing else.
fn validated(room: RoomResponse) -> Option<Room> {
    let web = ["https://", "http://"].iter().any(|scheme| room.join_url.starts_with(scheme));
    let clean = |text: &str| {
        (1..=ANSWER_CHARS_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
    };
    (web && clean(&room.join_url) && clean(&room.id))
        .then_some(Room { meeting_id: room.id, join_url: room.join_url })
}

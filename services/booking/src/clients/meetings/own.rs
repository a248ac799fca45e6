//! A program of the practice's own, with our protocol: one room per booking, requested over HTTP.
//! The booking's id is its idempotency key.

use std::time::Duration;

use runtime::failpoint;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use super::error::MeetingError;
use super::room::{Room, RoomRequest, is_plain, is_usable};

/// The timeout of a request.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

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

/// A meeting provider with our own protocol.
#[derive(Debug, Clone)]
pub(super) struct OwnProvider {
    http: reqwest::Client,
    url: String,
    token: SecretString,
}

impl OwnProvider {
    /// A client for a provider at a URL.
    pub(super) fn new(url: &str, token: SecretString) -> Result<Self, reqwest::Error> {
        Ok(Self { http: runtime::http::client()?, url: format!("{url}/meetings"), token })
    }

    /// Creates the room of a booking; a repeated call returns the same one.
    ///
    /// # Errors
    /// Why no room was created yet.
    pub(super) async fn create(&self, room_request: &RoomRequest) -> Result<Room, MeetingError> {
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
        let room = Room { meeting_id: room.id, join_url: room.join_url };
        let is_good = is_usable(&room.join_url) && is_plain(&room.meeting_id);
        is_good.then_some(room).ok_or(MeetingError::InvalidResponse)
    }
}

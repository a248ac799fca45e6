//! A server of Jitsi. A room comes about when the first person enters it, so the server is asked
//! for nothing: the link's secret is the room's name. A server that wants tokens (prosody's
//! `token_verification`, HS256) gets one that is made when a person enters, because a link is kept
//! for weeks and a token ends with the session.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use kernel::Id;
use kernel::id::Booking;
use practice::JitsiPlace;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use sha2::Sha256;

use super::error::MeetingError;
use super::marks::RoomNames;
use super::room::{Pass, Room};

/// What a token begins with.
const HEADER: &str = r#"{"alg":"HS256","typ":"JWT"}"#;

/// A server of Jitsi.
#[derive(Debug, Clone)]
pub(super) struct Jitsi {
    place: JitsiPlace,
    names: RoomNames,
    /// With which its tokens are signed, if it wants any.
    secret: Option<SecretString>,
}

impl Jitsi {
    pub(super) fn new(place: JitsiPlace, names: RoomNames, secret: Option<SecretString>) -> Self {
        Self { place, names, secret }
    }

    /// The room of a booking.
    pub(super) fn room(&self, id: Id<Booking>) -> Room {
        let join_url = format!("{}/{}", self.place.server, self.names.of(id));
        Room { meeting_id: id.to_string(), join_url }
    }

    /// Whether the server answers.
    pub(super) async fn answers(&self) -> Result<(), MeetingError> {
        let no_response = |error: reqwest::Error| MeetingError::NoResponse(error.without_url());
        let http = runtime::http::client().map_err(no_response)?;
        let answer = http.get(&self.place.server).send().await.map_err(no_response)?;
        let is_there = answer.status().is_success() || answer.status().is_redirection();
        if is_there { Ok(()) } else { Err(MeetingError::Refused(answer.status())) }
    }

    /// A link of this server as a person can use it; `None` for a link of another place.
    pub(super) fn entrance(&self, link: &str, pass: Pass) -> Option<String> {
        let room = link.strip_prefix(&self.place.server)?.strip_prefix('/')?;
        let is_name = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if room.is_empty() || !room.bytes().all(is_name) {
            return None;
        }
        let token = self.secret.as_ref().and_then(|secret| self.token(room, pass, secret));
        Some(token.map_or_else(|| link.to_owned(), |token| format!("{link}?jwt={token}")))
    }

    fn token(&self, room: &str, pass: Pass, secret: &SecretString) -> Option<String> {
        let affiliation = if pass.is_host { "owner" } else { "member" };
        let claims: Value = json!({
            "aud": self.place.audience,
            "iss": self.place.app_id,
            "sub": self.place.subject(),
            "room": room,
            // The server's clock may be a little behind.
            "nbf": pass.opens_at.plus_minutes(-1).seconds(),
            "exp": pass.closes_at.seconds(),
            "moderator": pass.is_host,
            "context": { "user": { "affiliation": affiliation } },
        });
        let claims = URL_SAFE_NO_PAD.encode(claims.to_string());
        let text = format!("{}.{claims}", URL_SAFE_NO_PAD.encode(HEADER));
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.expose_secret().as_bytes()).ok()?;
        mac.update(text.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
        Some(format!("{text}.{signature}"))
    }
}

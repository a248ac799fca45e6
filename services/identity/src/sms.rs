//! The sender of messages to phones: one JSON document posted per message. The format is ours and
//! documented in the README, so that a small adapter in front of any provider is enough.

use std::time::Duration;

use reqwest::StatusCode;
use runtime::failpoint;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;

/// The timeout of a request.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// The sender of messages to phones.
#[derive(Debug, Clone)]
pub struct SmsSettings {
    /// Where messages are posted; `IDENTITY_SMS_URL`.
    pub url: String,
    /// The bearer token of the sender; `IDENTITY_SMS_KEY`.
    pub key: SecretString,
    /// The most messages of an hour to all phones; `IDENTITY_SMS_PER_HOUR`, 100 by default.
    pub per_hour: u32,
}

/// A message. It holds a code, so it has no `Debug`.
#[derive(Serialize)]
pub struct Message {
    /// Its id, also the idempotency key: a message that comes twice is sent once.
    pub message_id: String,
    /// The phone, with plus sign and country.
    pub to: String,
    /// `sms` or `whatsapp`.
    pub channel: String,
    /// What the person reads.
    pub text: String,
}

/// What the sender answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It sends the message.
    Accepted,
    /// It never will: the number or the message is no good to it.
    Refused(StatusCode),
}

/// Why it is not known whether a message was sent.
#[derive(Debug, thiserror::Error)]
pub enum SmsError {
    /// The sender did not answer.
    #[error("the sender of messages did not answer")]
    NoResponse(#[source] reqwest::Error),
    /// The sender asks for another try.
    #[error("the sender of messages answered {0}")]
    Later(StatusCode),
}

/// The sender.
#[derive(Debug, Clone)]
pub struct Sender {
    http: reqwest::Client,
    url: String,
    key: SecretString,
}

impl Sender {
    /// A client for the sender of these settings.
    pub fn new(settings: &SmsSettings) -> Result<Self, reqwest::Error> {
        let (url, key) = (settings.url.clone(), settings.key.clone());
        Ok(Self { http: runtime::http::client()?, url, key })
    }

    /// Hands a message over.
    ///
    /// # Errors
    /// When the same message has to be tried again.
    pub async fn send(&self, message: &Message) -> Result<Answer, SmsError> {
        failpoint::pass(&"sms.before");
        let answer = self
            .http
            .post(&self.url)
            .bearer_auth(self.key.expose_secret())
            .header("idempotency-key", &message.message_id)
            .timeout(ANSWER_TIMEOUT)
            .json(message)
            .send()
            .await
            .map_err(|error| SmsError::NoResponse(error.without_url()))?;
        failpoint::pass(&"sms.after");
        let status = answer.status();
        if status.is_success() {
            return Ok(Answer::Accepted);
        }
        // A wrong key or a busy sender is not the message's fault.
        let later = matches!(status.as_u16(), 401 | 403 | 404 | 408 | 409 | 425 | 429);
        if later || !status.is_client_error() {
            return Err(SmsError::Later(status));
        }
        Ok(Answer::Refused(status))
    }
}

//! The scheduling provider's answers: their bytes, and what a refusal says.

use reqwest::header::RETRY_AFTER;
use reqwest::{Response, StatusCode};
use serde::Deserialize;

/// The longest message of the provider that is kept.
const MESSAGE_CHARS_MAX: usize = 200;
/// The largest response.
const RESPONSE_BYTES_MAX: usize = 1_000_000;
/// The longest pause that the provider may ask for, in seconds.
const PAUSE_SECONDS_MAX: i64 = 24 * 60 * 60;

/// What went wrong with a request.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    /// The provider did not answer.
    #[error("the scheduling provider did not answer")]
    NoResponse(#[source] reqwest::Error),
    /// The provider refused, with its message.
    #[error("the scheduling provider answered {0}")]
    Refused(StatusCode, String, Option<i64>),
    /// The response is not understood.
    #[error("the scheduling provider's answer is not usable")]
    InvalidResponse,
}

impl Cause {
    pub(super) fn message(&self) -> &str {
        match self {
            Self::Refused(_, message, _) if !message.is_empty() => message,
            _ => "Unknown error",
        }
    }
}

#[derive(Deserialize, Default)]
struct Refusal {
    #[serde(default)]
    message: String,
}

pub(super) fn no_response(error: reqwest::Error) -> Cause {
    Cause::NoResponse(error.without_url())
}

/// A response's bytes, up to the largest size.
pub(super) async fn body(mut answer: Response) -> Result<Vec<u8>, Cause> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(no_response)? {
        if bytes.len() + chunk.len() > RESPONSE_BYTES_MAX {
            return Err(Cause::InvalidResponse);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

pub(super) async fn refused(answer: Response) -> Cause {
    let status = answer.status();
    let pause = answer.headers().get(RETRY_AFTER).and_then(|it| it.to_str().ok());
    let pause =
        pause.and_then(|it| it.parse::<i64>().ok()).map(|it| it.clamp(1, PAUSE_SECONDS_MAX));
    let said = body(answer).await.unwrap_or_default();
    let said: Refusal = serde_json::from_slice(&said).unwrap_or_default();
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let message: String = said.message.chars().map(plain).take(MESSAGE_CHARS_MAX).collect();
    Cause::Refused(status, message.trim().to_owned(), pause)
}

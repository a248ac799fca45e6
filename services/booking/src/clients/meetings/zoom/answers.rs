//! Zoom's answers: their bytes, and what a refusal says.

use reqwest::header::RETRY_AFTER;
use reqwest::{Response, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::clients::meetings::error::{MeetingError, ZoomRefusal};

/// The largest response that is read.
const RESPONSE_BYTES_MAX: usize = 1_000_000;
/// How long Zoom is not asked where its limit of a day is reached, in seconds: it names no time,
/// and a room may be needed soon.
const PAUSE_SECONDS: i64 = 10 * 60;
/// How a limit by the second is called, which ends at once.
const BY_THE_SECOND: &str = "QPS";

#[derive(Deserialize, Default)]
struct Refusal {
    #[serde(default)]
    code: i64,
}

pub(super) fn no_response(error: reqwest::Error) -> MeetingError {
    MeetingError::NoResponse(error.without_url())
}

async fn bytes(mut answer: Response) -> Result<Vec<u8>, MeetingError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(no_response)? {
        if bytes.len() + chunk.len() > RESPONSE_BYTES_MAX {
            return Err(MeetingError::InvalidResponse);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Reads an answer.
pub(super) async fn read<T: DeserializeOwned>(answer: Response) -> Result<T, MeetingError> {
    let bytes = bytes(answer).await?;
    serde_json::from_slice(&bytes).map_err(|_malformed| MeetingError::InvalidResponse)
}

/// Why Zoom refused. Its words can name a user, so they are not kept.
pub(super) async fn refused(answer: Response) -> MeetingError {
    let status = answer.status();
    let header = |name: &str| {
        let text = answer.headers().get(name).and_then(|it| it.to_str().ok());
        text.map(str::to_owned)
    };
    let asked = header(RETRY_AFTER.as_str()).and_then(|it| it.parse::<i64>().ok());
    let is_short = header("x-ratelimit-type").as_deref() == Some(BY_THE_SECOND);
    let is_limit = status == StatusCode::TOO_MANY_REQUESTS;
    // The limit of a day names a point in time, or nothing at all.
    let usual = (is_limit && !is_short).then_some(PAUSE_SECONDS);
    let pause = asked.map(|it| it.clamp(1, PAUSE_SECONDS)).filter(|_| is_limit).or(usual);
    let said: Refusal = match bytes(answer).await {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_default(),
        Err(_unread) => Refusal::default(),
    };
    MeetingError::Zoom(ZoomRefusal { status, code: said.code, pause })
}

//! Why no room was created.

use reqwest::StatusCode;

/// Why no room was created.
#[derive(Debug, thiserror::Error)]
pub enum MeetingError {
    /// The practice has no place for the sessions of this practitioner any more.
    #[error("the practice's file names no place for the practitioner's sessions online")]
    NoPlace,
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

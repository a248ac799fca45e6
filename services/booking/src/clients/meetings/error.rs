//! Why no room was created.

use std::fmt;

use reqwest::StatusCode;

/// How soon it is looked whether an earlier room is removed, in seconds.
const EARLIER_ROOM_SECONDS: i64 = 1;
/// The same once its removal has failed, which is tried again later itself.
const EARLIER_ROOM_STAYS_SECONDS: i64 = 60;

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
    /// Zoom gives no token for the app.
    #[error(
        "Zoom gives no token ({0}): see the account's id, the app's client id and secret, and \
         that the app is activated and the account not suspended"
    )]
    Credentials(StatusCode),
    /// Zoom refused.
    #[error("Zoom refused: {0}")]
    Zoom(ZoomRefusal),
    /// The room that another practitioner had for the booking is not removed yet.
    #[error("the meeting of the practitioner before is removed first")]
    EarlierRoom {
        /// Whether its removal has failed.
        stays: bool,
    },
    /// The response holds no valid room.
    #[error("the meeting provider's answer has no usable room")]
    InvalidResponse,
}

impl MeetingError {
    /// For how many seconds the provider wants not to be asked, if it says so.
    #[must_use]
    pub fn pause_seconds(&self) -> Option<i64> {
        match self {
            Self::Zoom(refusal) => refusal.pause,
            Self::EarlierRoom { stays: false } => Some(EARLIER_ROOM_SECONDS),
            Self::EarlierRoom { stays: true } => Some(EARLIER_ROOM_STAYS_SECONDS),
            Self::NoPlace
            | Self::NoResponse(_)
            | Self::Refused(_)
            | Self::Credentials(_)
            | Self::InvalidResponse => None,
        }
    }
}

/// What Zoom refused. Its own words can name a user, so they are not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZoomRefusal {
    /// The status of its answer.
    pub status: StatusCode,
    /// Zoom's own code, 0 where it named none.
    pub code: i64,
    /// For how many seconds it wants not to be asked.
    pub pause: Option<i64>,
}

impl ZoomRefusal {
    /// Whether the meeting is not there any more.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        // A user who is not there is 1001.
        self.status == StatusCode::NOT_FOUND && self.code == 3001
    }
}

impl fmt::Display for ZoomRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match (self.status, self.code) {
            (StatusCode::TOO_MANY_REQUESTS, _) => {
                "a limit of requests is reached; a user can have 100 meetings made or changed in \
                 a day (UTC)"
            }
            (_, 124 | 4700 | 4711) => "the app's token is not accepted; see its scopes",
            (_, 1001) => "there is no such user in the account; see `user` in [meetings]",
            (_, 3001) => "the meeting does not exist",
            (_, 3002) => "the meeting is in progress",
            (_, 3161) => "the user may not schedule meetings, or the account is suspended",
            _ => "it gave no reason that we know",
        };
        write!(f, "status {}, code {}: {why}", self.status.as_u16(), self.code)
    }
}

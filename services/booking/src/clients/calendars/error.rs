//! Why a calendar cannot be read.

use reqwest::StatusCode;

use crate::clients::busy_calendar::Unreadable;

/// Why a calendar cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CalendarError {
    /// There is no secret for it.
    #[error("the calendar has no secret in BOOKING_CALENDAR_SECRETS")]
    NoSecret,
    /// Its address is no https address.
    #[error("the calendar's address is not one that begins with https")]
    NotHttps,
    /// Its address leads into a private network, or to this machine.
    #[error("the calendar's address is not on the public internet")]
    NotPublic,
    /// The server did not answer.
    #[error("the calendar's server did not answer")]
    NoAnswer(#[source] reqwest::Error),
    /// The server did not answer in time.
    #[error("the calendar's server did not answer in time")]
    TooSlow,
    /// The server sends to another address.
    #[error("the calendar's server sends to another address")]
    Redirected,
    /// The server names a calendar on another host, which does not get the password.
    #[error("the account's calendars are on another host than its address")]
    OtherHost,
    /// The server wants another name or password.
    #[error("the calendar's server refuses the name, the password or the address")]
    Refused,
    /// The server has nothing there.
    #[error("the calendar's server has no calendar at the address")]
    NoCalendar,
    /// The server answered with an error.
    #[error("the calendar's server answered {0}")]
    Failed(StatusCode),
    /// The response is longer than is read.
    #[error("the calendar is larger than what is read")]
    TooLarge,
    /// The response is not what CalDAV says.
    #[error("the calendar's server does not speak CalDAV")]
    NotCaldav,
    /// The content is no calendar that can be used.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
}

impl CalendarError {
    /// The reason as a word, for lists and logs.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::NoSecret => "no_secret",
            Self::NotHttps => "not_https",
            Self::NotPublic => "not_public",
            Self::NoAnswer(_) => "no_answer",
            Self::TooSlow => "too_slow",
            Self::Redirected => "redirected",
            Self::OtherHost => "other_host",
            Self::Refused => "refused",
            Self::NoCalendar => "no_calendar",
            Self::Failed(_) => "server_error",
            Self::TooLarge => "too_large",
            Self::NotCaldav => "not_caldav",
            Self::Unreadable(Unreadable::NotACalendar) => "not_a_calendar",
            Self::Unreadable(Unreadable::Incomplete) => "incomplete",
            Self::Unreadable(Unreadable::TooManyEvents) => "too_many_events",
            Self::Unreadable(Unreadable::TooManyTimes) => "too_many_times",
        }
    }
}

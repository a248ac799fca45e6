//! Why a calendar file is not used.

/// Why a source's calendar cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is no calendar file, such as a page that asks to sign in.
    #[error("it is not a calendar file")]
    NotACalendar,
    /// It ends in the middle.
    #[error("the calendar file is not complete")]
    Incomplete,
    /// It has more events than are read.
    #[error("the calendar has too many events")]
    TooManyEvents,
    /// Its events take place more often than is read.
    #[error("the calendar's events take place too often")]
    TooManyTimes,
}

//! A mail as a job: its subject, its state, and when it is retried.

use std::str::FromStr;

use contract::notifications::v1::DeliveryState;
use kernel::id::{Booking, MailedCode};
use kernel::{Id, Timestamp};
use serde_json::Value;
use uuid::Uuid;

use crate::mails::kind::{Kind, UnknownValue};

/// The lease of a worker on a mail that it sends. The worker renews it, so it expires soon after
/// the process has died.
pub const CLAIM_SECONDS: i64 = 15;
/// The wait after the first failure; it doubles from there.
const BACKOFF_SECONDS_MIN: i64 = 30;
/// The longest wait between two attempts.
const BACKOFF_SECONDS_MAX: i64 = 60 * 60;
/// The retry window, from the first attempt.
const TRIED_FOR_SECONDS: i64 = 72 * 60 * 60;
/// The UUID namespace of mail ids.
const NAMESPACE: Uuid = Uuid::from_u128(0x5355_4b4f_4f4e_4d41_494c_0000_0000_0001);

/// The id of a mail.
pub type MailId = Id<kernel::id::Mail>;

/// The state of a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It was not tried yet.
    Queued,
    /// It is being sent, or its worker died before the outcome was saved.
    Sending,
    /// The mail server accepted it.
    Sent,
    /// It is retried.
    Retrying,
    /// It is not retried; staff has to look.
    Failed,
    /// It is not needed any more.
    Dropped,
    /// It failed, and staff has dealt with it.
    Settled,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Queued,
        Self::Sending,
        Self::Sent,
        Self::Retrying,
        Self::Failed,
        Self::Dropped,
        Self::Settled,
    ];

    /// Its name in rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sending => "sending",
            Self::Sent => "sent",
            Self::Retrying => "retrying",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
            Self::Settled => "settled",
        }
    }

    /// Its name on the wire.
    #[must_use]
    pub const fn wire(self) -> DeliveryState {
        match self {
            Self::Queued => DeliveryState::Queued,
            Self::Sending => DeliveryState::Sending,
            Self::Sent => DeliveryState::Sent,
            Self::Retrying => DeliveryState::Retrying,
            Self::Failed => DeliveryState::Failed,
            Self::Dropped => DeliveryState::Dropped,
            Self::Settled => DeliveryState::Settled,
        }
    }

    /// The state of its name on the wire, if it is one.
    #[must_use]
    pub fn of_wire(wire: DeliveryState) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.wire() == wire)
    }

    /// Whether the mail is finished.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Sent | Self::Failed | Self::Dropped | Self::Settled)
    }
}

impl FromStr for State {
    type Err = UnknownValue;

    fn from_str(text: &str) -> Result<Self, UnknownValue> {
        Self::ALL.into_iter().find(|state| state.name() == text).ok_or(UnknownValue)
    }
}

/// What a mail is about, which says where its names and addresses come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// booking, by the booking.
    Booking(Id<Booking>),
    /// identity, by the code.
    Code(Id<MailedCode>),
    /// What the subject names; the file of its kind knows of what.
    Subject,
}

impl About {
    /// What a row is about, by its two ids.
    #[must_use]
    pub fn of_row(booking: Option<Id<Booking>>, code: Option<Id<MailedCode>>) -> Self {
        let code = code.map_or(Self::Subject, Self::Code);
        booking.map_or(code, Self::Booking)
    }

    /// The booking's wire id, or nothing.
    #[must_use]
    pub fn booking_text(self) -> String {
        match self {
            Self::Booking(id) => id.to_string(),
            Self::Code(_) | Self::Subject => String::new(),
        }
    }
}

/// A mail that is to be queued.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMail {
    /// Which mail it is.
    pub kind: Kind,
    /// The wire id of its subject; one mail is sent per kind and subject.
    pub subject: String,
    /// What it is about.
    pub about: About,
    /// Further data of its event. Ids and amounts only.
    pub payload: Value,
}

impl NewMail {
    /// A mail that is sent once for a booking.
    #[must_use]
    pub fn of_booking(kind: Kind, id: Id<Booking>) -> Self {
        Self::about(kind, id.to_string(), About::Booking(id))
    }

    /// A mail that is sent once for a session of a package, by its number from 1.
    #[must_use]
    pub fn of_session(kind: Kind, id: Id<Booking>, number: usize) -> Self {
        Self::about(kind, format!("{id}/{number}"), About::Booking(id))
    }

    /// A mail that is sent once for `subject`.
    #[must_use]
    pub fn about(kind: Kind, subject: String, about: About) -> Self {
        Self { kind, subject, about, payload: Value::Object(serde_json::Map::new()) }
    }

    /// The same with further data of its event.
    #[must_use]
    pub fn with_payload(mut self, payload: Value) -> Self {
        self.payload = payload;
        self
    }

    /// Its id, and so its Message-ID, is derived from kind and subject: the same mail keeps both
    /// even after the database was restored from a backup.
    #[must_use]
    pub fn id(&self) -> MailId {
        let name = format!("{} {}", self.kind, self.subject);
        MailId::from_uuid(Uuid::new_v5(&NAMESPACE, name.as_bytes()))
    }
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Mail {
    /// Its id.
    pub id: MailId,
    /// Which mail it is.
    pub kind: Kind,
    /// The wire id of what it is sent once for.
    pub subject: String,
    /// What it is about.
    pub about: About,
    /// Further data of its event.
    pub payload: Value,
    /// Its state.
    pub state: State,
    /// The number of attempts.
    pub attempts: i32,
    /// When it is tried next; of a mail in flight, when its lease expires. It changes with each
    /// claim, so it detects concurrent changes.
    pub due_at: Timestamp,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// When it was tried first.
    pub first_tried_at: Option<Timestamp>,
    /// Whether a worker is sending it now.
    pub in_flight: bool,
}

impl Mail {
    /// The session of a package that it is about, by its number from 1.
    #[must_use]
    pub fn session_number(&self) -> Option<usize> {
        let (booking, rest) = self.subject.split_once('/')?;
        // Of a mail about a move its number follows.
        let (number, _move) = rest.split_once('/').unwrap_or((rest, ""));
        (booking == self.about.booking_text()).then(|| number.parse().ok())?
    }

    /// When to retry after an attempt that failed at `now`; `None` when the retry window is over.
    /// `jitter` spreads the mails of an outage over time.
    #[must_use]
    pub fn next_try(&self, now: Timestamp, jitter: u16) -> Option<Timestamp> {
        let first = self.first_tried_at.unwrap_or(now);
        if now.seconds_since(first) >= TRIED_FOR_SECONDS {
            return None;
        }
        let doublings = u32::try_from(self.attempts.clamp(0, 16)).unwrap_or(0);
        let pause = BACKOFF_SECONDS_MIN.saturating_mul(1 << doublings).min(BACKOFF_SECONDS_MAX);
        // Up to a fifth is added, never subtracted.
        let spread = pause * i64::from(jitter) / (5 * i64::from(u16::MAX));
        Some(now.plus_seconds(pause + spread))
    }
}

#[cfg(test)]
mod tests;

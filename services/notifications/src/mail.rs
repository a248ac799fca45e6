//! A mail as a job: what it is about, where it stands, and when it is tried again.

mod kind;

use std::str::FromStr;

use contract::notifications::v1::DeliveryState;
use jiff::civil::Date;
use kernel::id::{Booking, ContactMessage, GuideRequest, MailedCode, Review};
use kernel::{Id, Timestamp};
use serde_json::Value;
use uuid::Uuid;

pub use self::kind::Kind;

/// How long a confirmation waits for its meeting link.
pub const LINK_WAIT_SECONDS: i64 = 60;
/// How long a worker that hands a mail over has it for itself. While it lives it makes that last
/// on, so a claim ends soon after the process that held it.
pub const CLAIM_SECONDS: i64 = 15;
/// The wait after the first failure; it doubles from there.
const BACKOFF_SECONDS_MIN: i64 = 30;
/// The longest wait between two tries.
const BACKOFF_SECONDS_MAX: i64 = 60 * 60;
/// How long a mail is tried, from its first try.
const TRIED_FOR_SECONDS: i64 = 72 * 60 * 60;
/// Mail ids are derived inside this namespace; any constant that nothing else uses.
const NAMESPACE: Uuid = Uuid::from_u128(0x5355_4b4f_4f4e_4d41_494c_0000_0000_0001);

/// The id of a mail.
pub type MailId = Id<kernel::id::Mail>;

/// A row holds a word that this program does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a word of the mails table")]
pub struct UnknownValue;

/// Where a mail stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It was not tried yet.
    Queued,
    /// It was handed to the mail server, whose answer is not known.
    Sending,
    /// The mail server took it.
    Sent,
    /// It is tried again.
    Retrying,
    /// It is not tried again; a person has to look.
    Failed,
    /// It was overtaken by what happened since.
    Dropped,
    /// It failed, and a person has dealt with it.
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

    /// The state that a request names, if it names one.
    #[must_use]
    pub fn of_wire(wire: DeliveryState) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.wire() == wire)
    }

    /// Whether nothing more is to be done.
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

/// Who has the names and addresses that a mail needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// booking, by the booking.
    Booking(Id<Booking>),
    /// identity, by the code.
    Code(Id<MailedCode>),
    /// This service, by the message of the contact form.
    Message(Id<ContactMessage>),
    /// This service, by the wish for the guide.
    Guide(Id<GuideRequest>),
    /// reviews, by the review.
    Review(Id<Review>),
    /// booking, by the day in the practice's zone.
    Day(Date),
}

impl About {
    /// Reads what a row is about: from its two ids, or else from its kind and subject.
    ///
    /// # Errors
    /// When the row says neither.
    pub fn of_row(
        (booking, code): (Option<Id<Booking>>, Option<Id<MailedCode>>),
        kind: Kind,
        subject: &str,
    ) -> Result<Self, UnknownValue> {
        if let Some(id) = booking {
            return Ok(Self::Booking(id));
        }
        if let Some(id) = code {
            return Ok(Self::Code(id));
        }
        match kind {
            Kind::ContactMessage | Kind::ContactAcknowledgement => {
                subject.parse().map(Self::Message).map_err(|_other| UnknownValue)
            }
            Kind::MeditationGuide => {
                subject.parse().map(Self::Guide).map_err(|_other| UnknownValue)
            }
            Kind::ReviewNotice => subject.parse().map(Self::Review).map_err(|_other| UnknownValue),
            Kind::DaySheet => subject.parse().map(Self::Day).map_err(|_other| UnknownValue),
            _ => Err(UnknownValue),
        }
    }

    /// The booking's wire id, or nothing.
    #[must_use]
    pub fn booking_text(self) -> String {
        match self {
            Self::Booking(id) => id.to_string(),
            Self::Code(_) | Self::Message(_) | Self::Guide(_) | Self::Review(_) | Self::Day(_) => {
                String::new()
            }
        }
    }
}

/// A mail that is to be queued.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMail {
    /// Which mail it is.
    pub kind: Kind,
    /// The wire id of what it is sent once for.
    pub subject: String,
    /// Who has the rest.
    pub about: About,
    /// What else an event said that it needs. Ids and amounts only.
    pub payload: Value,
    /// Whether it waits some time for the meeting link.
    pub waits_for_link: bool,
}

impl NewMail {
    /// A mail that is sent once for a booking.
    #[must_use]
    pub fn of_booking(kind: Kind, id: Id<Booking>) -> Self {
        Self::about(kind, id.to_string(), About::Booking(id))
    }

    /// A mail that is sent once for `subject`, which `about` knows about.
    #[must_use]
    pub fn about(kind: Kind, subject: String, about: About) -> Self {
        Self {
            kind,
            subject,
            about,
            payload: Value::Object(serde_json::Map::new()),
            waits_for_link: false,
        }
    }

    /// The same with what its event said besides.
    #[must_use]
    pub fn with_payload(mut self, payload: Value) -> Self {
        self.payload = payload;
        self
    }

    /// The same, but it waits for the meeting link.
    #[must_use]
    pub fn waiting_for_link(mut self) -> Self {
        self.waits_for_link = true;
        self
    }

    /// Its id, and through it its Message-ID, follows from what it is sent for: the same mail keeps
    /// them even when this database was brought back from a backup.
    #[must_use]
    pub fn id(&self) -> MailId {
        let name = format!("{} {}", self.kind, self.subject);
        MailId::from_uuid(Uuid::new_v5(&NAMESPACE, name.as_bytes()))
    }
}

/// A mail as its row says.
#[derive(Debug, Clone, PartialEq)]
pub struct Mail {
    /// Its id.
    pub id: MailId,
    /// Which mail it is.
    pub kind: Kind,
    /// The wire id of what it is sent once for.
    pub subject: String,
    /// Who has the names and addresses.
    pub about: About,
    /// What else an event said.
    pub payload: Value,
    /// Where it stands.
    pub state: State,
    /// How often it was tried.
    pub attempts: i32,
    /// When it is tried next; of a mail that is being handed over, when its claim ends. It changes
    /// when others take the mail up.
    pub due_at: Timestamp,
    /// Until when it waits for the meeting link.
    pub waits_for_link_until: Option<Timestamp>,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// When it was tried first.
    pub first_tried_at: Option<Timestamp>,
    /// Whether somebody hands it over just now.
    pub in_flight: bool,
}

impl Mail {
    /// When to try again after a try that failed at `now`; `None` when it was tried for long
    /// enough.
    /// `jitter` spreads the mails of an outage over time.
    #[must_use]
    pub fn next_try(&self, now: Timestamp, jitter: u16) -> Option<Timestamp> {
        let first = self.first_tried_at.unwrap_or(now);
        if now.seconds_since(first) >= TRIED_FOR_SECONDS {
            return None;
        }
        let doublings = u32::try_from(self.attempts.clamp(0, 16)).unwrap_or(0);
        let pause = BACKOFF_SECONDS_MIN.saturating_mul(1 << doublings).min(BACKOFF_SECONDS_MAX);
        // Up to a fifth is added, never taken away.
        let spread = pause * i64::from(jitter) / (5 * i64::from(u16::MAX));
        Some(now.plus_seconds(pause + spread))
    }
}

#[cfg(test)]
mod tests;

//! A mail as a job: what it is about, where it stands, and when it is tried again.

use std::fmt;
use std::str::FromStr;

use contract::notifications::v1::MailKind;
use kernel::id::{Booking, MailedCode};
use kernel::{Id, Timestamp};
use serde_json::Value;
use uuid::Uuid;

/// How long a confirmation waits for its meeting link.
pub const LINK_PATIENCE_SECONDS: i64 = 60;
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

/// Which mail it is. Its name is that of its templates and of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    BookingConfirmed,
    PracticeNotice,
    MeetingLink,
    HoldEnded,
    RefundStarted,
    RefundDone,
    ConfirmAddress,
    RecoverPassword,
    BookingCancelled,
    CancellationNotice,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::BookingConfirmed,
        Self::PracticeNotice,
        Self::MeetingLink,
        Self::HoldEnded,
        Self::RefundStarted,
        Self::RefundDone,
        Self::ConfirmAddress,
        Self::RecoverPassword,
        Self::BookingCancelled,
        Self::CancellationNotice,
    ];

    /// Its name in rows, templates and logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::BookingConfirmed => "booking_confirmed",
            Self::PracticeNotice => "practice_notice",
            Self::MeetingLink => "meeting_link",
            Self::HoldEnded => "hold_ended",
            Self::RefundStarted => "refund_started",
            Self::RefundDone => "refund_done",
            Self::ConfirmAddress => "confirm_address",
            Self::RecoverPassword => "recover_password",
            Self::BookingCancelled => "booking_cancelled",
            Self::CancellationNotice => "cancellation_notice",
        }
    }

    /// Its name on the wire.
    #[must_use]
    pub const fn wire(self) -> MailKind {
        match self {
            Self::BookingConfirmed => MailKind::BookingConfirmed,
            Self::PracticeNotice => MailKind::PracticeNotice,
            Self::MeetingLink => MailKind::MeetingLink,
            Self::HoldEnded => MailKind::HoldEnded,
            Self::RefundStarted => MailKind::RefundStarted,
            Self::RefundDone => MailKind::RefundDone,
            Self::ConfirmAddress => MailKind::ConfirmAddress,
            Self::RecoverPassword => MailKind::RecoverPassword,
            Self::BookingCancelled => MailKind::BookingCancelled,
            Self::CancellationNotice => MailKind::CancellationNotice,
        }
    }

    /// Whether the calendar file goes with it.
    #[must_use]
    pub const fn has_calendar_file(self) -> bool {
        matches!(self, Self::BookingConfirmed | Self::MeetingLink | Self::BookingCancelled)
    }

    /// Whether it goes to the practice.
    #[must_use]
    pub const fn is_for_the_practice(self) -> bool {
        matches!(self, Self::PracticeNotice | Self::CancellationNotice)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A row holds a word that this program does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a word of the mails table")]
pub struct UnknownWord;

impl FromStr for Kind {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        Self::ALL.into_iter().find(|kind| kind.name() == text).ok_or(UnknownWord)
    }
}

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
}

impl State {
    /// All of them.
    const ALL: [Self; 6] =
        [Self::Queued, Self::Sending, Self::Sent, Self::Retrying, Self::Failed, Self::Dropped];

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
        }
    }

    /// Whether nothing more is to be done.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Sent | Self::Failed | Self::Dropped)
    }
}

impl FromStr for State {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        Self::ALL.into_iter().find(|state| state.name() == text).ok_or(UnknownWord)
    }
}

/// Who has the names and addresses that a mail needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// booking, by the booking.
    Booking(Id<Booking>),
    /// identity, by the code.
    Code(Id<MailedCode>),
}

impl About {
    /// The booking's wire id, or nothing.
    #[must_use]
    pub fn booking_text(self) -> String {
        match self {
            Self::Booking(id) => id.to_string(),
            Self::Code(_) => String::new(),
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
        Self {
            kind,
            subject: id.to_string(),
            about: About::Booking(id),
            payload: Value::Object(serde_json::Map::new()),
            waits_for_link: false,
        }
    }

    /// The same with what its event said besides.
    #[must_use]
    pub fn saying(mut self, payload: Value) -> Self {
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
    /// When it was tried first.
    pub first_tried_at: Option<Timestamp>,
    /// Whether somebody hands it over just now.
    pub on_its_way: bool,
}

impl Mail {
    /// When to try again after a try that failed at `now`; `None` when it was tried for long
    /// enough.
    /// `dice` spreads the mails of an outage over time.
    #[must_use]
    pub fn next_try(&self, now: Timestamp, dice: u16) -> Option<Timestamp> {
        let first = self.first_tried_at.unwrap_or(now);
        if now.seconds_since(first) >= TRIED_FOR_SECONDS {
            return None;
        }
        let doublings = u32::try_from(self.attempts.clamp(0, 16)).unwrap_or(0);
        let pause = BACKOFF_SECONDS_MIN.saturating_mul(1 << doublings).min(BACKOFF_SECONDS_MAX);
        // Up to a fifth is added, never taken away.
        let spread = pause * i64::from(dice) / (5 * i64::from(u16::MAX));
        Some(now.plus_seconds(pause + spread))
    }
}

#[cfg(test)]
mod tests;

//! The names, addresses and links of a mail, asked for at the moment when it is sent. Only what
//! visitors wrote in a form is kept here, until its mails are over.

use contract::booking::v1::{Booking, BookingState, Contact, SessionMode};
use contract::convert::timestamp;
use contract::identity::v1::GetCodeMailResponse;
use contract::payments::v1::Receipt;
use contract::reviews::v1::Review;
use jiff::civil::Date;
use kernel::Timestamp;
use runtime::BoxError;

use crate::forms;
use crate::mail::Kind;

mod sources;

pub use self::sources::Sources;

/// What a mail must know of a booking, complete.
#[derive(Debug, Clone)]
pub struct BookingFacts {
    /// The booking as its owner sees it.
    pub booking: Booking,
    /// Who comes.
    pub contact: Contact,
    /// When the first session starts.
    pub starts_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
    /// The calendar file, or empty.
    pub calendar_file: String,
    /// The receipt that the mail is; of no other mail.
    pub receipt: Option<Receipt>,
    /// The link's secret that lets the customer write a verified review, and until when it works;
    /// of the mail after a session only.
    pub invitation: Option<(String, Timestamp)>,
}

/// What a mail must know.
#[derive(Debug, Clone)]
pub enum Facts {
    /// Of a booking.
    Booking(Box<BookingFacts>),
    /// Of a code.
    Code(GetCodeMailResponse),
    /// Of a message to the practice.
    Message(forms::Message),
    /// Where the guide goes.
    Guide {
        /// The address.
        email: String,
    },
    /// Of a review.
    Review(Review),
    /// Of a day of the practice.
    Day {
        /// The day in the practice's zone.
        date: Date,
        /// Its sessions by their start.
        sessions: Vec<BookingFacts>,
    },
}

/// Why there are no facts.
#[derive(Debug, thiserror::Error)]
pub enum FactsError {
    /// What the mail is about is gone, and nobody needs the mail any more; a word says why.
    #[error("what the mail is about is gone ({0})")]
    Gone(&'static str),
    /// Who knows them does not answer; a word says who.
    #[error("{0} does not answer")]
    Unavailable(&'static str, #[source] BoxError),
}

impl BookingFacts {
    /// What booking said, if it is complete.
    #[must_use]
    pub fn complete(booking: Option<Booking>, calendar_file: String) -> Option<Self> {
        let booking = booking?;
        let contact = booking.contact.clone()?;
        let session = booking.sessions.first()?;
        let starts_at = session.starts_at.as_ref().and_then(timestamp)?;
        let ends_at = session.ends_at.as_ref().and_then(timestamp)?;
        Some(Self {
            booking,
            contact,
            starts_at,
            ends_at,
            calendar_file,
            receipt: None,
            invitation: None,
        })
    }

    /// Whether the session is at the practice.
    #[must_use]
    pub fn is_in_person(&self) -> bool {
        self.booking.mode() == SessionMode::InPerson
    }
}

impl Facts {
    /// Whether a meeting link is still to come.
    #[must_use]
    pub fn lack_link(&self) -> bool {
        match self {
            Self::Booking(facts) => !facts.is_in_person() && facts.booking.join_url.is_empty(),
            Self::Code(_)
            | Self::Message(_)
            | Self::Guide { .. }
            | Self::Review(_)
            | Self::Day { .. } => false,
        }
    }

    /// Whether what a mail of this kind says has stopped being true since it was queued.
    #[must_use]
    pub fn contradict(&self, kind: Kind) -> bool {
        let Self::Booking(facts) = self else { return false };
        let state = facts.booking.state();
        let is_ahead = matches!(state, BookingState::Confirmed | BookingState::MeetingScheduled);
        match kind {
            Kind::BookingConfirmed | Kind::PracticeNotice => {
                !is_ahead && !matches!(state, BookingState::Completed | BookingState::NoShow)
            }
            // Late money may have placed it again, or is being given back with a mail of its own.
            Kind::HoldEnded => state != BookingState::Expired,
            Kind::BookingCancelled | Kind::CancellationNotice => state != BookingState::Cancelled,
            // Nobody joins a session that is over.
            Kind::MeetingLink | Kind::Reminder | Kind::SecondReminder => !is_ahead,
            Kind::FollowUp => state != BookingState::Completed,
            Kind::RefundStarted
            | Kind::RefundDone
            | Kind::Receipt
            | Kind::ConfirmAddress
            | Kind::RecoverPassword
            | Kind::ContactMessage
            | Kind::ContactAcknowledgement
            | Kind::MeditationGuide
            | Kind::ReviewNotice
            | Kind::DaySheet
            | Kind::DisputeNotice => false,
        }
    }
}

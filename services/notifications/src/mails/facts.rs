//! The names, addresses and links of a mail, fetched when it is sent. Only form submissions are
//! stored here, until their mails are over.

use std::fmt;
use std::sync::Arc;

use contract::booking::v1::{
    Booking, BookingState, Contact, MailPreferences, Session, SessionMode,
};
use contract::convert::timestamp;
use contract::identity::v1::{GetAccountNoticeResponse, GetCodeMailResponse};
use contract::payments::v1::{GetRefundRequestMailResponse, Receipt};
use contract::reviews::v1::Review;
use jiff::civil::Date;
use kernel::Timestamp;
use runtime::BoxError;
use serde_json::Value;

use crate::mails::kind::Kind;

/// The facts of a booking, complete.
#[derive(Debug, Clone)]
pub struct BookingFacts {
    /// The booking as its owner sees it.
    pub booking: Booking,
    /// The client.
    pub contact: Contact,
    /// When the session starts that the mail is about; unless it is about one of a package, the
    /// first one.
    pub starts_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
    /// The number from 1 of that session, in a mail about one session of a package.
    pub session_number: Option<usize>,
    /// The calendar file, or empty.
    pub calendar_file: String,
    /// The receipt; only for the receipt's mail.
    pub receipt: Option<Receipt>,
    /// The client's request for a refund; only for its mails.
    pub refund_request: Option<GetRefundRequestMailResponse>,
    /// The secret of the link to write a verified review, and its expiry; only for the follow-up.
    pub invitation: Option<(String, Timestamp)>,
    /// The key of its page of payment; empty for a booking that was not made by phone.
    pub page_key: String,
    /// The key of the page that leads to the session; empty where no client gets the mail.
    pub join_key: String,
    /// The key of the page on which the booking is moved and cancelled; empty where the mail does
    /// not lead there, and of a booking by phone, whose page of payment is that page.
    pub session_key: String,
    /// The numbers, from 1, of the sessions to which the client came, as staff said.
    pub attended_sessions: Vec<i32>,
    /// What the client chose about mails; `None` where the practice's own hours hold.
    pub preferences: Option<MailPreferences>,
    /// Free times to choose from, where the practice asks for another one.
    pub suggested: Vec<Timestamp>,
}

impl BookingFacts {
    /// Whether the booking costs nothing.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.booking.price.as_ref().is_some_and(|price| price.minor_units == 0)
    }
}

/// A message to the practice, trimmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The sender's name.
    pub name: String,
    /// Where an answer goes.
    pub email: String,
    /// What they write.
    pub message: String,
    /// When it came.
    pub received_at: Timestamp,
}

/// Facts that only one kind of mail has. They are what its file makes of them.
pub trait Particulars: fmt::Debug + Send + Sync {
    /// The address that the mail goes to.
    fn address(&self) -> &str;

    /// The mail's variables.
    ///
    /// # Errors
    /// When a fact is missing.
    fn variables(&self, wording: &dyn Wording) -> Result<Value, Incomplete>;
}

/// How the practice writes times and addresses.
pub trait Wording {
    /// "Tuesday 24 November 2026, 11:00 am IST".
    fn day_and_time(&self, at: Timestamp) -> String;

    /// The website's URL, without a slash at its end.
    fn public_url(&self) -> &str;
}

/// An amount or a fact of the mail is missing or malformed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the facts do not make a mail: {0}")]
pub struct Incomplete(pub &'static str);

/// The facts of a mail.
#[derive(Debug, Clone)]
pub enum Facts {
    /// Of a booking.
    Booking(Box<BookingFacts>),
    /// Of a code.
    Code(GetCodeMailResponse),
    /// Of a notice about an account.
    Notice(GetAccountNoticeResponse),
    /// Of a message to the practice.
    Message(Message),
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
    /// Of something that only one kind of mail is about.
    Own(Arc<dyn Particulars>),
}

/// Why there are no facts.
#[derive(Debug, thiserror::Error)]
pub enum FactsError {
    /// The subject of the mail is gone, so the mail is obsolete; with the reason's code.
    #[error("what the mail is about is gone ({0})")]
    Gone(&'static str),
    /// The owner of the facts does not answer; with the reason's code.
    #[error("{0} does not answer")]
    Unavailable(&'static str, #[source] BoxError),
}

impl BookingFacts {
    /// The facts from booking's answer, if it is complete.
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
            session_number: None,
            calendar_file,
            receipt: None,
            refund_request: None,
            invitation: None,
            page_key: String::new(),
            join_key: String::new(),
            session_key: String::new(),
            attended_sessions: Vec::new(),
            preferences: None,
            suggested: Vec::new(),
        })
    }

    /// Makes one session of a package the one that a mail is about: the one of this number, and
    /// after all of them the last one that was not cancelled. `None` if there is no such session.
    #[must_use]
    pub fn about_session(mut self, kind: Kind, number: Option<usize>) -> Option<Self> {
        let sessions = &self.booking.sessions;
        let session = match (number, kind) {
            (Some(number), _) => sessions.get(number.checked_sub(1)?)?,
            (None, Kind::FollowUp) => sessions.get(self.last_index())?,
            (None, _) => return Some(self),
        };
        self.starts_at = session.starts_at.as_ref().and_then(timestamp)?;
        self.ends_at = session.ends_at.as_ref().and_then(timestamp)?;
        // A single session has a number only in the names of its mails.
        self.session_number = number.filter(|_number| self.booking.sessions.len() > 1);
        Some(self)
    }

    /// Which session is the last one: of those that were not cancelled, if there are any.
    fn last_index(&self) -> usize {
        let sessions = &self.booking.sessions;
        let last = sessions.iter().rposition(|session| !session.cancelled);
        last.unwrap_or(sessions.len().saturating_sub(1))
    }

    /// Whether staff said that the client came to the last session, in time or late.
    #[must_use]
    pub fn is_last_attended(&self) -> bool {
        let number = self.last_index().saturating_add(1);
        self.attended_sessions.iter().any(|it| usize::try_from(*it) == Ok(number))
    }

    /// Whether the session is still to come.
    #[must_use]
    pub fn is_ahead(&self) -> bool {
        matches!(self.booking.state(), BookingState::Confirmed | BookingState::MeetingScheduled)
    }

    /// Whether the session takes place, or did.
    #[must_use]
    pub fn is_placed(&self) -> bool {
        self.is_ahead()
            || matches!(self.booking.state(), BookingState::Completed | BookingState::NoShow)
    }

    /// Whether what the mail is about was cancelled: the booking, or its one session. Where all
    /// sessions of a package were cancelled, one mail says so.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let is_all = self.booking.state() == BookingState::Cancelled;
        if self.session_number.is_some() { !is_all && self.is_session_cancelled() } else { is_all }
    }

    /// Whether the one session that the mail is about, or else the first one, was cancelled.
    #[must_use]
    pub fn is_session_cancelled(&self) -> bool {
        self.session().is_some_and(|session| session.cancelled)
    }

    /// How often that session was moved.
    #[must_use]
    pub fn moves(&self) -> i32 {
        self.session().map_or(0, |session| session.moves)
    }

    /// Until when its client can choose another time for the session, where the practice asks for
    /// that.
    #[must_use]
    pub fn choose_until(&self) -> Option<Timestamp> {
        let proposal = self.booking.move_proposal.as_ref()?;
        let number = self.session_number.unwrap_or(1);
        let is_meant = usize::try_from(proposal.session_number) == Ok(number);
        proposal.choose_until_at.as_ref().filter(|_until| is_meant).and_then(timestamp)
    }

    fn session(&self) -> Option<&Session> {
        let index = self.session_number.map_or(0, |number| number.saturating_sub(1));
        self.booking.sessions.get(index)
    }

    /// Whether the practice has answered the request for a refund that the mail is about.
    #[must_use]
    pub fn is_refund_answered(&self) -> bool {
        self.refund_request.as_ref().is_some_and(|request| request.answered)
    }

    /// Whether its time is held, so that it can be paid.
    #[must_use]
    pub fn is_held(&self) -> bool {
        matches!(self.booking.state(), BookingState::Held | BookingState::AwaitingPayment)
    }

    /// Whether the session is at the practice.
    #[must_use]
    pub fn is_in_person(&self) -> bool {
        self.booking.mode() == SessionMode::InPerson
    }
}

//! The names, addresses and links of a mail, asked for at the moment when it is sent and never
//! kept.

use contract::booking::v1::booking_internal_service_client::BookingInternalServiceClient;
use contract::booking::v1::{
    Booking, BookingState, Contact, GetBookingContactRequest, SessionMode,
};
use contract::convert::timestamp;
use contract::identity::v1::identity_internal_service_client::IdentityInternalServiceClient;
use contract::identity::v1::{GetCodeMailRequest, GetCodeMailResponse};
use kernel::Timestamp;
use runtime::BoxError;
use runtime::caller::Peers;
use runtime::channel::{self, InvalidUrl, PeerChannel};
use tonic::{Code, Status};

use crate::config::Neighbours;
use crate::mail::{About, Kind};

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
}

/// What a mail must know.
#[derive(Debug, Clone)]
pub enum Facts {
    /// Of a booking.
    Booking(Box<BookingFacts>),
    /// Of a code.
    Code(GetCodeMailResponse),
}

/// Why there are no facts.
#[derive(Debug, thiserror::Error)]
pub enum NoFacts {
    /// What the mail is about is gone, and nobody needs the mail any more; a word says why.
    #[error("what the mail is about is gone ({0})")]
    Gone(&'static str),
    /// Who knows them does not answer; a word says who.
    #[error("{0} does not answer")]
    Unavailable(&'static str, #[source] BoxError),
}

/// Who knows the facts.
#[derive(Debug, Clone)]
pub struct Sources {
    booking: BookingInternalServiceClient<PeerChannel>,
    identity: Option<IdentityInternalServiceClient<PeerChannel>>,
}

impl Sources {
    /// Prepares to ask booking and, where it is embedded, identity.
    ///
    /// # Errors
    /// When a URL is not one.
    pub fn new(neighbours: &Neighbours, peers: &Peers) -> Result<Self, InvalidUrl> {
        let booking = channel::peer(&neighbours.booking_url, "booking", peers)?;
        let identity = match &neighbours.identity_url {
            Some(url) => {
                Some(IdentityInternalServiceClient::new(channel::peer(url, "identity", peers)?))
            }
            None => None,
        };
        Ok(Self { booking: BookingInternalServiceClient::new(booking), identity })
    }

    /// Asks.
    ///
    /// # Errors
    /// When there are none, or nobody answers.
    pub async fn of(&self, about: About) -> Result<Facts, NoFacts> {
        match about {
            About::Booking(id) => {
                let request = GetBookingContactRequest { booking_id: id.to_string() };
                let answered = self.booking.clone().get_booking_contact(request).await;
                let answer = answered
                    .map_err(|status| no_facts(status, "booking_gone", "booking_unavailable"))?
                    .into_inner();
                complete(answer.booking, answer.calendar_file).ok_or_else(|| {
                    NoFacts::Unavailable("booking_incomplete", "the booking is incomplete".into())
                })
            }
            About::Code(id) => {
                let Some(identity) = &self.identity else { return Err(NoFacts::Gone("code_gone")) };
                let request = GetCodeMailRequest { code_id: id.to_string() };
                let answered = identity.clone().get_code_mail(request).await;
                answered
                    .map(|answer| Facts::Code(answer.into_inner()))
                    .map_err(|status| no_facts(status, "code_gone", "identity_unavailable"))
            }
        }
    }
}

fn no_facts(status: Status, gone: &'static str, unavailable: &'static str) -> NoFacts {
    if status.code() == Code::NotFound {
        NoFacts::Gone(gone)
    } else {
        NoFacts::Unavailable(unavailable, status.into())
    }
}

fn complete(booking: Option<Booking>, calendar_file: String) -> Option<Facts> {
    let booking = booking?;
    let contact = booking.contact.clone()?;
    let session = booking.sessions.first()?;
    let starts_at = session.starts_at.as_ref().and_then(timestamp)?;
    let ends_at = session.ends_at.as_ref().and_then(timestamp)?;
    Some(Facts::Booking(Box::new(BookingFacts {
        booking,
        contact,
        starts_at,
        ends_at,
        calendar_file,
    })))
}

impl BookingFacts {
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
            Self::Code(_) => false,
        }
    }

    /// Whether what a mail of this kind says has stopped being true since it was queued.
    #[must_use]
    pub fn contradict(&self, kind: Kind) -> bool {
        let Self::Booking(facts) = self else { return false };
        let state = facts.booking.state();
        match kind {
            Kind::BookingConfirmed | Kind::PracticeNotice | Kind::MeetingLink => !matches!(
                state,
                BookingState::Confirmed
                    | BookingState::MeetingScheduled
                    | BookingState::Completed
                    | BookingState::NoShow
            ),
            // Late money may have placed it again, or is being given back with a mail of its own.
            Kind::HoldEnded => state != BookingState::Expired,
            Kind::BookingCancelled | Kind::CancellationNotice => state != BookingState::Cancelled,
            Kind::RefundStarted
            | Kind::RefundDone
            | Kind::ConfirmAddress
            | Kind::RecoverPassword => false,
        }
    }
}

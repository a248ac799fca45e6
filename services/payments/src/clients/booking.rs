//! The client of booking's internal API: facts of a booking that is to be paid for.

use contract::booking::v1::booking_internal_service_client::BookingInternalServiceClient;
use contract::booking::v1::{BookingState, GetBookingFactsRequest, GetBookingFactsResponse};
use contract::convert::{money, timestamp};
use kernel::id::{Booking, Customer};
use kernel::{Id, Money, Timestamp};
use runtime::caller::Peers;
use runtime::channel::{self, InvalidUrl, PeerChannel};
use tonic::Code;

use crate::error::{Error, Rejection, refuse};

/// The facts of a booking that a payment requires.
#[derive(Debug, Clone, Copy)]
pub struct BookingFacts {
    /// The booking.
    pub booking_id: Id<Booking>,
    /// Who owns it.
    pub customer_id: Id<Customer>,
    /// What it costs.
    pub price: Money,
    /// Until when its time is held; `None` when it is not.
    pub held_until_at: Option<Timestamp>,
    /// When its last session begins; `None` from an older booking service, which does not report
    /// it.
    pub starts_at: Option<Timestamp>,
    /// When its first session begins and its last one ends; `None` from an older booking service.
    pub sessions: Option<(Timestamp, Timestamp)>,
    /// Whether its terms are still to be accepted.
    pub terms_missing: bool,
    /// Whether the consent to its online sessions is still to be given.
    pub consent_missing: bool,
    /// Whether staff made it by phone.
    pub by_phone: bool,
}

impl BookingFacts {
    /// Refuses a payment before what comes before it.
    ///
    /// # Errors
    /// `TermsNotAccepted` or `ConsentRequired`.
    pub fn check_agreed(&self) -> Result<(), Error> {
        if self.terms_missing {
            return Err(refuse(Rejection::TermsNotAccepted));
        }
        if self.consent_missing {
            return Err(refuse(Rejection::ConsentRequired));
        }
        Ok(())
    }
}

/// The client of booking's internal API.
#[derive(Clone)]
pub struct BookingClient {
    client: BookingInternalServiceClient<PeerChannel>,
}

impl BookingClient {
    /// A client of booking at a URL.
    pub fn new(url: &str, peers: &Peers) -> Result<Self, InvalidUrl> {
        let client = BookingInternalServiceClient::new(channel::peer(url, "booking", peers)?);
        Ok(Self { client })
    }

    /// The current facts of a booking.
    ///
    /// # Errors
    /// `BookingNotFound`, or that booking does not answer.
    pub async fn facts(&self, booking_id: Id<Booking>) -> Result<BookingFacts, Error> {
        let booking_id = booking_id.to_string();
        self.ask(GetBookingFactsRequest { booking_id, ..GetBookingFactsRequest::default() }).await
    }

    /// The current facts of the booking whose page of payment has this key.
    ///
    /// # Errors
    /// `BookingNotFound` when the key is not right, or that booking does not answer.
    pub async fn page_facts(&self, page_key: &str) -> Result<BookingFacts, Error> {
        let page_key = page_key.to_owned();
        if page_key.is_empty() {
            return Err(refuse(Rejection::BookingNotFound));
        }
        self.ask(GetBookingFactsRequest { page_key, ..GetBookingFactsRequest::default() }).await
    }

    /// The same, to read only: the key may also be that of the page on which the booking is moved
    /// and cancelled.
    ///
    /// # Errors
    /// As [`Self::page_facts`].
    pub async fn shown_facts(&self, page_key: &str) -> Result<BookingFacts, Error> {
        let page_key = page_key.to_owned();
        if page_key.is_empty() {
            return Err(refuse(Rejection::BookingNotFound));
        }
        let asked = GetBookingFactsRequest { page_key, reads_only: true, ..Default::default() };
        self.ask(asked).await
    }

    /// The current facts of a booking that exists for a member of the practice.
    ///
    /// # Errors
    /// `BookingNotFound`, also for another practitioner's; or that booking does not answer.
    pub async fn staff_facts(
        &self,
        booking_id: Id<Booking>,
        staff_id: Id<Customer>,
    ) -> Result<BookingFacts, Error> {
        let (booking_id, staff_user_id) = (booking_id.to_string(), staff_id.to_string());
        self.ask(GetBookingFactsRequest { booking_id, staff_user_id, ..Default::default() }).await
    }

    async fn ask(&self, request: GetBookingFactsRequest) -> Result<BookingFacts, Error> {
        let answer = self.client.clone().get_booking_facts(request).await;
        let answer = answer.map_err(|status| match status.code() {
            Code::NotFound => refuse(Rejection::BookingNotFound),
            _ => Error::unavailable(status),
        })?;
        read(&answer.into_inner())
    }
}

fn read(answer: &GetBookingFactsResponse) -> Result<BookingFacts, Error> {
    let held = matches!(answer.state(), BookingState::Held | BookingState::AwaitingPayment);
    let held_until_at = answer.held_until_at.as_ref().and_then(timestamp).filter(|_| held);
    Ok(BookingFacts {
        booking_id: answer.booking_id.parse().map_err(Error::unavailable)?,
        terms_missing: answer.terms_missing,
        consent_missing: answer.consent_missing,
        by_phone: answer.by_phone,
        customer_id: answer.customer_id.parse().map_err(Error::unavailable)?,
        price: answer.price.as_ref().and_then(money).ok_or(refuse(Rejection::InvalidPrice))?,
        held_until_at,
        starts_at: answer.starts_at.as_ref().and_then(timestamp),
        sessions: Option::zip(
            answer.first_starts_at.as_ref().and_then(timestamp),
            answer.ends_at.as_ref().and_then(timestamp),
        ),
    })
}

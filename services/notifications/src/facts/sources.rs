//! Fetches the facts of a mail from the services that own them.

use contract::booking::v1 as wire;
use contract::booking::v1::booking_internal_service_client::BookingInternalServiceClient;
use contract::booking::v1::{GetBookingContactRequest, ListDaySessionsRequest};
use contract::convert::timestamp;
use contract::identity::v1::GetCodeMailRequest;
use contract::identity::v1::identity_internal_service_client::IdentityInternalServiceClient;
use contract::payments::v1::GetReceiptRequest;
use contract::payments::v1::payments_internal_service_client::PaymentsInternalServiceClient;
use contract::reviews::v1::reviews_internal_service_client::ReviewsInternalServiceClient;
use contract::reviews::v1::reviews_service_client::ReviewsServiceClient;
use contract::reviews::v1::{CreateInvitationRequest, GetReviewRequest};
use jiff::civil::Date;
use kernel::Id;
use kernel::id::{Booking, ContactMessage, GuideRequest, MailedCode, Review};
use runtime::caller::Peers;
use runtime::channel::{self, InvalidUrl, PeerChannel};
use sqlx::PgPool;
use tonic::{Code, Status};

use super::{BookingFacts, Facts, FactsError};
use crate::config::Neighbours;
use crate::mail::{About, Kind, Mail};
use crate::repository::{contact_messages, guide_requests};

/// The owners of facts.
#[derive(Debug, Clone)]
pub struct Sources {
    pool: PgPool,
    booking: BookingInternalServiceClient<PeerChannel>,
    payments: PaymentsInternalServiceClient<PeerChannel>,
    invitations: ReviewsInternalServiceClient<PeerChannel>,
    reviews: ReviewsServiceClient<PeerChannel>,
    identity: Option<IdentityInternalServiceClient<PeerChannel>>,
}

impl Sources {
    /// Facts from this service's own tables, the other services and, where it is embedded,
    /// identity.
    ///
    /// # Errors
    /// When a URL is not one.
    pub fn new(pool: PgPool, neighbours: &Neighbours, peers: &Peers) -> Result<Self, InvalidUrl> {
        let booking = channel::peer(&neighbours.booking_url, "booking", peers)?;
        let payments = channel::peer(&neighbours.payments_url, "payments", peers)?;
        let reviews = channel::peer(&neighbours.reviews_url, "reviews", peers)?;
        let identity = match &neighbours.identity_url {
            Some(url) => {
                Some(IdentityInternalServiceClient::new(channel::peer(url, "identity", peers)?))
            }
            None => None,
        };
        Ok(Self {
            pool,
            booking: BookingInternalServiceClient::new(booking),
            payments: PaymentsInternalServiceClient::new(payments),
            invitations: ReviewsInternalServiceClient::new(reviews.clone()),
            reviews: ReviewsServiceClient::new(reviews),
            identity,
        })
    }

    /// Fetches the facts of a mail.
    ///
    /// # Errors
    /// When they don't exist, or their owner does not answer.
    pub async fn load(&self, mail: &Mail) -> Result<Facts, FactsError> {
        match mail.about {
            About::Booking(id) => {
                let mut facts = self.booking(id).await?;
                if mail.kind == Kind::Receipt {
                    self.add_receipt(&mut facts, &mail.subject).await?;
                }
                Ok(Facts::Booking(Box::new(facts)))
            }
            About::Code(id) => self.code(id).await,
            About::Message(id) => self.message(id).await,
            About::Guide(id) => self.guide(id).await,
            About::Review(id) => self.review(id).await,
            About::Day(date) => self.day(date).await,
        }
    }

    /// Adds facts that are needed only when the mail is about to be sent: a client's invitation.
    /// Right after the session, reviews may not have received its event yet.
    ///
    /// # Errors
    /// When their owner does not answer.
    pub async fn load_late(&self, mail: &Mail, facts: &mut Facts) -> Result<(), FactsError> {
        match (mail.kind, mail.about, facts) {
            (Kind::FollowUp, About::Booking(id), Facts::Booking(facts)) => {
                self.add_invitation(facts, id).await
            }
            _ => Ok(()),
        }
    }

    async fn booking(&self, id: Id<Booking>) -> Result<BookingFacts, FactsError> {
        let request = GetBookingContactRequest { booking_id: id.to_string() };
        let answered = self.booking.clone().get_booking_contact(request).await;
        let answer = answered
            .map_err(|status| facts_error(status, "booking_gone", "booking_unavailable"))?
            .into_inner();
        BookingFacts::complete(answer.booking, answer.calendar_file)
            .ok_or_else(|| incomplete("booking_incomplete"))
    }

    async fn add_receipt(&self, facts: &mut BookingFacts, id: &str) -> Result<(), FactsError> {
        let request = GetReceiptRequest { receipt_id: id.to_owned() };
        let answered = self.payments.clone().get_receipt(request).await;
        let receipt = answered
            .map_err(|status| facts_error(status, "receipt_gone", "payments_unavailable"))?
            .into_inner()
            .receipt;
        facts.receipt = Some(receipt.ok_or_else(|| incomplete("receipt_incomplete"))?);
        Ok(())
    }

    /// Until reviews has received the event of the completed session there is no invitation, and
    /// the mail is retried.
    async fn add_invitation(
        &self,
        facts: &mut BookingFacts,
        id: Id<Booking>,
    ) -> Result<(), FactsError> {
        let request = CreateInvitationRequest { booking_id: id.to_string() };
        let answered = self.invitations.clone().create_invitation(request).await;
        let answer = answered
            .map_err(|status| FactsError::Unavailable("reviews_unavailable", status.into()))?
            .into_inner();
        let until = answer.valid_until.as_ref().and_then(timestamp);
        let until = until.ok_or_else(|| incomplete("invitation_incomplete"))?;
        facts.invitation = Some((answer.invitation, until));
        Ok(())
    }

    async fn code(&self, id: Id<MailedCode>) -> Result<Facts, FactsError> {
        let Some(identity) = &self.identity else { return Err(FactsError::Gone("code_gone")) };
        let request = GetCodeMailRequest { code_id: id.to_string() };
        let answered = identity.clone().get_code_mail(request).await;
        answered
            .map(|answer| Facts::Code(answer.into_inner()))
            .map_err(|status| facts_error(status, "code_gone", "identity_unavailable"))
    }

    async fn message(&self, id: Id<ContactMessage>) -> Result<Facts, FactsError> {
        let found = contact_messages::read(&self.pool, id).await;
        let found = found.map_err(|error| unreadable(error.into()))?;
        found.map(Facts::Message).ok_or(FactsError::Gone("message_erased"))
    }

    async fn guide(&self, id: Id<GuideRequest>) -> Result<Facts, FactsError> {
        let found = guide_requests::address(&self.pool, id).await;
        let found = found.map_err(|error| unreadable(error.into()))?;
        found.map(|email| Facts::Guide { email }).ok_or(FactsError::Gone("request_erased"))
    }

    async fn review(&self, id: Id<Review>) -> Result<Facts, FactsError> {
        let request = GetReviewRequest { review_id: id.to_string() };
        let answered = self.reviews.clone().get_review(request).await;
        let review = answered
            .map_err(|status| facts_error(status, "review_gone", "reviews_unavailable"))?
            .into_inner()
            .review;
        review.map(Facts::Review).ok_or_else(|| incomplete("review_incomplete"))
    }

    async fn day(&self, date: Date) -> Result<Facts, FactsError> {
        let request = ListDaySessionsRequest { date: date.to_string() };
        let answered = self.booking.clone().list_day_sessions(request).await;
        let answer = answered
            .map_err(|status| FactsError::Unavailable("booking_unavailable", status.into()))?
            .into_inner();
        // An erased client has no contact any more; the sheet is sent all the same.
        let complete = |mut booking: wire::Booking| {
            booking.contact.get_or_insert_default();
            BookingFacts::complete(Some(booking), String::new())
        };
        let sessions: Option<Vec<_>> = answer.bookings.into_iter().map(complete).collect();
        let sessions = sessions.ok_or_else(|| incomplete("booking_incomplete"))?;
        Ok(Facts::Day { date, sessions })
    }
}

fn facts_error(status: Status, gone: &'static str, unavailable: &'static str) -> FactsError {
    if status.code() == Code::NotFound {
        FactsError::Gone(gone)
    } else {
        FactsError::Unavailable(unavailable, status.into())
    }
}

fn incomplete(reason: &'static str) -> FactsError {
    FactsError::Unavailable(reason, "the answer is incomplete".into())
}

fn unreadable(error: runtime::BoxError) -> FactsError {
    FactsError::Unavailable("database_unavailable", error)
}

//! Calls to the services that own the facts of mails.

use contract::booking::v1 as wire;
use contract::booking::v1::booking_internal_service_client::BookingInternalServiceClient;
use contract::booking::v1::{
    GetBookingContactRequest, GetConsentCodeMailRequest, GetConsentCodeMailResponse,
    ListDaySessionsRequest,
};
use contract::convert::timestamp;
use contract::identity::v1::identity_internal_service_client::IdentityInternalServiceClient;
use contract::identity::v1::{GetAccountNoticeRequest, GetCodeMailRequest, GetCodeMailResponse};
use contract::payments::v1::payments_internal_service_client::PaymentsInternalServiceClient;
use contract::payments::v1::{GetReceiptRequest, GetRefundRequestMailRequest};
use contract::reviews::v1::reviews_internal_service_client::ReviewsInternalServiceClient;
use contract::reviews::v1::reviews_service_client::ReviewsServiceClient;
use contract::reviews::v1::{CreateInvitationRequest, GetReviewRequest};
use jiff::civil::Date;
use kernel::Id;
use kernel::id::{AccountNotice, Booking, MailedCode, Review};
use runtime::caller::Peers;
use runtime::channel::{self, InvalidUrl, PeerChannel};
use tonic::{Code, Status};

use crate::mails::facts::{BookingFacts, Facts, FactsError};
use crate::mails::kind::Kind;
use crate::mails::mail::Mail;

/// The URLs of other services.
#[derive(Debug, Clone)]
pub struct Neighbours {
    /// The feed of bookings; the names, addresses and staff roles; `BOOKING_URL`.
    pub booking_url: String,
    /// The feed of refunds and receipts; `PAYMENTS_URL`.
    pub payments_url: String,
    /// The feed of reviews; the reviews and their invitations; `REVIEWS_URL`.
    pub reviews_url: String,
    /// The codes that are mailed; `IDENTITY_GRPC_URL`. Absent with a hosted identity server, which
    /// sends such mails itself.
    pub identity_url: Option<String>,
}

/// The owners of facts.
#[derive(Debug, Clone)]
pub struct Clients {
    booking: BookingInternalServiceClient<PeerChannel>,
    payments: PaymentsInternalServiceClient<PeerChannel>,
    invitations: ReviewsInternalServiceClient<PeerChannel>,
    reviews: ReviewsServiceClient<PeerChannel>,
    identity: Option<IdentityInternalServiceClient<PeerChannel>>,
}

impl Clients {
    /// Clients of the other services and, where it is embedded, identity.
    pub fn new(neighbours: &Neighbours, peers: &Peers) -> Result<Self, InvalidUrl> {
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
            booking: BookingInternalServiceClient::new(booking),
            payments: PaymentsInternalServiceClient::new(payments),
            invitations: ReviewsInternalServiceClient::new(reviews.clone()),
            reviews: ReviewsServiceClient::new(reviews),
            identity,
        })
    }

    /// The owner of bookings, for facts of which only one kind of mail asks.
    #[must_use]
    pub fn booking_service(&self) -> BookingInternalServiceClient<PeerChannel> {
        self.booking.clone()
    }

    /// A booking with its client, for a mail that gets keys of its own. Its calendar file takes
    /// the cancelled session of this number out of a calendar, where one is named.
    ///
    /// # Errors
    /// When it is gone or incomplete, or booking does not answer.
    pub async fn booking(
        &self,
        id: Id<Booking>,
        cancelled_session: Option<usize>,
        mail: &Mail,
    ) -> Result<BookingFacts, FactsError> {
        let number = cancelled_session.and_then(|number| i32::try_from(number).ok());
        let request = GetBookingContactRequest {
            booking_id: id.to_string(),
            cancelled_session_number: number.unwrap_or_default(),
            mail_id: mail.id.to_string(),
            page_key_wanted: mail.kind == Kind::PaymentPage || mail.kind.leads_to_booking(),
            join_key_wanted: mail.kind.leads_to_session(),
            session_key_wanted: mail.kind.leads_to_booking(),
        };
        let answered = self.booking.clone().get_booking_contact(request).await;
        let answer = answered
            .map_err(|status| facts_error(status, "booking_gone", "booking_unavailable"))?
            .into_inner();
        let facts = BookingFacts::complete(answer.booking, answer.calendar_file);
        let facts = facts.ok_or_else(|| incomplete("booking_incomplete"))?;
        let (page_key, join_key) = (answer.page_key, answer.join_key);
        Ok(BookingFacts {
            page_key,
            join_key,
            session_key: answer.session_key,
            attended_sessions: answer.attended_sessions,
            preferences: answer.mail_preferences,
            suggested: answer.suggested_starts_at.iter().filter_map(timestamp).collect(),
            ..facts
        })
    }

    /// Adds a receipt.
    ///
    /// # Errors
    /// When it is gone or incomplete, or payments does not answer.
    pub async fn add_receipt(&self, facts: &mut BookingFacts, id: &str) -> Result<(), FactsError> {
        let request = GetReceiptRequest { receipt_id: id.to_owned() };
        let answered = self.payments.clone().get_receipt(request).await;
        let receipt = answered
            .map_err(|status| facts_error(status, "receipt_gone", "payments_unavailable"))?
            .into_inner()
            .receipt;
        facts.receipt = Some(receipt.ok_or_else(|| incomplete("receipt_incomplete"))?);
        Ok(())
    }

    /// Adds a client's request for a refund.
    ///
    /// # Errors
    /// When it is gone, or payments does not answer.
    pub async fn add_refund_request(
        &self,
        facts: &mut BookingFacts,
        id: &str,
    ) -> Result<(), FactsError> {
        let request = GetRefundRequestMailRequest { request_id: id.to_owned() };
        let answered = self.payments.clone().get_refund_request_mail(request).await;
        let answer = answered
            .map_err(|status| facts_error(status, "request_gone", "payments_unavailable"))?;
        facts.refund_request = Some(answer.into_inner());
        Ok(())
    }

    /// Adds the invitation to write a review. Until reviews has received the event of the completed
    /// session there is none, and the mail is retried.
    ///
    /// # Errors
    /// When it is incomplete, or reviews does not answer.
    pub async fn add_invitation(
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

    /// A code with its address.
    ///
    /// # Errors
    /// When it is gone, or identity does not answer.
    pub async fn code(&self, id: Id<MailedCode>) -> Result<Facts, FactsError> {
        let Some(identity) = &self.identity else { return Err(FactsError::Gone("code_gone")) };
        let request = GetCodeMailRequest { code_id: id.to_string() };
        let answered = identity.clone().get_code_mail(request).await;
        answered
            .map(|answer| Facts::Code(answer.into_inner()))
            .map_err(|status| facts_error(status, "code_gone", "identity_unavailable"))
    }

    /// A code for the consent on a booking's page, with its address.
    ///
    /// # Errors
    /// When it does not work any more, or booking does not answer.
    pub async fn consent_code(
        &self,
        id: Id<Booking>,
        request_number: i64,
    ) -> Result<Facts, FactsError> {
        let request = GetConsentCodeMailRequest { booking_id: id.to_string(), request_number };
        code_facts(self.booking.clone().get_consent_code_mail(request).await)
    }

    /// The code with which the client of a booking acts on its page.
    ///
    /// # Errors
    /// When it does not work any more, or booking does not answer.
    pub async fn page_code(
        &self,
        id: Id<Booking>,
        request_number: i64,
    ) -> Result<Facts, FactsError> {
        let request = GetConsentCodeMailRequest { booking_id: id.to_string(), request_number };
        code_facts(self.booking.clone().get_page_code_mail(request).await)
    }

    /// A notice about an account, with its address.
    ///
    /// # Errors
    /// When it is gone, or identity does not answer.
    pub async fn notice(&self, id: Id<AccountNotice>) -> Result<Facts, FactsError> {
        let Some(identity) = &self.identity else { return Err(FactsError::Gone("notice_gone")) };
        let request = GetAccountNoticeRequest { notice_id: id.to_string() };
        let answered = identity.clone().get_account_notice(request).await;
        answered
            .map(|answer| Facts::Notice(answer.into_inner()))
            .map_err(|status| facts_error(status, "notice_gone", "identity_unavailable"))
    }

    /// A review.
    ///
    /// # Errors
    /// When it is gone or incomplete, or reviews does not answer.
    pub async fn review(&self, id: Id<Review>) -> Result<Facts, FactsError> {
        let request = GetReviewRequest { review_id: id.to_string() };
        let answered = self.reviews.clone().get_review(request).await;
        let review = answered
            .map_err(|status| facts_error(status, "review_gone", "reviews_unavailable"))?
            .into_inner()
            .review;
        review.map(Facts::Review).ok_or_else(|| incomplete("review_incomplete"))
    }

    /// The sessions of a day.
    ///
    /// # Errors
    /// When one is incomplete, or booking does not answer.
    pub async fn day(&self, date: Date) -> Result<Facts, FactsError> {
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

/// Why an owner of facts gave none, with the codes of what is gone and of who does not answer.
#[must_use]
pub fn facts_error(status: Status, gone: &'static str, unavailable: &'static str) -> FactsError {
    if status.code() == Code::NotFound {
        FactsError::Gone(gone)
    } else {
        FactsError::Unavailable(unavailable, status.into())
    }
}

fn incomplete(reason: &'static str) -> FactsError {
    FactsError::Unavailable(reason, "the answer is incomplete".into())
}

fn code_facts(
    answered: Result<tonic::Response<GetConsentCodeMailResponse>, Status>,
) -> Result<Facts, FactsError> {
    let answer = answered
        .map_err(|status| facts_error(status, "code_gone", "booking_unavailable"))?
        .into_inner();
    let GetConsentCodeMailResponse { email, first_name, code, valid_minutes } = answer;
    let code = GetCodeMailResponse {
        email,
        first_name,
        code,
        valid_minutes,
        ..GetCodeMailResponse::default()
    };
    Ok(Facts::Code(code))
}

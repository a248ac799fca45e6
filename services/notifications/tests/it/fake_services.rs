//! Fakes of booking, payments, reviews and identity: a feed each, and their answers. One database
//! holds all their logs; each reader skips the other services' events.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::Result;
use axum::Router;
use axum::routing::get;
use contract::booking::v1::booking_internal_service_server::{
    BookingInternalService, BookingInternalServiceServer,
};
use contract::booking::v1::{
    Booking, BookingState, Contact, GetBookingContactRequest, GetBookingContactResponse,
    GetBookingFactsRequest, GetBookingFactsResponse, GetConsentCodeMailRequest,
    GetConsentCodeMailResponse, GetStaffInvitationRequest, GetStaffInvitationResponse,
    GetStaffRoleRequest, GetStaffRoleResponse, GetWaitingOfferRequest, GetWaitingOfferResponse,
    ListDaySessionsRequest, ListDaySessionsResponse, MailPreferences, Session, SessionMode,
};
use contract::common::v1::{CancellationPolicy, CancellationTier, Money};
use contract::convert::to_wire;
use contract::identity::v1::identity_internal_service_server::{
    IdentityInternalService, IdentityInternalServiceServer,
};
use contract::identity::v1::{
    GetAccountNoticeRequest, GetAccountNoticeResponse, GetCodeMailRequest, GetCodeMailResponse,
    ListEndedSessionsRequest, ListEndedSessionsResponse,
};
use contract::payments::v1::payments_internal_service_server::PaymentsInternalServiceServer;
use contract::payments::v1::{GetRefundRequestMailResponse, Receipt};
use contract::reviews::v1::Review;
use contract::reviews::v1::reviews_internal_service_server::ReviewsInternalServiceServer;
use contract::reviews::v1::reviews_service_server::ReviewsServiceServer;
use eventstore::Store;
use kernel::Timestamp;
use messaging::FeedServer;
use notifications::clients;
use runtime::caller::Peers;
use runtime::server::{self, Server};
use runtime::{Shutdown, status};
use testkit::TestKeys;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

mod payments;
mod reviews;

use self::payments::FakePayments;
pub(crate) use self::payments::receipt;
use self::reviews::FakeReviews;
pub(crate) use self::reviews::INVITATION;

/// The data of the fake services, and whether they answer.
#[derive(Default)]
pub(crate) struct FakeData {
    pub(crate) bookings: Mutex<HashMap<String, Booking>>,
    /// The keys of payment pages, by booking.
    pub(crate) page_keys: Mutex<HashMap<String, String>>,
    /// Times that are offered to the wait list, by "blk_…".
    pub(crate) offers: Mutex<HashMap<String, GetWaitingOfferResponse>>,
    /// Invitations to the staff that can be accepted, by "inv_…".
    pub(crate) invitations: Mutex<HashMap<String, GetStaffInvitationResponse>>,
    /// Roles of staff by "usr_…".
    pub(crate) roles: Mutex<HashMap<String, String>>,
    pub(crate) codes: Mutex<HashMap<String, GetCodeMailResponse>>,
    /// Codes for consents, by the booking and the request's number.
    pub(crate) consent_codes: Mutex<HashMap<(String, i64), GetConsentCodeMailResponse>>,
    pub(crate) notices: Mutex<HashMap<String, GetAccountNoticeResponse>>,
    pub(crate) receipts: Mutex<HashMap<String, Receipt>>,
    /// Requests for refunds, by "rrq_…".
    pub(crate) refund_requests: Mutex<HashMap<String, GetRefundRequestMailResponse>>,
    pub(crate) reviews: Mutex<HashMap<String, Review>>,
    /// The bookings of a day, by the date.
    pub(crate) days: Mutex<HashMap<String, Vec<Booking>>>,
    pub(crate) down: AtomicBool,
    /// The numbers of the sessions to which their client came, by the booking.
    pub(crate) attended: Mutex<HashMap<String, Vec<i32>>>,
    /// What clients chose about mails, by the booking.
    pub(crate) preferences: Mutex<HashMap<String, MailPreferences>>,
    /// Free times to choose from, by the booking.
    pub(crate) suggested: Mutex<HashMap<String, Vec<Timestamp>>>,
    /// Whether reviews has not received the completed sessions yet.
    pub(crate) uninvited: AtomicBool,
    /// How often booking was asked about a booking.
    pub(crate) asked: AtomicUsize,
}

impl FakeData {
    pub(crate) fn change(&self, booking_id: &str, change: impl FnOnce(&mut Booking)) {
        change(self.bookings.lock().unwrap().get_mut(booking_id).unwrap());
    }

    pub(crate) fn check(&self) -> Result<(), Status> {
        if self.down.load(Ordering::SeqCst) {
            return Err(Status::unavailable("told to be down"));
        }
        Ok(())
    }
}

/// All of the price until so many hours before the start.
pub(crate) fn notice_of(until_hours: i32) -> CancellationPolicy {
    let full = CancellationTier { until_hours, refund_percent: 100, practice_late: None };
    CancellationPolicy { version: String::new(), tiers: vec![full], moves: None, grace: None }
}

/// A confirmed booking of a client with an awkward name.
pub(crate) fn booking(booking_id: &str, mode: SessionMode) -> Booking {
    let at = |text: &str| {
        let instant: kernel::Timestamp = text.parse().unwrap();
        Some(contract::convert::to_wire(instant))
    };
    let session = Session {
        starts_at: at("2026-11-24T05:30:00Z"),
        ends_at: at("2026-11-24T06:15:00Z"),
        ..Session::default()
    };
    Booking {
        booking_id: booking_id.to_owned(),
        service_id: "meditation".to_owned(),
        service_title: "Meditation & Mindfulness".to_owned(),
        sessions: vec![session],
        time_zone: "Asia/Kolkata".to_owned(),
        mode: mode.into(),
        price: Some(Money { minor_units: 75_000, currency_code: "INR".to_owned() }),
        state: BookingState::Confirmed.into(),
        contact: Some(Contact {
            first_name: "Asha".to_owned(),
            last_name: "O'Neil <b>".to_owned(),
            email: "asha@example.org".to_owned(),
            phone: "+919800000000".to_owned(),
            notes: "Please speak slowly.".to_owned(),
        }),
        practitioner_name: "Meera Joshi".to_owned(),
        location: "Sukoon, Arera Colony".to_owned(),
        cancellation_policy: Some(notice_of(24)),
        ..Booking::default()
    }
}

struct FakeBooking {
    data: Arc<FakeData>,
    peers: Peers,
}

#[tonic::async_trait]
impl BookingInternalService for FakeBooking {
    async fn get_booking_facts(
        &self,
        _request: Request<GetBookingFactsRequest>,
    ) -> Result<Response<GetBookingFactsResponse>, Status> {
        Err(Status::permission_denied("only payments may ask this"))
    }

    async fn get_booking_contact(
        &self,
        request: Request<GetBookingContactRequest>,
    ) -> Result<Response<GetBookingContactResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        self.data.asked.fetch_add(1, Ordering::SeqCst);
        self.data.check()?;
        let GetBookingContactRequest {
            booking_id: id,
            cancelled_session_number,
            join_key_wanted,
            session_key_wanted,
            ..
        } = request.into_inner();
        let booking = self.data.bookings.lock().unwrap().get(&id).cloned();
        let booking = booking.ok_or_else(|| status::not_found("BOOKING_NOT_FOUND"))?;
        let (method, uid) = match cancelled_session_number {
            0 => ("PUBLISH", id.clone()),
            number => ("CANCEL", format!("{id}-{number}")),
        };
        let calendar_file = format!(
            "BEGIN:VCALENDAR\r\nMETHOD:{method}\r\nBEGIN:VEVENT\r\nUID:{uid}\r\n\
             SEQUENCE:1\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        );
        let page_key = self.data.page_keys.lock().unwrap().get(&id).cloned().unwrap_or_default();
        let attended = self.data.attended.lock().unwrap().get(&id).cloned();
        // A booking by phone has its page of payment, and no other one.
        let has_session_page = session_key_wanted && page_key.is_empty();
        Ok(Response::new(GetBookingContactResponse {
            booking: Some(booking),
            calendar_file,
            page_key,
            join_key: if join_key_wanted { format!("join-{id}") } else { String::new() },
            attended_sessions: attended.unwrap_or_default(),
            session_key: if has_session_page { format!("session-{id}") } else { String::new() },
            mail_preferences: self.data.preferences.lock().unwrap().get(&id).cloned(),
            suggested_starts_at: self
                .data
                .suggested
                .lock()
                .unwrap()
                .get(&id)
                .into_iter()
                .flatten()
                .map(|at| to_wire(*at))
                .collect(),
        }))
    }

    async fn get_consent_code_mail(
        &self,
        request: Request<GetConsentCodeMailRequest>,
    ) -> Result<Response<GetConsentCodeMailResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        self.data.check()?;
        let GetConsentCodeMailRequest { booking_id, request_number } = request.into_inner();
        let codes = self.data.consent_codes.lock().unwrap();
        let code = codes.get(&(booking_id, request_number)).cloned();
        code.map(Response::new).ok_or_else(|| status::not_found("BOOKING_NOT_FOUND"))
    }

    async fn get_page_code_mail(
        &self,
        request: Request<GetConsentCodeMailRequest>,
    ) -> Result<Response<GetConsentCodeMailResponse>, Status> {
        self.get_consent_code_mail(request).await
    }

    async fn get_waiting_offer(
        &self,
        request: Request<GetWaitingOfferRequest>,
    ) -> Result<Response<GetWaitingOfferResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        self.data.check()?;
        let id = request.into_inner().offer_id;
        let offer = self.data.offers.lock().unwrap().get(&id).cloned();
        offer.map(Response::new).ok_or_else(|| status::not_found("WAITING_NOT_FOUND"))
    }

    async fn list_day_sessions(
        &self,
        request: Request<ListDaySessionsRequest>,
    ) -> Result<Response<ListDaySessionsResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        self.data.check()?;
        let date = request.into_inner().date;
        let bookings = self.data.days.lock().unwrap().get(&date).cloned().unwrap_or_default();
        Ok(Response::new(ListDaySessionsResponse { bookings }))
    }

    async fn get_staff_role(
        &self,
        request: Request<GetStaffRoleRequest>,
    ) -> Result<Response<GetStaffRoleResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        self.data.check()?;
        let role = self.data.roles.lock().unwrap().get(&request.into_inner().user_id).cloned();
        let role = role.unwrap_or_default();
        Ok(Response::new(GetStaffRoleResponse { role, second_factor_required: true }))
    }

    async fn get_staff_invitation(
        &self,
        request: Request<GetStaffInvitationRequest>,
    ) -> Result<Response<GetStaffInvitationResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        self.data.check()?;
        let id = request.into_inner().invitation_id;
        let invitation = self.data.invitations.lock().unwrap().get(&id).cloned();
        invitation.map(Response::new).ok_or_else(|| status::not_found("INVITATION_NOT_FOUND"))
    }
}

struct FakeIdentity {
    data: Arc<FakeData>,
    peers: Peers,
}

#[tonic::async_trait]
impl IdentityInternalService for FakeIdentity {
    async fn get_code_mail(
        &self,
        request: Request<GetCodeMailRequest>,
    ) -> Result<Response<GetCodeMailResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        self.data.check()?;
        let code = self.data.codes.lock().unwrap().get(&request.into_inner().code_id).cloned();
        code.map(Response::new).ok_or_else(|| status::not_found("CODE_NOT_FOUND"))
    }

    async fn get_account_notice(
        &self,
        request: Request<GetAccountNoticeRequest>,
    ) -> Result<Response<GetAccountNoticeResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        self.data.check()?;
        let id = request.into_inner().notice_id;
        let notice = self.data.notices.lock().unwrap().get(&id).cloned();
        notice.map(Response::new).ok_or_else(|| status::not_found("NOTICE_NOT_FOUND"))
    }

    async fn list_ended_sessions(
        &self,
        request: Request<ListEndedSessionsRequest>,
    ) -> Result<Response<ListEndedSessionsResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        Ok(Response::new(ListEndedSessionsResponse::default()))
    }
}

/// Serves all of them until the shutdown signal is given.
pub(crate) async fn serve(
    store: &Store,
    data: &Arc<FakeData>,
    keys: &TestKeys,
    shutdown: &Shutdown,
) -> Result<clients::Neighbours> {
    let feed = |name| -> Result<_> {
        let readers: &[&str] = &["notifications"];
        Ok(Routes::new(FeedServer::service(store.clone(), keys.peers(name)?, readers)))
    };
    let booking = FakeBooking { data: Arc::clone(data), peers: keys.peers("booking")? };
    let booking = feed("booking")?.add_service(BookingInternalServiceServer::new(booking));
    let identity = FakeIdentity { data: Arc::clone(data), peers: keys.peers("identity")? };
    let identity = feed("identity")?.add_service(IdentityInternalServiceServer::new(identity));
    let till = FakePayments { data: Arc::clone(data), peers: keys.peers("payments")? };
    let payments = feed("payments")?.add_service(PaymentsInternalServiceServer::new(till));
    let staff = || -> Result<_> {
        Ok(FakeReviews { data: Arc::clone(data), peers: keys.peers("reviews")? })
    };
    let reviews = feed("reviews")?
        .add_service(ReviewsInternalServiceServer::new(staff()?))
        .add_service(ReviewsServiceServer::new(staff()?));
    Ok(clients::Neighbours {
        booking_url: listen(booking, shutdown).await?,
        payments_url: listen(payments, shutdown).await?,
        reviews_url: listen(reviews, shutdown).await?,
        identity_url: Some(listen(identity, shutdown).await?),
    })
}

/// Serves an identity server's public keys and returns their URL.
pub(crate) async fn jwks(document: String, shutdown: &Shutdown) -> Result<String> {
    let listener = server::listen("127.0.0.1:0".parse()?).await?;
    let url = format!("http://{}/jwks.json", listener.local_addr()?);
    let router = Router::new().route("/jwks.json", get(|| async { document }));
    let stop = shutdown.clone();
    tokio::spawn(async move { server::serve_http(listener, router, &stop).await });
    Ok(url)
}

async fn listen(routes: Routes, shutdown: &Shutdown) -> Result<String> {
    let server = Server::bind("127.0.0.1:0".parse()?, shutdown).await?;
    let url = format!("http://{}", server.address()?);
    tokio::spawn(server.serve(routes));
    Ok(url)
}

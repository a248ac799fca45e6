//! booking, payments and identity as this service sees them: a feed each, and what they tell when
//! they are asked. One database plays all three logs; each reader skips what is not its own.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::Result;
use axum::Router;
use axum::routing::get;
use contract::booking::v1::booking_internal_service_server::{
    BookingInternalService, BookingInternalServiceServer,
};
use contract::booking::v1::{
    Booking, BookingState, Contact, GetBookingContactRequest, GetBookingContactResponse,
    GetBookingFactsRequest, GetBookingFactsResponse, GetStaffRoleRequest, GetStaffRoleResponse,
    Session, SessionMode,
};
use contract::common::v1::Money;
use contract::identity::v1::identity_internal_service_server::{
    IdentityInternalService, IdentityInternalServiceServer,
};
use contract::identity::v1::{GetCodeMailRequest, GetCodeMailResponse};
use eventstore::Store;
use messaging::FeedServer;
use notifications::config;
use runtime::caller::Peers;
use runtime::server::{self, Server};
use runtime::{Shutdown, status};
use testkit::TestKeys;
use tonic::service::Routes;
use tonic::{Request, Response, Status};

/// What the neighbours know, and whether they answer.
#[derive(Default)]
pub(crate) struct Knowledge {
    pub(crate) bookings: Mutex<HashMap<String, Booking>>,
    /// Roles of staff by "usr_…".
    pub(crate) roles: Mutex<HashMap<String, String>>,
    pub(crate) codes: Mutex<HashMap<String, GetCodeMailResponse>>,
    pub(crate) down: AtomicBool,
}

impl Knowledge {
    pub(crate) fn change(&self, booking_id: &str, change: impl FnOnce(&mut Booking)) {
        change(self.bookings.lock().unwrap().get_mut(booking_id).unwrap());
    }

    fn check(&self) -> Result<(), Status> {
        if self.down.load(Ordering::SeqCst) {
            return Err(Status::unavailable("told to be down"));
        }
        Ok(())
    }
}

/// A confirmed booking of somebody with an awkward name.
pub(crate) fn booking(booking_id: &str, mode: SessionMode) -> Booking {
    let at = |text: &str| {
        let instant: kernel::Timestamp = text.parse().unwrap();
        Some(contract::convert::to_wire(instant))
    };
    let session =
        Session { starts_at: at("2026-11-24T05:30:00Z"), ends_at: at("2026-11-24T06:15:00Z") };
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
        ..Booking::default()
    }
}

struct BookingDesk {
    knows: Arc<Knowledge>,
    peers: Peers,
}

#[tonic::async_trait]
impl BookingInternalService for BookingDesk {
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
        self.knows.check()?;
        let id = request.into_inner().booking_id;
        let booking = self.knows.bookings.lock().unwrap().get(&id).cloned();
        let booking = booking.ok_or_else(|| status::not_found("BOOKING_NOT_FOUND"))?;
        let sequence = u8::from(!booking.join_url.is_empty());
        let calendar_file = format!(
            "BEGIN:VCALENDAR\r\nMETHOD:PUBLISH\r\nBEGIN:VEVENT\r\nUID:{id}\r\n\
             SEQUENCE:{sequence}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        );
        Ok(Response::new(GetBookingContactResponse { booking: Some(booking), calendar_file }))
    }

    async fn get_staff_role(
        &self,
        request: Request<GetStaffRoleRequest>,
    ) -> Result<Response<GetStaffRoleResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        self.knows.check()?;
        let role = self.knows.roles.lock().unwrap().get(&request.into_inner().user_id).cloned();
        Ok(Response::new(GetStaffRoleResponse { role: role.unwrap_or_default() }))
    }
}

struct CodeDesk {
    knows: Arc<Knowledge>,
    peers: Peers,
}

#[tonic::async_trait]
impl IdentityInternalService for CodeDesk {
    async fn get_code_mail(
        &self,
        request: Request<GetCodeMailRequest>,
    ) -> Result<Response<GetCodeMailResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        self.knows.check()?;
        let code = self.knows.codes.lock().unwrap().get(&request.into_inner().code_id).cloned();
        code.map(Response::new).ok_or_else(|| status::not_found("CODE_NOT_FOUND"))
    }
}

/// Serves all three until the shutdown signal is given.
pub(crate) async fn serve(
    store: &Store,
    knows: &Arc<Knowledge>,
    keys: &TestKeys,
    shutdown: &Shutdown,
) -> Result<config::Neighbours> {
    let feed = |name| -> Result<_> {
        let readers: &[&str] = &["notifications"];
        Ok(Routes::new(FeedServer::service(store.clone(), keys.peers(name)?, readers)))
    };
    let booking = BookingDesk { knows: Arc::clone(knows), peers: keys.peers("booking")? };
    let booking = feed("booking")?.add_service(BookingInternalServiceServer::new(booking));
    let identity = CodeDesk { knows: Arc::clone(knows), peers: keys.peers("identity")? };
    let identity = feed("identity")?.add_service(IdentityInternalServiceServer::new(identity));
    Ok(config::Neighbours {
        booking_url: listen(booking, shutdown).await?,
        payments_url: listen(feed("payments")?, shutdown).await?,
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

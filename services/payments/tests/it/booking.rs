//! A stub of the booking service: it answers with facts of bookings and serves its feed.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use contract::booking::v1::booking_internal_service_server::{
    BookingInternalService, BookingInternalServiceServer,
};
use contract::booking::v1::{
    BookingState, GetBookingContactRequest, GetBookingContactResponse, GetBookingFactsRequest,
    GetBookingFactsResponse, GetConsentCodeMailRequest, GetConsentCodeMailResponse,
    GetStaffInvitationRequest, GetStaffInvitationResponse, GetStaffRoleRequest,
    GetStaffRoleResponse, GetWaitingOfferRequest, GetWaitingOfferResponse, ListDaySessionsRequest,
    ListDaySessionsResponse,
};
use eventstore::{Metadata, NewEvent, Store, StoreError};
use kernel::Id;
use kernel::id::Booking;
use messaging::FeedServer;
use runtime::Shutdown;
use runtime::caller::Peers;
use runtime::server::Server;
use runtime::status::not_found;
use sqlx::migrate::Migrator;
use testkit::{TestDatabase, until_in_feed};
use tonic::service::Routes;
use tonic::{Request, Response, Status};

/// What the keys of pages begin with; the booking's id follows.
const PAGE_KEY: &str = "key of ";

/// Roles of staff by "usr_…".
type Roles = Arc<Mutex<HashMap<String, String>>>;
type Known = Arc<Mutex<HashMap<String, GetBookingFactsResponse>>>;

/// The neighbour.
pub(crate) struct BookingService {
    _database: TestDatabase,
    store: Store,
    known: Known,
    roles: Roles,
    pub(crate) address: SocketAddr,
}

struct Internal {
    peers: Peers,
    known: Known,
    roles: Roles,
}

#[tonic::async_trait]
impl BookingInternalService for Internal {
    async fn get_booking_facts(
        &self,
        request: Request<GetBookingFactsRequest>,
    ) -> Result<Response<GetBookingFactsResponse>, Status> {
        self.peers.verify(request.metadata(), &["payments"])?;
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = request.into_inner();
        let booking_id = match asked.page_key.strip_prefix(PAGE_KEY) {
            Some(of_page) => of_page.to_owned(),
            None if asked.page_key.is_empty() => asked.booking_id,
            None => return Err(not_found("BOOKING_NOT_FOUND")),
        };
        let facts = known.get(&booking_id).cloned();
        facts.map(Response::new).ok_or_else(|| not_found("BOOKING_NOT_FOUND"))
    }

    async fn get_booking_contact(
        &self,
        _request: Request<GetBookingContactRequest>,
    ) -> Result<Response<GetBookingContactResponse>, Status> {
        Err(Status::unimplemented("payments asks for no contact"))
    }

    async fn get_waiting_offer(
        &self,
        _request: Request<GetWaitingOfferRequest>,
    ) -> Result<Response<GetWaitingOfferResponse>, Status> {
        Err(Status::unimplemented("only notifications asks for an offer"))
    }

    async fn list_day_sessions(
        &self,
        _request: Request<ListDaySessionsRequest>,
    ) -> Result<Response<ListDaySessionsResponse>, Status> {
        Err(Status::unimplemented("payments asks for no days"))
    }

    async fn get_staff_role(
        &self,
        request: Request<GetStaffRoleRequest>,
    ) -> Result<Response<GetStaffRoleResponse>, Status> {
        self.peers.verify(request.metadata(), &["payments"])?;
        let roles = self.roles.lock().unwrap_or_else(PoisonError::into_inner);
        let role = roles.get(&request.into_inner().user_id).cloned().unwrap_or_default();
        Ok(Response::new(GetStaffRoleResponse { role, second_factor_required: true }))
    }

    async fn get_staff_invitation(
        &self,
        _request: Request<GetStaffInvitationRequest>,
    ) -> Result<Response<GetStaffInvitationResponse>, Status> {
        Err(Status::permission_denied("only notifications may ask this"))
    }

    async fn get_page_code_mail(
        &self,
        _request: Request<GetConsentCodeMailRequest>,
    ) -> Result<Response<GetConsentCodeMailResponse>, Status> {
        Err(Status::permission_denied("only notifications may ask this"))
    }

    async fn get_consent_code_mail(
        &self,
        _request: Request<GetConsentCodeMailRequest>,
    ) -> Result<Response<GetConsentCodeMailResponse>, Status> {
        Err(Status::permission_denied("only notifications may ask this"))
    }
}

impl BookingService {
    pub(crate) async fn start(peers: &Peers, shutdown: &Shutdown) -> Result<Self> {
        let database = TestDatabase::new(&Migrator::with_migrations(Vec::new())).await?;
        let (store, known) = (database.store()?, Known::default());
        let roles = Roles::default();
        let server = Server::bind(SocketAddr::from(([127, 0, 0, 1], 0)), shutdown).await?;
        let address = server.address()?;
        let internal =
            Internal { peers: peers.clone(), known: Arc::clone(&known), roles: Arc::clone(&roles) };
        let routes = Routes::new(BookingInternalServiceServer::new(internal))
            .add_service(FeedServer::service(store.clone(), peers.clone(), &["payments"]));
        tokio::spawn(server.serve(routes));
        Ok(Self { _database: database, store, known, roles, address })
    }

    pub(crate) fn knows(&self, facts: GetBookingFactsResponse) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(facts.booking_id.clone(), facts);
    }

    /// The key of a booking's page.
    pub(crate) fn page_key(&self, id: Id<Booking>) -> String {
        format!("{PAGE_KEY}{id}")
    }

    /// A person works for the practice from now on.
    pub(crate) fn employs(&self, user_id: &str, role: &str) {
        let mut roles = self.roles.lock().unwrap_or_else(PoisonError::into_inner);
        roles.insert(user_id.to_owned(), role.to_owned());
    }

    /// The booking's time is not held any more.
    pub(crate) fn moves_on(&self, booking_id: Id<Booking>, state: BookingState) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(facts) = known.get_mut(&booking_id.to_string()) {
            facts.state = state.into();
            facts.held_until_at = None;
        }
    }

    /// It was restored from a copy without this booking.
    pub(crate) fn forgets(&self, booking_id: Id<Booking>) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(&booking_id.to_string());
    }

    /// Where its feed ends.
    pub(crate) async fn last_position(&self) -> Result<i64> {
        let last = "select coalesce(max(position), 0) from feed";
        Ok(sqlx::query_scalar(last).fetch_one(self.store.pool()).await?)
    }

    /// Publishes an event of booking in its feed.
    pub(crate) async fn publishes(&self, event: NewEvent, traceparent: Option<&str>) -> Result<()> {
        let metadata = Metadata::by("booking", traceparent.map(str::to_owned));
        self.store
            .write(metadata, move |tx| {
                let event = event.clone();
                Box::pin(async move {
                    tx.lock(&["booking-x".to_owned()]).await?;
                    let loaded = tx.load("booking-x").await?;
                    tx.append("booking-x", loaded.version, &[event]).await?;
                    Ok::<(), StoreError>(())
                })
            })
            .await?;
        until_in_feed(&self.store).await
    }
}

//! A fake booking service on the network: answers staff roles and serves its feed.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use contract::booking::v1::booking_internal_service_server::{
    BookingInternalService, BookingInternalServiceServer,
};
use contract::booking::v1::{
    BookingCompleted, BookingRequested, GetBookingContactRequest, GetBookingContactResponse,
    GetBookingFactsRequest, GetBookingFactsResponse, GetConsentCodeMailRequest,
    GetConsentCodeMailResponse, GetStaffInvitationRequest, GetStaffInvitationResponse,
    GetStaffRoleRequest, GetStaffRoleResponse, GetWaitingOfferRequest, GetWaitingOfferResponse,
    ListDaySessionsRequest, ListDaySessionsResponse,
};
use contract::common::v1::Money;
use eventstore::{Metadata, NewEvent, Recorded, Store, StoreError, feed};
use kernel::Id;
use kernel::id::{Booking, Customer};
use messaging::FeedServer;
use prost::{Message, Name};
use runtime::Shutdown;
use runtime::caller::Peers;
use runtime::server::Server;
use sqlx::migrate::Migrator;
use staff::Role;
use testkit::{TestDatabase, until_in_feed};
use tonic::service::Routes;
use tonic::{Request, Response, Status};

/// Roles of staff by "usr_…".
type Roles = Arc<Mutex<HashMap<String, Role>>>;

/// The fake service.
pub(crate) struct FakeBooking {
    database: TestDatabase,
    store: Store,
    roles: Roles,
    pub(crate) url: String,
}

struct Internal {
    peers: Peers,
    roles: Roles,
}

#[tonic::async_trait]
impl BookingInternalService for Internal {
    async fn get_booking_facts(
        &self,
        _request: Request<GetBookingFactsRequest>,
    ) -> Result<Response<GetBookingFactsResponse>, Status> {
        Err(Status::unimplemented("reviews asks for no facts"))
    }

    async fn get_booking_contact(
        &self,
        _request: Request<GetBookingContactRequest>,
    ) -> Result<Response<GetBookingContactResponse>, Status> {
        Err(Status::unimplemented("reviews asks for no contact"))
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
        Err(Status::unimplemented("reviews asks for no days"))
    }

    async fn get_staff_role(
        &self,
        request: Request<GetStaffRoleRequest>,
    ) -> Result<Response<GetStaffRoleResponse>, Status> {
        self.peers.verify(request.metadata(), &["reviews"])?;
        let roles = self.roles.lock().unwrap_or_else(PoisonError::into_inner);
        let role = roles.get(&request.into_inner().user_id).copied();
        let role = role.map(|role| role.word().to_owned()).unwrap_or_default();
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

impl FakeBooking {
    pub(crate) async fn start(peers: &Peers, shutdown: &Shutdown) -> Self {
        let database = TestDatabase::new(&Migrator::with_migrations(Vec::new())).await.unwrap();
        let (store, roles) = (database.store().unwrap(), Roles::default());
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let server = Server::bind(nowhere, shutdown).await.unwrap();
        let url = format!("http://{}", server.address().unwrap());
        let internal = Internal { peers: peers.clone(), roles: Arc::clone(&roles) };
        let routes = Routes::new(BookingInternalServiceServer::new(internal))
            .add_service(FeedServer::service(store.clone(), peers.clone(), &["reviews"]));
        tokio::spawn(server.serve(routes));
        Self { database, store, roles, url }
    }

    /// Sets or removes a person's role.
    pub(crate) fn set_role(&self, person: Id<Customer>, role: Option<Role>) {
        let mut roles = self.roles.lock().unwrap_or_else(PoisonError::into_inner);
        match role {
            Some(role) => roles.insert(person.to_string(), role),
            None => roles.remove(&person.to_string()),
        };
    }

    /// Publishes that a booking was requested.
    pub(crate) async fn requested(&self, id: Id<Booking>, customer: Id<Customer>) {
        self.requested_for(id, customer, 75_000).await;
    }

    /// The same for a price in paise.
    pub(crate) async fn requested_for(
        &self,
        id: Id<Booking>,
        customer: Id<Customer>,
        minor_units: i64,
    ) {
        let event = BookingRequested {
            booking_id: id.to_string(),
            customer_id: customer.to_string(),
            price: Some(Money { minor_units, currency_code: "INR".to_owned() }),
            ..BookingRequested::default()
        };
        self.publish(id, &event).await;
    }

    /// Publishes that its session was completed.
    pub(crate) async fn completed(&self, id: Id<Booking>) {
        self.publish(id, &BookingCompleted { booking_id: id.to_string() }).await;
    }

    /// Publishes an event of a booking in the feed.
    pub(crate) async fn publish<M: Message + Name>(&self, id: Id<Booking>, message: &M) {
        let event = NewEvent::of(message).unwrap();
        let stream = format!("booking-{}", id.uuid());
        self.store
            .write(Metadata::by("booking", None), move |tx| {
                let (stream, event) = (stream.clone(), event.clone());
                Box::pin(async move {
                    let loaded = tx.load(&stream).await?;
                    tx.append(&stream, loaded.version, &[event]).await?;
                    Ok::<(), StoreError>(())
                })
            })
            .await
            .unwrap();
        until_in_feed(&self.store).await.unwrap();
    }

    /// All events of its feed.
    pub(crate) async fn events(&self) -> Vec<Recorded> {
        feed::read(self.store.pool(), 0, 1000).await.unwrap()
    }

    /// Moves its clock ahead of the machine's.
    pub(crate) async fn move_clock(&self, seconds: i64) {
        self.database.move_clock(seconds).await.unwrap();
    }
}

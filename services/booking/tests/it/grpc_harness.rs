//! A test harness: the service over gRPC, with tokens of users and of other services.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use contract::booking::v1::booking_calendar_service_client::BookingCalendarServiceClient;
use contract::booking::v1::booking_calendar_staff_service_client::BookingCalendarStaffServiceClient;
use contract::booking::v1::booking_internal_service_client::BookingInternalServiceClient;
use contract::booking::v1::booking_service_client::BookingServiceClient;
use contract::booking::v1::booking_staff_service_client::BookingStaffServiceClient;
use contract::booking::v1::consent_service_client::ConsentServiceClient;
use contract::booking::v1::consent_staff_service_client::ConsentStaffServiceClient;
use contract::booking::v1::join_page_service_client::JoinPageServiceClient;
use contract::booking::v1::organisation_service_client::OrganisationServiceClient;
use contract::booking::v1::organisation_staff_service_client::OrganisationStaffServiceClient;
use contract::booking::v1::payment_page_service_client::PaymentPageServiceClient;
use contract::booking::v1::session_page_service_client::SessionPageServiceClient;
use contract::booking::v1::waiting_service_client::WaitingServiceClient;
use contract::booking::v1::waiting_staff_service_client::WaitingStaffServiceClient;
use kernel::Id;
use kernel::id::{Booking, Customer};
use messaging::ParkedEvents;
use runtime::Revised;
use runtime::caller::{UserSettings, Users};
use runtime::channel::{self, PeerChannel};
use runtime::server::Server;
use runtime::status::detail_of;
use staff::Role;
use testkit::TestUsers;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::fakes;
use crate::world::{World, at, customer, new_request};

/// In the year 2100.
const FAR: u64 = 4_102_444_800;

pub(crate) struct GrpcHarness {
    pub(crate) world: World,
    pub(crate) users: TestUsers,
    pub(crate) url: String,
}

impl GrpcHarness {
    pub(crate) async fn new() -> Self {
        Self::of(World::new().await).await
    }

    pub(crate) async fn of(world: World) -> Self {
        let users = TestUsers::new("http://127.0.0.1/auth/v1").unwrap();
        let settings = UserSettings {
            jwks_url: fakes::jwks(users.jwks()).await,
            issuer: users.issuer.clone(),
            identity_url: None,
        };
        let verifier = Users::new(&settings).unwrap();
        let address = "127.0.0.1:0".parse().unwrap();
        let server = Server::bind(address, &world.shutdown).await.unwrap();
        let url = format!("http://{}", server.address().unwrap());
        let parked = ParkedEvents::new(world.app.store.clone());
        let made = |_: &Path| Ok::<_, Infallible>(Arc::clone(&world.app));
        let revised = Revised::open(Path::new("."), practice::FILE, made).unwrap();
        let parked = booking::consumers::all(&revised)
            .into_iter()
            .fold(parked, |parked, (name, source, it)| parked.consumer(name, source, it));
        let (app, peers) = (&world.app, &world.peers);
        let routes = booking::grpc::routes::all(app, verifier, peers, &world.shutdown, parked);
        tokio::spawn(server.serve(routes));
        Self { world, users, url }
    }

    pub(crate) fn public(&self) -> BookingServiceClient<Channel> {
        BookingServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    pub(crate) fn internal(
        &self,
        service: &'static str,
    ) -> BookingInternalServiceClient<PeerChannel> {
        let peers = self.world.keys.peers(service).unwrap();
        BookingInternalServiceClient::new(channel::peer(&self.url, "booking", &peers).unwrap())
    }

    /// A request with a customer's token.
    pub(crate) fn by<T>(&self, customer: Id<Customer>, message: T) -> Request<T> {
        self.until(customer, FAR, message)
    }

    /// The same of a session with one factor.
    pub(crate) fn by_one_factor<T>(&self, customer: Id<Customer>, message: T) -> Request<T> {
        with_token(&self.one_factor_token(customer), message)
    }

    /// The token of a session that has shown its second factor so many seconds ago.
    pub(crate) fn token_shown(&self, customer: Id<Customer>, seconds_ago: u64) -> String {
        let sub = customer.uuid().to_string();
        self.users.token_shown(&sub, "asha@example.org", seconds_ago).unwrap()
    }

    pub(crate) fn one_factor_token(&self, customer: Id<Customer>) -> String {
        let sub = customer.uuid().to_string();
        self.users.one_factor_token(&sub, "asha@example.org", FAR).unwrap()
    }

    /// The same of an account that has a second factor, which the session has not used.
    pub(crate) fn by_unused_factor<T>(&self, customer: Id<Customer>, message: T) -> Request<T> {
        let sub = customer.uuid().to_string();
        with_token(&self.users.unused_factor_token(&sub, "asha@example.org", FAR).unwrap(), message)
    }

    pub(crate) fn until<T>(&self, customer: Id<Customer>, end: u64, message: T) -> Request<T> {
        let sub = customer.uuid().to_string();
        with_token(&self.users.token(&sub, "asha@example.org", end).unwrap(), message)
    }

    /// The same with a token of a proved address.
    pub(crate) fn by_proved<T>(&self, customer: Id<Customer>, message: T) -> Request<T> {
        let sub = customer.uuid().to_string();
        with_token(&self.users.proved_token(&sub, "asha@example.org", FAR).unwrap(), message)
    }

    /// The same with a token of another address, and whether it is proved.
    pub(crate) fn with_address<T>(
        &self,
        customer: Id<Customer>,
        (email, proved): (&str, bool),
        message: T,
    ) -> Request<T> {
        let sub = customer.uuid().to_string();
        let token = if proved {
            self.users.proved_token(&sub, email, FAR)
        } else {
            self.users.token(&sub, email, FAR)
        };
        with_token(&token.unwrap(), message)
    }

    pub(crate) fn join_pages(&self) -> JoinPageServiceClient<Channel> {
        JoinPageServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    pub(crate) fn waiting(&self) -> WaitingServiceClient<Channel> {
        WaitingServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    pub(crate) fn waiting_staff(&self) -> WaitingStaffServiceClient<Channel> {
        WaitingStaffServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    pub(crate) fn organisation(&self) -> OrganisationServiceClient<Channel> {
        OrganisationServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    pub(crate) fn organisation_staff(&self) -> OrganisationStaffServiceClient<Channel> {
        OrganisationStaffServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    /// How many refusals of an account that is no member were counted.
    pub(crate) async fn counted_refusals(&self, person: Id<Customer>) -> i64 {
        let sql = "select coalesce(sum(refusals), 0)::bigint from outsider_refusals
                   where actor = $1";
        let pool = self.world.app.store.pool();
        sqlx::query_scalar(sql).bind(person.to_string()).fetch_one(pool).await.unwrap()
    }

    pub(crate) async fn booked(&self) -> Id<Booking> {
        let request = self.by(customer(1), new_request("meditation", at(1, 11)));
        let answer = self.public().request_booking(request).await.unwrap();
        answer.into_inner().booking.unwrap().booking_id.parse().unwrap()
    }

    pub(crate) fn pages(&self) -> PaymentPageServiceClient<Channel> {
        PaymentPageServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    pub(crate) fn session_pages(&self) -> SessionPageServiceClient<Channel> {
        SessionPageServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    pub(crate) fn consents(&self) -> ConsentServiceClient<Channel> {
        ConsentServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    pub(crate) fn consents_staff(&self) -> ConsentStaffServiceClient<Channel> {
        ConsentStaffServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    pub(crate) fn calendars(&self) -> BookingCalendarServiceClient<Channel> {
        BookingCalendarServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    pub(crate) fn calendar_staff(&self) -> BookingCalendarStaffServiceClient<Channel> {
        BookingCalendarStaffServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    pub(crate) fn staff(&self) -> BookingStaffServiceClient<Channel> {
        BookingStaffServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    /// Makes an account a member of staff, as the operator does.
    pub(crate) async fn grant(&self, person: Id<Customer>, role: Option<Role>) {
        let owner_url = &self.world.db.owner_url;
        booking::repository::grant_role::grant_role(owner_url, person, role).await.unwrap();
    }

    /// The audit log's entries for an action: actor, role, subject and outcome.
    pub(crate) async fn audited(&self, action: &str) -> Vec<(String, String, String, String)> {
        sqlx::query_as(
            "select actor, role, subject, outcome from audit_log where action = $1
             order by audit_id",
        )
        .bind(action)
        .fetch_all(self.world.app.store.pool())
        .await
        .unwrap()
    }
}

fn with_token<T>(token: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    let value = format!("Bearer {token}").parse().unwrap();
    request.metadata_mut().insert("authorization", value);
    request
}

#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(
    answer: Result<T, Status>,
    code: Code,
    reason: &str,
    field: &str,
) {
    let status = answer.unwrap_err();
    let detail = detail_of(&status).unwrap();
    assert_eq!(
        (status.code(), detail.reason.as_str(), detail.field.as_str()),
        (code, reason, field)
    );
}

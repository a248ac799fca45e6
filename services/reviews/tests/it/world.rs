//! A running reviews service with its dependencies, for one test.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use contract::reviews::v1::reviews_internal_service_client::ReviewsInternalServiceClient;
use contract::reviews::v1::reviews_service_client::ReviewsServiceClient;
use contract::reviews::v1::reviews_staff_service_client::ReviewsStaffServiceClient;
use contract::reviews::v1::{
    GetReviewRequest, GetStatisticsRequest, GetStatisticsResponse, ListReviewsRequest,
    ListReviewsResponse, Review, ReviewFilter, SubmitReviewRequest,
};
use eventstore::{Metadata, Store, StoreError, new_id, new_uuid};
use kernel::id::{Booking, Customer};
use kernel::{CommandError, Id};
use messaging::Nats;
use reviews::config::{Config, ModerationSettings, PictureSettings};
use reviews::domain::review::{Command, Event};
use reviews::error::Error;
use reviews::picture::object_storage::BucketSettings;
use reviews::repository::LockedReview;
use runtime::Shutdown;
use runtime::caller::{PeerSettings, UserSettings, Users};
use runtime::channel::{self, PeerChannel};
use runtime::status::detail_of;
use service::Ports;
use testkit::{TestDatabase, TestKeys, TestUsers, nats_url, until};
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use uuid::Uuid;

use crate::fake_booking::FakeBooking;

/// The expiry of test tokens, in the year 2100.
const FAR: u64 = 4_102_444_800;
const ISSUER: &str = "http://127.0.0.1/auth/v1";
/// The email address in the access tokens of these tests.
pub(crate) const EMAIL: &str = "asha@customers.example";
/// The key that signs invitations in these tests.
pub(crate) const INVITATION_KEY: &str = "what-only-these-tests-sign-links-with";

pub(crate) struct World {
    pub(crate) database: TestDatabase,
    pub(crate) store: Store,
    pub(crate) booking: FakeBooking,
    pub(crate) users: TestUsers,
    pub(crate) keys: TestKeys,
    /// The URL of gRPC.
    pub(crate) url: String,
    /// The URL of uploads and pictures.
    pub(crate) http_url: String,
    /// The folder of pictures.
    pub(crate) folder: PathBuf,
    /// The settings of the service.
    pub(crate) config: Config,
    pub(crate) shutdown: Shutdown,
}

impl Drop for World {
    fn drop(&mut self) {
        self.shutdown.trigger();
        // A folder that cannot be removed is left in the system's temporary folder.
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

impl World {
    /// A service where staff unlock the panel with their own passwords.
    pub(crate) async fn new() -> Self {
        Self::with(|_as_it_is| {}).await
    }

    /// The same with changed settings.
    pub(crate) async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let shutdown = Shutdown::new();
        let keys = TestKeys::new(&["booking", "reviews", "notifications", "payments"]).unwrap();
        let users = TestUsers::new(ISSUER).unwrap();
        let database = TestDatabase::new(&reviews::MIGRATIONS).await.unwrap();
        let booking = FakeBooking::start(&keys.peers("booking").unwrap(), &shutdown).await;
        let folder = std::env::temp_dir().join(format!("reviews-{}", new_uuid().simple()));
        let mut config = config(&database, &booking.url, &keys, &folder);
        change(&mut config);
        let (url, http_url) = start(&config, &users, &shutdown).await;
        let store = database.store().unwrap();
        Self { database, store, booking, users, keys, url, http_url, folder, config, shutdown }
    }

    pub(crate) fn public(&self) -> ReviewsServiceClient<Channel> {
        ReviewsServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    pub(crate) fn staff(&self) -> ReviewsStaffServiceClient<Channel> {
        ReviewsStaffServiceClient::new(channel::connect_lazy(&self.url).unwrap())
    }

    pub(crate) fn internal(
        &self,
        service: &'static str,
    ) -> ReviewsInternalServiceClient<PeerChannel> {
        let peers = self.keys.peers(service).unwrap();
        ReviewsInternalServiceClient::new(channel::peer(&self.url, "reviews", &peers).unwrap())
    }

    /// A request with a customer's token.
    pub(crate) fn by<T>(&self, customer: Id<Customer>, message: T) -> Request<T> {
        let token = self.users.token(&customer.uuid().to_string(), EMAIL, FAR).unwrap();
        bearer(&token, message)
    }

    /// Publishes a review without a token.
    pub(crate) async fn submit(&self, asked: SubmitReviewRequest) -> Result<Review, Status> {
        self.submit_as(Request::new(asked)).await
    }

    /// Publishes a review; the request may carry a token.
    pub(crate) async fn submit_as(
        &self,
        request: Request<SubmitReviewRequest>,
    ) -> Result<Review, Status> {
        let answer = self.public().submit_review(request).await?;
        Ok(answer.into_inner().review.unwrap())
    }

    pub(crate) async fn get(&self, review_id: &str) -> Result<Review, Status> {
        let asked = GetReviewRequest { review_id: review_id.to_owned() };
        Ok(self.public().get_review(asked).await?.into_inner().review.unwrap())
    }

    pub(crate) async fn page(
        &self,
        filter: ReviewFilter,
        page_size: i32,
        page_token: &str,
    ) -> ListReviewsResponse {
        let page_token = page_token.to_owned();
        let asked = ListReviewsRequest { filter: filter.into(), page_size, page_token };
        self.public().list_reviews(asked).await.unwrap().into_inner()
    }

    pub(crate) async fn statistics(&self) -> GetStatisticsResponse {
        let asked = GetStatisticsRequest {};
        self.public().get_statistics(asked).await.unwrap().into_inner()
    }

    /// Applies a command to a review without the panel.
    pub(crate) async fn apply(
        &self,
        review_id: &str,
        command: impl Fn(kernel::Timestamp) -> Command + Send + Sync + 'static,
    ) -> Result<Vec<Event>, Error> {
        let id = review_id.parse().unwrap();
        let command = std::sync::Arc::new(command);
        self.store
            .write(Metadata::by("test", None), move |tx| {
                let command = std::sync::Arc::clone(&command);
                Box::pin(async move {
                    let mut open =
                        LockedReview::load(tx, id).await?.ok_or(CommandError::NotFound)?;
                    let now = open.now;
                    open.apply(tx, command(now)).await
                })
            })
            .await
    }

    /// Publishes a customer's completed session in booking's feed.
    pub(crate) async fn session(&self, customer: Id<Customer>) -> Id<Booking> {
        let id = new_id();
        self.booking.requested(id, customer).await;
        self.booking.completed(id).await;
        self.wait_for_session(id).await;
        id
    }

    /// Waits until reviews has consumed the completion of a session.
    pub(crate) async fn wait_for_session(&self, booking_id: Id<Booking>) {
        until("the session is known", async || {
            let known: bool = sqlx::query_scalar(
                "select exists (select from sessions
                                where booking_id = $1 and completed_at is not null)",
            )
            .bind(booking_id)
            .fetch_one(self.store.pool())
            .await?;
            Ok(known.then_some(()))
        })
        .await
        .unwrap();
    }

    /// The number that a statement returns.
    pub(crate) async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(self.store.pool()).await.unwrap()
    }

    /// The names of a review's events.
    pub(crate) async fn history(&self, review_id: &str) -> Vec<String> {
        let stream = reviews::contract::review_stream(review_id.parse().unwrap());
        let events = self.store.load(&stream).await.unwrap();
        let name = |event: eventstore::Recorded| {
            event.event_type.trim_start_matches("reviews.v1.").to_owned()
        };
        events.into_iter().map(name).collect()
    }

    /// Puts the clock so many seconds ahead of the machine's, once the service is at rest.
    pub(crate) async fn move_clock(&self, seconds: i64) {
        testkit::until_at_rest(&self.store).await.unwrap();
        self.database.move_clock(seconds).await.unwrap();
    }

    /// Runs a statement in a write transaction.
    pub(crate) async fn write_rows(&self, sql: &'static str) {
        let done: Result<(), StoreError> = self
            .store
            .write(Metadata::by("test", None), move |tx| {
                Box::pin(async move {
                    sqlx::query(sql).execute(tx.connection()).await?;
                    Ok(())
                })
            })
            .await;
        done.unwrap();
    }
}

/// Starts the service, and returns the URLs of gRPC and pictures.
pub(crate) async fn start(
    config: &Config,
    users: &TestUsers,
    shutdown: &Shutdown,
) -> (String, String) {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_reviews"));
    let ports = Ports::bind(config.listen, config.http_listen, shutdown).await.unwrap();
    let (grpc, http) = ports.addresses().unwrap();
    let known = Users::with_keys(&config.users, &users.jwks()).unwrap();
    let nats = Nats::in_room(nats_url().unwrap(), &format!("t{}", new_uuid().simple()));
    let (config, stop) = (Config { nats, ..config.clone() }, shutdown.clone());
    tokio::spawn(async move {
        reviews::serve(ports, &config, known, program, stop).await.unwrap();
    });
    (format!("http://{grpc}"), format!("http://{http}"))
}

fn config(database: &TestDatabase, booking_url: &str, keys: &TestKeys, folder: &Path) -> Config {
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
    Config {
        listen: nowhere,
        http_listen: nowhere,
        database_url: database.url.clone().into(),
        nats: Nats::new(nats_url().unwrap()),
        practice_dir: Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice"),
        booking_url: booking_url.to_owned(),
        invitation_key: INVITATION_KEY.to_owned().into(),
        pictures: PictureSettings {
            url: format!("file://{}", folder.display()),
            bucket: BucketSettings::default(),
        },
        moderation: ModerationSettings {
            identity_url: "http://127.0.0.1:1".to_owned(),
            identity_api_key: None,
            passphrase_hash: None,
        },
        users: UserSettings {
            jwks_url: "http://127.0.0.1:1/jwks.json".to_owned(),
            issuer: ISSUER.to_owned(),
            identity_url: None,
        },
        peers: PeerSettings {
            private_key: keys.private_key("reviews").unwrap().into(),
            public_keys: keys.public_keys(),
        },
    }
}

/// A request with a token.
pub(crate) fn bearer<T>(token: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    let value = format!("Bearer {token}").parse().unwrap();
    request.metadata_mut().insert("authorization", value);
    request
}

pub(crate) fn customer(number: u128) -> Id<Customer> {
    Id::from_uuid(Uuid::from_u128(number))
}

/// A review under a new idempotency key.
pub(crate) fn review_request() -> SubmitReviewRequest {
    SubmitReviewRequest {
        name: "Asha Rao".to_owned(),
        email: EMAIL.to_owned(),
        service: "Energy Healing".to_owned(),
        rating: 5,
        text: "I felt lighter for days.".to_owned(),
        idempotency_key: new_uuid().to_string(),
        ..SubmitReviewRequest::default()
    }
}

/// Asserts that a call is rejected with this code, reason and field.
#[track_caller]
pub(crate) fn assert_rejected<T: std::fmt::Debug>(
    answer: Result<T, Status>,
    code: Code,
    reason: &str,
    field: &str,
) {
    let status = match answer {
        Err(status) => status,
        Ok(answered) => panic!("it is answered: {answered:?}"),
    };
    let detail = detail_of(&status).unwrap_or_default();
    assert_eq!(
        (status.code(), detail.reason.as_str(), detail.field.as_str()),
        (code, reason, field),
        "{status:?}"
    );
}

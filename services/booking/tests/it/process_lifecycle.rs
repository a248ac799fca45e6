//! The whole process: settings, server, timers and the feeds of other services, without NATS.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use booking::config::{CalendarSettings, Config, Neighbours};
use booking::domain::claim_policy::ClaimPolicy;
use contract::booking::v1::booking_service_client::BookingServiceClient;
use contract::booking::v1::{BookingState, GetBookingRequest, MailState, PaymentState};
use contract::notifications::v1::{MailKind, MailSent};
use contract::payments::v1::PaymentVerified;
use eventstore::{Metadata, NewEvent, StoreError};
use kernel::Timestamp;
use messaging::FeedServer;
use prost::{Message, Name};
use runtime::caller::{PeerSettings, UserSettings};
use runtime::server::Server;
use runtime::{Shutdown, channel};
use testkit::{TestDatabase, TestKeys, TestUsers, free_address, until};
use tonic::Request;
use tonic::service::Routes;

use crate::fakes::{self, Rooms};
use crate::world::{CONSENT_KEY, FEED_KEY, MORNING, UNLIMITED, customer, new_request};

/// Another service, reduced to its feed.
struct Neighbour {
    db: TestDatabase,
    url: String,
}

impl Neighbour {
    async fn new(name: &'static str, keys: &TestKeys, shutdown: &Shutdown) -> Self {
        let db = TestDatabase::new(&booking::MIGRATIONS).await.unwrap();
        let server = Server::bind(nowhere(), shutdown).await.unwrap();
        let url = format!("http://{}", server.address().unwrap());
        let store = db.store().unwrap();
        let feed = FeedServer::service(store.clone(), keys.peers(name).unwrap(), &["booking"]);
        tokio::spawn(server.serve(Routes::new(feed)));
        tokio::spawn(messaging::run_relay(store, shutdown.clone()));
        Self { db, url }
    }

    async fn says<M: Message + Name>(&self, message: &M) {
        let event = NewEvent::of(message).unwrap();
        let stream = format!("elsewhere-{}", event.event_id);
        self.db
            .store()
            .unwrap()
            .write(Metadata::by("test", None), move |tx| {
                let (stream, event) = (stream.clone(), event.clone());
                Box::pin(async move { tx.append(&stream, 0, &[event]).await })
            })
            .await
            .map_err(|error: StoreError| error)
            .unwrap();
    }
}

fn nowhere() -> SocketAddr {
    SocketAddr::from(([127, 0, 0, 1], 0))
}

/// Settings for a process with the other services at these addresses and no NATS.
async fn config(
    (db, listen, (payments_url, notifications_url)): (&TestDatabase, SocketAddr, (&str, &str)),
    keys: &TestKeys,
    users: &TestUsers,
    shutdown: &Shutdown,
) -> Config {
    Config {
        listen,
        database_url: db.url.clone().into(),
        nats: messaging::Nats::new(format!("nats://{}", free_address().unwrap())),
        practice_dir: Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice"),
        public_url: "http://127.0.0.1:8080".to_owned(),
        neighbours: Neighbours {
            catalogue_url: fakes::catalogue(keys.peers("catalogue").unwrap(), shutdown).await,
            payments_url: payments_url.to_owned(),
            notifications_url: notifications_url.to_owned(),
        },
        meetings: fakes::meetings(Rooms::default()).await,
        scheduling: None,
        calendars: CalendarSettings::default(),
        feed_key: FEED_KEY.to_owned().into(),
        consent_key: CONSENT_KEY.to_owned().into(),
        probe: None,
        claim_policy: ClaimPolicy::Review,
        hold_limits: UNLIMITED,
        users: UserSettings {
            jwks_url: fakes::jwks(users.jwks()).await,
            issuer: users.issuer.clone(),
            identity_url: None,
        },
        peers: PeerSettings {
            private_key: keys.private_key("booking").unwrap().into(),
            public_keys: keys.public_keys(),
        },
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_booking_is_confirmed_by_the_feeds_of_other_services_alone() {
    let shutdown = Shutdown::new();
    let keys = TestKeys::new(&["booking", "catalogue", "payments", "notifications"]).unwrap();
    let users = TestUsers::new("http://127.0.0.1/auth/v1").unwrap();
    let db = TestDatabase::new(&booking::MIGRATIONS).await.unwrap();
    // Migrating again changes nothing.
    db.migrate(&booking::MIGRATIONS).await.unwrap();
    let offset = format!("timestamptz '{MORNING}' - clock_timestamp()");
    db.as_owner(&format!("update clock set offset_by = {offset}")).await.unwrap();
    let payments = Neighbour::new("payments", &keys, &shutdown).await;
    let notifications = Neighbour::new("notifications", &keys, &shutdown).await;
    let listen = free_address().unwrap();
    let urls = (payments.url.as_str(), notifications.url.as_str());
    let first = config((&db, listen, urls), &keys, &users, &shutdown).await;
    let running = tokio::spawn(booking::run(first, shutdown.clone()));
    let url = format!("http://{listen}");
    until("it is ready", async || Ok(runtime::health::probe(&url).await.ok())).await.unwrap();
    let mut client = BookingServiceClient::new(channel::connect_lazy(&url).unwrap());
    let token = users.token(&customer(1).uuid().to_string(), "", 4_102_444_800).unwrap();
    let bearer: tonic::metadata::MetadataValue<_> = format!("Bearer {token}").parse().unwrap();
    let morning: Timestamp = MORNING.parse().unwrap();
    let mut request = Request::new(new_request("meditation", morning.plus_minutes(120)));
    request.metadata_mut().insert("authorization", bearer.clone());
    let held = client.request_booking(request).await.unwrap().into_inner().booking.unwrap();
    payments
        .says(&PaymentVerified {
            booking_id: held.booking_id.clone(),
            payment_id: "pay_1".to_owned(),
            amount: None,
        })
        .await;
    notifications
        .says(&MailSent {
            mail_id: "mal_1".to_owned(),
            booking_id: held.booking_id.clone(),
            kind: MailKind::BookingConfirmed.into(),
        })
        .await;
    let told = until("it is confirmed, has a room and was mailed", async || {
        let mut request = Request::new(GetBookingRequest { booking_id: held.booking_id.clone() });
        request.metadata_mut().insert("authorization", bearer.clone());
        let booking = client.clone().get_booking(request).await?.into_inner().booking.unwrap();
        let done = booking.state() == BookingState::MeetingScheduled
            && booking.mail_state() == MailState::Sent;
        Ok(done.then_some(booking))
    })
    .await
    .unwrap();
    assert_eq!(told.payment_state(), PaymentState::Paid);
    shutdown.trigger();
    running.await.unwrap().unwrap();

    // In another zone this time is on another date, so its day's stream would not be found.
    let shutdown = Shutdown::new();
    let listen = free_address().unwrap();
    let mut elsewhere = config((&db, listen, urls), &keys, &users, &shutdown).await;
    elsewhere.practice_dir = practice_in("America/Los_Angeles");
    let refused = booking::run(elsewhere, shutdown).await.unwrap_err();
    let why = runtime::status::chain(refused.as_ref());
    assert!(why.contains("the practice's time zone was changed"), "{why}");
}

/// The committed practice, in another time zone.
fn practice_in(zone: &str) -> PathBuf {
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("practice-elsewhere");
    std::fs::create_dir_all(&folder).unwrap();
    for entry in std::fs::read_dir(usual).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), folder.join(entry.file_name())).unwrap();
        }
    }
    let file = folder.join("practice.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("Asia/Kolkata", zone)).unwrap();
    folder
}

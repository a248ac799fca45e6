//! Reviews that visitors write about their sessions, and their moderation. A module uses only those
//! above it, and `timers::kinds`; only this one reads `config`.

pub mod domain;
pub mod error;
pub mod contract;
pub mod clients;
pub mod picture;
pub mod moderation;
pub mod read_model;
pub mod repository;
pub mod app;
pub mod retention;
pub mod consumers;
pub mod timers;
pub mod grpc;
pub mod http;
pub mod config;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use ::contract::reviews::v1::reviews_internal_service_server::ReviewsInternalServiceServer;
use ::contract::reviews::v1::reviews_service_server::ReviewsServiceServer;
use ::contract::reviews::v1::reviews_staff_service_server::ReviewsStaffServiceServer;
use anyhow::Context as _;
use eventstore::{Database, StaffAuthorizer, Store, run_timers};
use messaging::{
    ConsumerHealth, FeedReader, FeedServer, Nats, ParkedEvents, Subscription, run_consumer,
    run_publisher, run_relay,
};
use runtime::caller::{Peers, Users};
use runtime::server::{self, REQUEST_BYTES_MAX, Server};
use runtime::{BoxError, Program, Shutdown, Tasks, ended_sessions};
use secrecy::ExposeSecret as _;
use sqlx::migrate::Migrator;
use staff::{Roles, StaffDirectory};
use tokio::net::TcpListener;
use tonic::service::Routes;

use crate::app::App;
use crate::app::invitation::Invitations;
use crate::clients::identity_server::IdentityServer;
use crate::config::{Config, MigrationConfig, ModerationSettings};
use crate::consumers::booking::OnBooking;
use crate::grpc::internal::Internal;
use crate::grpc::public::Public;
use crate::grpc::staff::StaffHandler;
use crate::moderation::passphrase::Passphrase;
use crate::moderation::{AuthMethod, Moderation};
use crate::picture::Pictures;
use crate::picture::object_storage::ObjectStorage;
use crate::timers::Timers;

/// Migrations of this service's own tables, beside those of the event log.
pub static MIGRATIONS: LazyLock<Migrator> =
    LazyLock::new(|| eventstore::embedded(include!(concat!(env!("OUT_DIR"), "/migrations.rs"))));

/// Services that may read this service's feed.
const READERS: &[&str] = &["notifications"];
/// Name of the consumer of booking's feed.
const ON_BOOKING: &str = "reviews-on-booking";

/// The process of this service: its commands with their settings.
pub fn program() -> Program {
    Program::new("reviews").serve(Config::read, run).migrate(MigrationConfig::read, migrate)
}

/// Serves until the shutdown signal is given.
///
/// # Errors
/// When it cannot start, or when a part of it breaks.
pub async fn run(config: Config, shutdown: Shutdown) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("where this program is cannot be told")?;
    let listeners =
        Listeners::bind((config.listen, config.http_listen), program, &shutdown).await?;
    picture::confinement::report();
    let users = Users::new(&config.users)?;
    let nats = config.nats.clone();
    listeners.serve(&config, users, nats).await
}

/// The two ports of this service, bound but not yet served.
pub struct Listeners {
    grpc: Server,
    http: TcpListener,
    program: PathBuf,
    shutdown: Shutdown,
}

impl Listeners {
    /// Binds the ports of gRPC and HTTP. `program` is this service's own executable; one child of
    /// it is started for each picture to shrink.
    ///
    /// # Errors
    /// When a port is in use.
    pub async fn bind(
        (grpc, http): (SocketAddr, SocketAddr),
        program: PathBuf,
        shutdown: &Shutdown,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            grpc: Server::bind(grpc, shutdown).await?,
            http: server::listen(http).await?,
            program,
            shutdown: shutdown.clone(),
        })
    }

    /// The addresses of gRPC and HTTP; tests bind port 0 and read the real port here.
    ///
    /// # Errors
    /// When the system cannot report an address.
    pub fn addresses(&self) -> std::io::Result<(SocketAddr, SocketAddr)> {
        Ok((self.grpc.address()?, self.http.local_addr()?))
    }

    /// Serves until the shutdown signal is given.
    ///
    /// # Errors
    /// When it cannot start, or when a part of it breaks.
    pub async fn serve(self, config: &Config, users: Users, nats: Nats) -> anyhow::Result<()> {
        let shutdown = self.shutdown;
        let peers = Peers::new("reviews", &config.peers)?;
        let nats = nats.with_keys(&peers);
        let app = build_app(config, self.program)?;
        let store = app.store.clone();
        eventstore::gauges::add_sources("reviews", &store);
        let mut tasks = Tasks::new(&shutdown);
        tasks.spawn("relay", run_relay(store.clone(), shutdown.clone()));
        let publishing = run_publisher(store.clone(), "reviews", nats.clone(), shutdown.clone());
        tasks.spawn("publisher", publishing);
        tasks.spawn(
            "ended-sessions",
            ended_sessions::follow(users.clone(), peers.clone(), shutdown.clone()),
        );
        let timers = Arc::new(Timers::new(Arc::clone(&app)));
        let firing = run_timers(store.clone(), timers, shutdown.wait());
        tasks.spawn("timers", async move {
            firing.await;
            Ok::<(), BoxError>(())
        });
        let feed = FeedReader::new(&config.booking_url, "booking", &peers)?;
        let consumer_health = ConsumerHealth::default();
        let watched = consumer_health.clone();
        let subscription = Subscription {
            consumer: ON_BOOKING,
            source: "booking",
            feed,
            consumer_health: watched,
        };
        let consuming =
            run_consumer(store.clone(), nats, subscription, Arc::new(OnBooking), shutdown.clone());
        tasks.spawn(ON_BOOKING, consuming);
        let (http, stop) = (http::router(Arc::clone(&app.pictures)), shutdown.clone());
        tasks.spawn("http", async move { server::serve_inner_http(self.http, http, &stop).await });
        let checks = eventstore::health::checks(&store, &MIGRATIONS);
        let checks = consumer_health.add_to(checks);
        let staff = staff_handler(config, &app, (users.clone(), &peers))?;
        let routes = routes(&app, users, &peers, staff);
        tasks.spawn("server", self.grpc.ready(checks).serve(routes));
        tasks.join().await?;
        Ok(())
    }
}

fn build_app(config: &Config, program: PathBuf) -> anyhow::Result<Arc<App>> {
    let store = Store::new(Database::new(config.database_url.expose_secret()).open()?);
    let objects = ObjectStorage::open(&config.pictures.url)?;
    Ok(Arc::new(App {
        practice: practice::load(&config.practice_dir)?,
        invitations: Invitations::new(&config.invitation_key)?,
        pictures: Arc::new(Pictures::new(store.clone(), objects, program)),
        store,
    }))
}

fn staff_handler(
    config: &Config,
    app: &Arc<App>,
    (users, peers): (Users, &Peers),
) -> anyhow::Result<StaffHandler> {
    let roles: Arc<dyn Roles> = Arc::new(StaffDirectory::new(&config.booking_url, peers)?);
    let store = app.store.clone();
    let authorizer = StaffAuthorizer::new(users.clone(), Arc::clone(&roles), store.clone());
    let method = auth_method(&config.moderation)?;
    let moderation = Moderation::new(method, (users, roles), store.clone());
    let parked = ParkedEvents::new(store).consumer(ON_BOOKING, "booking", Arc::new(OnBooking));
    Ok(StaffHandler::new(Arc::clone(app), moderation, authorizer, parked))
}

fn auth_method(settings: &ModerationSettings) -> anyhow::Result<AuthMethod> {
    Ok(match &settings.passphrase_hash {
        Some(hash) => AuthMethod::Passphrase(Passphrase::new(hash)?),
        None => {
            let key = settings.identity_api_key.clone();
            AuthMethod::OwnPassword(IdentityServer::new(&settings.identity_url, key)?)
        }
    })
}

/// Every gRPC service of this process.
fn routes(app: &Arc<App>, users: Users, peers: &Peers, staff: StaffHandler) -> Routes {
    let public = Public::new(Arc::clone(app), users);
    let internal = Internal::new(Arc::clone(app), peers.clone());
    Routes::new(ReviewsServiceServer::new(public).max_decoding_message_size(REQUEST_BYTES_MAX))
        .add_service(
            ReviewsInternalServiceServer::new(internal)
                .max_decoding_message_size(REQUEST_BYTES_MAX),
        )
        .add_service(
            ReviewsStaffServiceServer::new(staff).max_decoding_message_size(REQUEST_BYTES_MAX),
        )
        .add_service(FeedServer::service(app.store.clone(), peers.clone(), READERS))
}

/// Brings the database up to date and grants the service's role its rights.
pub async fn migrate(config: MigrationConfig) -> anyhow::Result<()> {
    let database: url::Url =
        config.database_url.expose_secret().parse().context("REVIEWS_DATABASE_URL is no URL")?;
    let owner_url = config.owner_url.expose_secret();
    eventstore::migrate(owner_url, database.username(), &MIGRATIONS).await?;
    Ok(())
}

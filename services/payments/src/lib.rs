//! Payments: orders, refunds, receipts and the ledger. The modules are listed in reading order.
//!
//! A booking is paid only when the provider reports captured money, never on a browser's word.

pub mod domain;
pub mod providers;
pub mod error;
pub mod contract;
pub mod config;
pub mod clients;
pub mod repository;
pub mod read_model;
pub mod app;
pub mod retention;
pub mod timers;
pub mod consumers;
pub mod http;
pub mod grpc;

use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use ::contract::payments::v1::page_payment_service_server::PagePaymentServiceServer;
use ::contract::payments::v1::payments_internal_service_server::PaymentsInternalServiceServer;
use ::contract::payments::v1::payments_service_server::PaymentsServiceServer;
use ::contract::payments::v1::payments_staff_service_server::PaymentsStaffServiceServer;
use anyhow::Context as _;
use eventstore::{Database, StaffAuthorizer, Store, run_timers};
use messaging::{
    ConsumerHealth, FeedReader, FeedServer, Nats, ParkedEvents, Subscription, run_consumer,
    run_publisher, run_relay,
};
use runtime::caller::{Peers, Users};
use runtime::health::{ORDERS, WEBHOOKS};
use runtime::server::{self, REQUEST_BYTES_MAX, Server};
use runtime::status::chain;
use runtime::{BoxError, Program, Shutdown, Tasks, ended_sessions, probe};
use secrecy::ExposeSecret as _;
use sqlx::migrate::Migrator;
use staff::StaffDirectory;
use tokio::net::TcpListener;
use tonic::service::Routes;

use crate::app::order_health::OrderHealth;
use crate::app::webhook_health::WebhookHealth;
use crate::app::{App, Checkout};
use crate::clients::booking::BookingClient;
use crate::config::{Config, MigrationConfig};
use crate::consumers::booking::OnBooking;
use crate::domain::receipt::Issuer;
use crate::grpc::PublicHandler;
use crate::grpc::page::PageHandler;
use crate::grpc::receipts::InternalHandler;
use crate::grpc::staff::StaffHandler;
use crate::providers::razorpay::Razorpay;
use crate::timers::Timers;

/// This service's own tables, which stand beside the event log.
pub static MIGRATIONS: LazyLock<Migrator> =
    LazyLock::new(|| eventstore::embedded(include!(concat!(env!("OUT_DIR"), "/migrations.rs"))));

/// Who may read this service's feed.
const READERS: &[&str] = &["booking", "notifications"];
/// The consumer of booking's events.
const ON_BOOKING: &str = "payments-on-booking";
/// The pause before the work at startup is tried again.
const PREPARE_RETRY: Duration = Duration::from_secs(1);

/// This service as a process: its commands with their settings.
pub fn program() -> Program {
    Program::new("payments").serve(Config::read, run).migrate(MigrationConfig::read, migrate)
}

/// Serves until the shutdown signal is given.
///
/// # Errors
/// When it cannot start, or when a part of it breaks.
pub async fn run(config: Config, shutdown: Shutdown) -> anyhow::Result<()> {
    let listeners = Listeners::bind(config.listen, config.http_listen, &shutdown).await?;
    let users = Users::new(&config.users)?;
    let nats = config.nats.clone();
    listeners.serve(&config, users, nats).await
}

/// The two ports of this service, bound and not served yet.
pub struct Listeners {
    grpc: Server,
    http: TcpListener,
    shutdown: Shutdown,
}

impl Listeners {
    /// Binds the ports.
    ///
    /// # Errors
    /// When one is in use.
    pub async fn bind(
        grpc: SocketAddr,
        http: SocketAddr,
        shutdown: &Shutdown,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            grpc: Server::bind(grpc, shutdown).await?,
            http: server::listen(http).await?,
            shutdown: shutdown.clone(),
        })
    }

    /// Where gRPC and HTTP are served; tests ask for port 0 and need to know.
    ///
    /// # Errors
    /// When the system does not report the address.
    pub fn addresses(&self) -> std::io::Result<(SocketAddr, SocketAddr)> {
        Ok((self.grpc.address()?, self.http.local_addr()?))
    }

    /// Serves until the shutdown signal is given.
    ///
    /// # Errors
    /// When it cannot start, or when a part of it breaks.
    pub async fn serve(self, config: &Config, users: Users, nats: Nats) -> anyhow::Result<()> {
        let shutdown = self.shutdown;
        let peers = Peers::new("payments", &config.peers)?;
        let nats = nats.with_keys(&peers);
        let app = build_app(config, &peers)?;
        let store = app.store.clone();
        eventstore::gauges::add_sources("payments", &store);
        read_model::gauges::add_sources(&store);
        let mut tasks = Tasks::new(&shutdown);
        tasks.spawn("relay", run_relay(store.clone(), shutdown.clone()));
        let publishing = run_publisher(store.clone(), "payments", nats.clone(), shutdown.clone());
        tasks.spawn("publisher", publishing);
        tasks.spawn(
            "ended-sessions",
            ended_sessions::follow(users.clone(), peers.clone(), shutdown.clone()),
        );
        let timers = Arc::new(Timers::new(Arc::clone(&app)));
        let (stop, firing, starting) = (shutdown.clone(), store.clone(), store.clone());
        tasks.spawn("timers", async move {
            let preparing = prepare(&starting, &stop);
            futures::future::join(preparing, run_timers(firing, timers, stop.wait())).await;
            Ok::<(), BoxError>(())
        });
        if let Some(period) = config.probe {
            tasks.spawn("probe", run_probe(Arc::clone(&app), period, shutdown.clone()));
        }
        let consumer_health = ConsumerHealth::default();
        let subscription = Subscription {
            consumer: ON_BOOKING,
            source: "booking",
            feed: FeedReader::new(&config.booking_url, "booking", &peers)?,
            consumer_health: consumer_health.clone(),
        };
        let reaction = Arc::new(OnBooking::new(Arc::clone(&app.issuer)));
        let consuming = run_consumer(store.clone(), nats, subscription, reaction, shutdown.clone());
        tasks.spawn(ON_BOOKING, consuming);
        let (http, stop) = (http::webhook::router(Arc::clone(&app)), shutdown.clone());
        tasks.spawn("http", async move { server::serve_inner_http(self.http, http, &stop).await });
        let checks = eventstore::health::checks(&store, &MIGRATIONS);
        let checks = consumer_health.add_to(checks);
        let order_health = app.order_health.clone();
        let checks = checks.concern(ORDERS, move || std::future::ready(order_health.check()));
        let webhook_health = app.webhook_health.clone();
        let checks = checks.concern(WEBHOOKS, move || std::future::ready(webhook_health.check()));
        let directory = StaffDirectory::new(&config.booking_url, &peers)?;
        let authorizer =
            StaffAuthorizer::new(users.clone(), Arc::new(directory), app.store.clone());
        let routes = routes(&app, users, &peers, authorizer);
        tasks.spawn("server", self.grpc.ready(checks).serve(routes));
        tasks.join().await?;
        Ok(())
    }
}

/// Tries what a payment needs.
async fn run_probe(app: Arc<App>, period: Duration, shutdown: Shutdown) -> Result<(), BoxError> {
    let steps = |probe: probe::Probe| {
        let app = Arc::clone(&app);
        async move {
            probe.step("order", app::probe::ask_for_an_order(&app)).await;
        }
    };
    probe::run(period, shutdown, steps).await;
    Ok(())
}

/// Does the work that is due at startup; retries until all of it succeeded once.
async fn prepare(store: &Store, shutdown: &Shutdown) {
    let preparing = async {
        while let Err(error) = prepare_once(store).await {
            tracing::warn!(error = chain(&error), "what is due at the start has to wait");
            tokio::time::sleep(PREPARE_RETRY).await;
        }
    };
    // What is not done now is due again at the next start.
    tokio::select! {
        () = shutdown.wait() => {}
        () = preparing => {}
    }
}

async fn prepare_once(store: &Store) -> Result<(), error::Error> {
    app::nightly::start(store).await?;
    retention::run(store).await?;
    app::count_disputes::count_disputes(store).await?;
    app::backfill_ledger::backfill_ledger(store).await
}

fn build_app(config: &Config, peers: &Peers) -> anyhow::Result<Arc<App>> {
    let practice = practice::load(&config.practice_dir)?;
    let pool = Database::new(config.database_url.expose_secret()).open()?;
    Ok(Arc::new(App {
        store: Store::new(pool),
        bookings: BookingClient::new(&config.booking_url, peers)?,
        checkout: Checkout {
            key_id: config.provider.key_id.clone(),
            script_url: config.checkout_script_url.clone(),
        },
        provider: Arc::new(Razorpay::new(config.provider.clone())?),
        order_health: OrderHealth::default(),
        webhook_health: WebhookHealth::default(),
        issuer: Arc::new(Issuer::of(&practice)),
        desk_limit_minor: i64::from(practice.policies.desk_limit_rupees).saturating_mul(100),
    }))
}

/// Every gRPC service of this process.
fn routes(app: &Arc<App>, users: Users, peers: &Peers, authorizer: StaffAuthorizer) -> Routes {
    let public = PublicHandler::new(Arc::clone(app), users);
    let parked = ParkedEvents::new(app.store.clone());
    let reaction = Arc::new(OnBooking::new(Arc::clone(&app.issuer)));
    let parked = parked.consumer(ON_BOOKING, "booking", reaction);
    let internal = InternalHandler::new(Arc::clone(app), peers.clone());
    let staff = StaffHandler::new(Arc::clone(app), authorizer, parked);
    Routes::new(PaymentsServiceServer::new(public).max_decoding_message_size(REQUEST_BYTES_MAX))
        .add_service(
            PagePaymentServiceServer::new(PageHandler::new(Arc::clone(app)))
                .max_decoding_message_size(REQUEST_BYTES_MAX),
        )
        .add_service(
            PaymentsStaffServiceServer::new(staff).max_decoding_message_size(REQUEST_BYTES_MAX),
        )
        .add_service(
            PaymentsInternalServiceServer::new(internal)
                .max_decoding_message_size(REQUEST_BYTES_MAX),
        )
        .add_service(FeedServer::service(app.store.clone(), peers.clone(), READERS))
}

/// Brings the database up to date and grants the service's role its rights.
pub async fn migrate(config: MigrationConfig) -> anyhow::Result<()> {
    let database: url::Url =
        config.database_url.expose_secret().parse().context("PAYMENTS_DATABASE_URL is no URL")?;
    let owner_url = config.owner_url.expose_secret();
    eventstore::migrate(owner_url, database.username(), &MIGRATIONS).await?;
    Ok(())
}

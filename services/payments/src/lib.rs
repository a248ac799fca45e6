//! Everything about money. The modules stand in the order in which they are best read.
//!
//! Nothing that a browser says makes a booking paid: only what the provider says it has captured.

pub mod domain;
pub mod ledger;
pub mod settlement;
pub mod contract;
pub mod provider;
pub mod providers;
pub mod store;
pub mod app;
pub mod polling;
pub mod sold_orders;
pub mod timers;
pub mod process;
pub mod read_model;
pub mod bookings;
mod checkout_return;
pub mod webhook;
pub mod grpc;
pub mod config;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use ::contract::payments::v1::payments_internal_service_server::PaymentsInternalServiceServer;
use ::contract::payments::v1::payments_service_server::PaymentsServiceServer;
use ::contract::payments::v1::payments_staff_service_server::PaymentsStaffServiceServer;
use anyhow::Context as _;
use eventstore::{Database, StaffDoor, Store, run_timers};
use messaging::{
    FeedReader, FeedServer, Nats, ParkedEvents, Standing, Subscription, run_consumer,
    run_publisher, run_relay,
};
use runtime::caller::{Peers, Users};
use runtime::health::{Checks, ORDERS, WEBHOOKS};
use runtime::server::{self, REQUEST_BYTES_MAX, Server};
use runtime::staff::StaffDirectory;
use runtime::status::chain;
use runtime::{BoxError, Program, Shutdown, Tasks};
use secrecy::ExposeSecret as _;
use sqlx::migrate::Migrator;
use tokio::net::TcpListener;
use tonic::service::Routes;

use crate::app::account_named::AccountNamed;
use crate::app::orders_taken::OrdersTaken;
use crate::app::{Checkout, Till};
use crate::bookings::Bookings;
use crate::config::{Config, MigrationConfig};
use crate::domain::receipt::Issuer;
use crate::grpc::Public;
use crate::grpc::receipts::Internal;
use crate::grpc::staff::StaffTill;
use crate::process::booking::OnBooking;
use crate::providers::razorpay::Razorpay;
use crate::timers::Timers;

/// This service's own tables, which stand beside the event log.
pub static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/payments");

/// Who may read this service's feed.
const READERS: &[&str] = &["booking", "notifications"];
/// Who takes booking's events in.
const ON_BOOKING: &str = "payments-on-booking";
/// How long to wait when something that is due at the start could not be done.
const PREPARE_AGAIN: Duration = Duration::from_secs(1);

/// This service as a process: its commands with their settings.
pub fn program() -> Program {
    Program::new("payments").serve(Config::read, run).migrate(MigrationConfig::read, migrate)
}

/// Serves until the shutdown signal is given.
///
/// # Errors
/// When it cannot start, or when a part of it breaks.
pub async fn run(config: Config, shutdown: Shutdown) -> anyhow::Result<()> {
    let doors = Doors::open(config.listen, config.http_listen, &shutdown).await?;
    let users = Users::new(&config.users)?;
    let nats = Nats::new(&config.nats_url);
    doors.serve(&config, users, nats).await
}

/// The two ports of this service, taken and not served yet.
pub struct Doors {
    grpc: Server,
    http: TcpListener,
    shutdown: Shutdown,
}

impl Doors {
    /// Takes the ports.
    ///
    /// # Errors
    /// When one is taken already.
    pub async fn open(
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
    /// When the system does not tell.
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
        let till = open_till(config, &peers)?;
        let store = till.store.clone();
        let mut tasks = Tasks::new(&shutdown);
        tasks.spawn("relay", run_relay(store.clone(), shutdown.clone()));
        let publishing = run_publisher(store.clone(), "payments", nats.clone(), shutdown.clone());
        tasks.spawn("publisher", publishing);
        let timers = Arc::new(Timers::new(Arc::clone(&till)));
        let (stop, firing, starting) = (shutdown.clone(), store.clone(), store.clone());
        tasks.spawn("timers", async move {
            let preparing = prepare(&starting, &stop);
            futures::future::join(preparing, run_timers(firing, timers, stop.wait())).await;
            Ok::<(), BoxError>(())
        });
        let standing = Standing::default();
        let subscription = Subscription {
            consumer: ON_BOOKING,
            source: "booking",
            feed: FeedReader::new(&config.booking_url, "booking", &peers)?,
            standing: standing.clone(),
        };
        let reaction = Arc::new(OnBooking::new(Arc::clone(&till.issuer)));
        let consuming = run_consumer(store.clone(), nats, subscription, reaction, shutdown.clone());
        tasks.spawn(ON_BOOKING, consuming);
        let (http, stop) = (webhook::router(Arc::clone(&till)), shutdown.clone());
        tasks.spawn("http", async move { server::serve_http(self.http, http, &stop).await });
        let checks = Checks::new().check("database", move || {
            let store = store.clone();
            async move { store.check().await }
        });
        let checks = standing.told_by(checks);
        let orders = till.orders.clone();
        let checks = checks.concern(ORDERS, move || std::future::ready(orders.check()));
        let account = till.account.clone();
        let checks = checks.concern(WEBHOOKS, move || std::future::ready(account.check()));
        let directory = StaffDirectory::new(&config.booking_url, &peers)?;
        let door = StaffDoor::new(users.clone(), Arc::new(directory), till.store.clone());
        let routes = routes(&till, users, &peers, door);
        tasks.spawn("server", self.grpc.ready(checks).serve(routes));
        tasks.join().await?;
        Ok(())
    }
}

/// Does what is due at each start, again and again until all of it is done once.
async fn prepare(store: &Store, shutdown: &Shutdown) {
    let preparing = async {
        while let Err(error) = prepare_once(store).await {
            tracing::warn!(error = chain(&error), "what is due at the start has to wait");
            tokio::time::sleep(PREPARE_AGAIN).await;
        }
    };
    // Whatever it has not done is due at the next start again.
    tokio::select! {
        () = shutdown.wait() => {}
        () = preparing => {}
    }
}

async fn prepare_once(store: &Store) -> Result<(), app::Error> {
    app::nightly::start(store).await?;
    timers::sweep(store).await?;
    app::open_books::open_books(store).await
}

fn open_till(config: &Config, peers: &Peers) -> anyhow::Result<Arc<Till>> {
    let practice = runtime::practice::load(&config.practice_dir)?;
    let pool = Database::new(config.database_url.expose_secret()).open()?;
    Ok(Arc::new(Till {
        store: Store::new(pool),
        bookings: Bookings::new(&config.booking_url, peers)?,
        checkout: Checkout {
            key_id: config.provider.key_id.clone(),
            script_url: config.checkout_script_url.clone(),
        },
        provider: Arc::new(Razorpay::new(config.provider.clone())?),
        orders: OrdersTaken::default(),
        account: AccountNamed::default(),
        issuer: Arc::new(Issuer::of(&practice)),
    }))
}

/// Every gRPC service of this process.
fn routes(till: &Arc<Till>, users: Users, peers: &Peers, door: StaffDoor) -> Routes {
    let public = Public::new(Arc::clone(till), users);
    let parked = ParkedEvents::new(till.store.clone());
    let reaction = Arc::new(OnBooking::new(Arc::clone(&till.issuer)));
    let parked = parked.consumer(ON_BOOKING, "booking", reaction);
    let internal = Internal::new(Arc::clone(till), peers.clone());
    let staff = StaffTill::new(Arc::clone(till), door, parked);
    Routes::new(PaymentsServiceServer::new(public).max_decoding_message_size(REQUEST_BYTES_MAX))
        .add_service(
            PaymentsStaffServiceServer::new(staff).max_decoding_message_size(REQUEST_BYTES_MAX),
        )
        .add_service(
            PaymentsInternalServiceServer::new(internal)
                .max_decoding_message_size(REQUEST_BYTES_MAX),
        )
        .add_service(FeedServer::service(till.store.clone(), peers.clone(), READERS))
}

/// Brings the database up to date and grants the service's role its rights.
///
/// # Errors
/// When the database refuses.
pub async fn migrate(config: MigrationConfig) -> anyhow::Result<()> {
    let database: url::Url =
        config.database_url.expose_secret().parse().context("PAYMENTS_DATABASE_URL is no URL")?;
    let owner_url = config.owner_url.expose_secret();
    eventstore::migrate(owner_url, database.username(), &MIGRATIONS).await?;
    Ok(())
}

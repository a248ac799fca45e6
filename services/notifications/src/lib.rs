//! The mails of a practice, each sent once as far as mail allows, and retried until the server
//! takes it. The modules stand in the order in which they are best read.
//!
//! Nothing personal is kept here: names and addresses are asked for when a mail is sent.

pub mod mail;
pub mod contract;
pub mod store;
pub mod process;
pub mod facts;
pub mod context;
pub mod pages;
pub mod letter;
pub mod smtp;
pub mod sending;
pub mod grpc;
pub mod config;

use std::sync::Arc;

use anyhow::Context as _;
use eventstore::{Database, StaffDoor, Store, run_timers};
use messaging::{
    FeedReader, ParkedEvents, Reaction, Subscription, run_consumer, run_publisher, run_relay,
};
use runtime::caller::{Peers, Users};
use runtime::health::Checks;
use runtime::server::Server;
use runtime::staff::StaffDirectory;
use runtime::{BoxError, Shutdown, Tasks};
use secrecy::ExposeSecret as _;
use sqlx::migrate::Migrator;

use crate::config::{Config, MigrationConfig};
use crate::context::Scene;
use crate::facts::Sources;
use crate::letter::Desk;
use crate::process::booking::OnBooking;
use crate::process::identity::OnIdentity;
use crate::process::payments::OnPayments;
use crate::sending::{Sending, Timers};
use crate::smtp::MailServer;

/// The service's name in logs, in callers' tokens and as a source of events.
pub const NAME: &str = "notifications";

/// This service's own tables, which stand beside the event log.
pub static MIGRATIONS: Migrator = sqlx::migrate!("../../migrations/notifications");

/// Serves until the shutdown signal is given.
///
/// # Errors
/// When it cannot start, or when a part of it breaks.
pub async fn run(config: Config, shutdown: Shutdown) -> anyhow::Result<()> {
    let server = Server::bind(config.listen, &shutdown).await?;
    let peers = Peers::new(NAME, &config.peers)?;
    let store = Store::new(Database::new(config.database_url.expose_secret()).open()?);
    let timers = Arc::new(Timers::new(sending(&config, &store, &peers)?));
    let mut tasks = Tasks::new(&shutdown);
    tasks.spawn("relay", run_relay(store.clone(), shutdown.clone()));
    let publisher = run_publisher(store.clone(), NAME, config.nats.clone(), shutdown.clone());
    tasks.spawn("publisher", publisher);
    let firing = run_timers(store.clone(), Arc::clone(&timers) as _, shutdown.wait());
    tasks.spawn("timers", async move {
        firing.await;
        timers.settle().await;
        Ok::<(), BoxError>(())
    });
    let subscriptions = subscriptions(&config, &peers)?;
    let mut parked = ParkedEvents::new(store.clone());
    for (subscription, reaction) in &subscriptions {
        let (consumer, source) = (subscription.consumer, subscription.source);
        parked = parked.consumer(consumer, source, Arc::clone(reaction));
    }
    for (subscription, reaction) in subscriptions {
        let (store, nats) = (store.clone(), config.nats.clone());
        let name = subscription.consumer;
        let consumer = run_consumer(store, nats, subscription, reaction, shutdown.clone());
        tasks.spawn(name, consumer);
    }
    let roles = StaffDirectory::new(&config.neighbours.booking_url, &peers)?;
    let door = StaffDoor::new(Users::new(&config.users)?, Arc::new(roles), store.clone());
    let routes = grpc::routes(store.clone(), &peers, door, parked);
    // The mail server is no part of being ready: while it is down, mails wait and bookings go on.
    let checks = Checks::new().check("database", move || {
        let store = store.clone();
        async move { store.check().await }
    });
    tasks.spawn("server", server.ready(checks).serve(routes));
    tasks.join().await?;
    Ok(())
}

fn sending(config: &Config, store: &Store, peers: &Peers) -> anyhow::Result<Sending> {
    let scene = Scene {
        practice: runtime::practice::load(&config.practice_dir)?,
        public_url: config.public_url.clone(),
    };
    let desk = Desk::new(scene, config.mail.sender.clone())?;
    let server = MailServer::new(&config.mail.smtp_url)?;
    Ok(Sending::new(store.clone(), Sources::new(&config.neighbours, peers)?, desk, server))
}

fn subscriptions(
    config: &Config,
    peers: &Peers,
) -> anyhow::Result<Vec<(Subscription, Arc<dyn Reaction>)>> {
    let neighbours = &config.neighbours;
    let subscribe = |consumer, source, url: &str| {
        FeedReader::new(url, source, peers).map(|feed| Subscription { consumer, source, feed })
    };
    let booking = subscribe("notifications-on-booking", "booking", &neighbours.booking_url)?;
    let payments = subscribe("notifications-on-payments", "payments", &neighbours.payments_url)?;
    let mut all: Vec<(Subscription, Arc<dyn Reaction>)> =
        vec![(booking, Arc::new(OnBooking)), (payments, Arc::new(OnPayments))];
    if let Some(url) = &neighbours.identity_url {
        let identity = subscribe("notifications-on-identity", "identity", url)?;
        all.push((identity, Arc::new(OnIdentity)));
    }
    Ok(all)
}

/// Brings the database up to date and grants the service's role its rights.
///
/// # Errors
/// When the database refuses.
pub async fn migrate(config: MigrationConfig) -> anyhow::Result<()> {
    let database: url::Url = config
        .database_url
        .expose_secret()
        .parse()
        .context("NOTIFICATIONS_DATABASE_URL is no URL")?;
    let owner_url = config.owner_url.expose_secret();
    eventstore::migrate(owner_url, database.username(), &MIGRATIONS).await?;
    Ok(())
}

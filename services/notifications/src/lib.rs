//! The mails of a practice: each is sent once, as far as SMTP allows, and retried until the server
//! accepts it. The modules are listed in reading order.
//!
//! Names and addresses are fetched when a mail is sent. Only form submissions are stored here,
//! until their mails are over and their retention has passed.

pub mod error;
pub mod mails;
pub mod contract;
pub mod smtp;
pub mod clients;
pub mod templates;
pub mod repository;
pub mod forms;
pub mod delivery;
pub mod retention;
pub mod timers;
pub mod consumers;
pub mod grpc;
pub mod config;

use std::sync::{Arc, LazyLock};

use anyhow::Context as _;
use eventstore::{Database, StaffAuthorizer, Store, run_timers};
use messaging::{
    ConsumerHealth, FeedReader, ParkedEvents, Reaction, Subscription, run_consumer, run_publisher,
    run_relay,
};
use practice::guide;
use practice::{Mails, Practice};
use runtime::caller::{Peers, Users};
use runtime::server::Server;
use runtime::{BoxError, Program, Shutdown, Tasks, ended_sessions};
use secrecy::ExposeSecret as _;
use sqlx::migrate::Migrator;
use staff::StaffDirectory;

use crate::clients::Clients;
use crate::config::{Config, MigrationConfig};
use crate::consumers::booking::OnBooking;
use crate::consumers::identity::OnIdentity;
use crate::consumers::payments::OnPayments;
use crate::consumers::reviews::OnReviews;
use crate::delivery::DeliveryWorker;
use crate::delivery::message_builder::MessageBuilder;
use crate::delivery::sources::Sources;
use crate::forms::Forms;
use crate::grpc::public::PublicHandler;
use crate::mails::addresses::Addresses;
use crate::smtp::MailServer;
use crate::templates::template_context::TemplateContext;
use crate::timers::{Timers, maintenance};

/// The service's name in logs, in callers' tokens and as a source of events.
pub const NAME: &str = "notifications";

/// This service's own tables, beside the event log.
pub static MIGRATIONS: LazyLock<Migrator> =
    LazyLock::new(|| eventstore::embedded(include!(concat!(env!("OUT_DIR"), "/migrations.rs"))));

/// This service as a process: its commands with their settings.
pub fn program() -> Program {
    Program::new(NAME).serve(Config::read, run).migrate(MigrationConfig::read, migrate)
}

/// Serves until the shutdown signal is given.
///
/// # Errors
/// When it cannot start, or when a part of it breaks.
pub async fn run(config: Config, shutdown: Shutdown) -> anyhow::Result<()> {
    let server = Server::bind(config.listen, &shutdown).await?;
    let peers = Peers::new(NAME, &config.peers)?;
    let store = Store::new(Database::new(config.database_url.expose_secret()).open()?);
    let practice = practice::load(&config.practice_dir)?;
    let consumer_health = ConsumerHealth::default();
    let subscriptions = subscriptions(&config, &practice.mails, (&peers, &consumer_health))?;
    let worker = delivery_worker(&config, practice.clone(), (&store, &peers))?;
    let timers = Arc::new(Timers::new(store.clone(), practice.clone(), worker));
    eventstore::gauges::add_sources(NAME, &store);
    repository::gauges::add_sources(&store);
    let mut tasks = Tasks::new(&shutdown);
    tasks.spawn("relay", run_relay(store.clone(), shutdown.clone()));
    let nats = config.nats.clone().with_keys(&peers);
    let publisher = run_publisher(store.clone(), NAME, nats.clone(), shutdown.clone());
    tasks.spawn("publisher", publisher);
    let users = Users::new(&config.users)?;
    tasks.spawn(
        "ended-sessions",
        ended_sessions::follow(users.clone(), peers.clone(), shutdown.clone()),
    );
    let firing = run_timers(store.clone(), Arc::clone(&timers) as _, shutdown.wait());
    let (starting, stop) = (store.clone(), shutdown.clone());
    tasks.spawn("timers", async move {
        let maintenance = maintenance::run(&starting, &practice, &stop);
        futures::future::join(maintenance, firing).await;
        timers.drain().await;
        Ok::<(), BoxError>(())
    });
    let mut parked = ParkedEvents::new(store.clone());
    for (subscription, reaction) in &subscriptions {
        let (consumer, source) = (subscription.consumer, subscription.source);
        parked = parked.consumer(consumer, source, Arc::clone(reaction));
    }
    for (subscription, reaction) in subscriptions {
        let (store, nats) = (store.clone(), nats.clone());
        let name = subscription.consumer;
        let consumer = run_consumer(store, nats, subscription, reaction, shutdown.clone());
        tasks.spawn(name, consumer);
    }
    let roles = StaffDirectory::new(&config.neighbours.booking_url, &peers)?;
    let authorizer = StaffAuthorizer::new(users, Arc::new(roles), store.clone());
    let addresses = Addresses::new(&config.mail.address_key)?;
    let public = PublicHandler::service(Forms {
        store: store.clone(),
        addresses,
        contact_limit: config.contact_limit,
    });
    let routes = grpc::routes(store.clone(), &peers, authorizer, parked).add_service(public);
    // Readiness doesn't depend on the mail server: while it is down, mails wait and bookings go on.
    let checks = eventstore::health::checks(&store, &MIGRATIONS);
    let checks = consumer_health.add_to(checks);
    tasks.spawn("server", server.ready(checks).serve(routes));
    tasks.join().await?;
    Ok(())
}

fn delivery_worker(
    config: &Config,
    practice: Practice,
    (store, peers): (&Store, &Peers),
) -> anyhow::Result<DeliveryWorker> {
    let guide = guide::load(&config.practice_dir)?;
    let context = TemplateContext { practice, guide, public_url: config.public_url.clone() };
    let addresses = Addresses::new(&config.mail.address_key)?;
    let message_builder = MessageBuilder::new(context, config.mail.sender.clone(), addresses)?;
    let server = MailServer::new(&config.mail.smtp_url)?;
    let clients = Clients::new(&config.neighbours, peers)?;
    let sources = Sources::new(store.pool().clone(), clients);
    Ok(DeliveryWorker::new(
        store.clone(),
        sources,
        message_builder,
        server,
        config.mail.recipient_limit,
    ))
}

fn subscriptions(
    config: &Config,
    mails: &Mails,
    (peers, consumer_health): (&Peers, &ConsumerHealth),
) -> anyhow::Result<Vec<(Subscription, Arc<dyn Reaction>)>> {
    let neighbours = &config.neighbours;
    let subscribe = |consumer, source, url: &str| {
        FeedReader::new(url, source, peers).map(|feed| {
            let consumer_health = consumer_health.clone();
            Subscription { consumer, source, feed, consumer_health }
        })
    };
    let booking = subscribe("notifications-on-booking", "booking", &neighbours.booking_url)?;
    let payments = subscribe("notifications-on-payments", "payments", &neighbours.payments_url)?;
    let reviews = subscribe("notifications-on-reviews", "reviews", &neighbours.reviews_url)?;
    let mut all: Vec<(Subscription, Arc<dyn Reaction>)> = vec![
        (booking, Arc::new(OnBooking::new(mails))),
        (payments, Arc::new(OnPayments)),
        (reviews, Arc::new(OnReviews)),
    ];
    if let Some(url) = &neighbours.identity_url {
        let identity = subscribe("notifications-on-identity", "identity", url)?;
        all.push((identity, Arc::new(OnIdentity)));
    }
    Ok(all)
}

/// Brings the database up to date and grants the service's role its rights.
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

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

use eventstore::{Database, Store};
use runtime::caller::{Peers, Users};
use runtime::server::Server;
use runtime::{Program, Shutdown};
use secrecy::ExposeSecret as _;
use service::{Service, migrate};
use sqlx::migrate::Migrator;

use crate::config::{Config, migration};
use crate::timers::{Timers, maintenance};

/// The service's name in logs, in callers' tokens and as a source of events.
pub const NAME: &str = "notifications";

/// This service's own tables, beside the event log.
pub static MIGRATIONS: LazyLock<Migrator> =
    LazyLock::new(|| eventstore::embedded(include!(concat!(env!("OUT_DIR"), "/migrations.rs"))));

/// This service as a process: its commands with their settings.
pub fn program() -> Program {
    Program::new(NAME)
        .serve(Config::read, run)
        .migrate(migration, |config| migrate(config, &MIGRATIONS))
}

/// Serves until the shutdown signal is given.
pub async fn run(config: Config, shutdown: Shutdown) -> anyhow::Result<()> {
    let server = Server::bind(config.listen, &shutdown).await?;
    let peers = Peers::new(NAME, &config.peers)?;
    let store = Store::new(Database::new(config.database_url.expose_secret()).open()?);
    let users = Users::new(&config.users)?;
    let practice = practice::load(&config.practice_dir)?;
    let consumers = consumers::list::all(&practice.mails, &config.neighbours);
    let worker = config.delivery_worker(practice.clone(), &store, &peers)?;
    let timers = Arc::new(Timers::new(store.clone(), practice.clone(), worker));
    repository::gauges::add_sources(&store);
    let (maintained, stop) = (store.clone(), shutdown.clone());
    let mut service = Service::new(NAME, &store, &peers, config.nats.clone(), &shutdown)
        .users(&users)
        .timers_with(Arc::clone(&timers) as _, |firing| async move {
            let maintenance = maintenance::run(&maintained, &practice, &stop);
            futures::future::join(maintenance, firing).await;
            timers.drain().await;
            anyhow::Ok(())
        });
    for (consumer, (source, url), reaction) in consumers {
        service = service.consumer(consumer, source, url, reaction)?;
    }
    let staff = service.staff(&config.neighbours.booking_url, &users)?;
    let routes = grpc::routes(store.clone(), &peers, staff, service.parked())
        .add_service(grpc::public::PublicHandler::service(config.forms(&store)?));
    // Readiness doesn't depend on the mail server: while it is down, mails wait and bookings go on.
    Ok(service.serve(server, &MIGRATIONS, routes).await?)
}

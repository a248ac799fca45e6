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

use std::sync::LazyLock;

use eventstore::{Database, Store};
use runtime::caller::{Peers, Users};
use runtime::server::Server;
use runtime::{Program, Shutdown};
use secrecy::ExposeSecret as _;
use service::{Service, migrate, timers_of};
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
    let revised = config.revised(&store, &peers)?;
    let consumers = consumers::list::all(&revised, &config.neighbours);
    repository::gauges::add_sources(&store);
    let (maintained, stop, current) = (store.clone(), shutdown.clone(), revised.clone());
    let timers = timers_of(&revised, |timers| Timers::clone(&timers));
    let renewing = config.clone();
    let mut service = Service::new(NAME, &store, &peers, config.nats.clone(), &shutdown)
        .users(&users)
        .timers_with(timers, |firing| async move {
            let kept = maintenance::run(&maintained, || current.get().practice().clone(), &stop);
            futures::future::join(kept, firing).await;
            current.get().drain().await;
            anyhow::Ok(())
        })
        .revised(&revised, move |folder, former| {
            std::future::ready(renewing.timers_after(&folder, &former))
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

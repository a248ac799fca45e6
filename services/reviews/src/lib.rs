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

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use anyhow::Context as _;
use runtime::caller::{Peers, Users};
use runtime::{Program, Shutdown};
use service::{Ports, Service, migrate, timers_of};
use sqlx::migrate::Migrator;

use crate::config::{Config, app_after, migration};
use crate::consumers::booking::{ON_BOOKING, OnBooking};
use crate::grpc::staff::StaffHandler;
use crate::timers::Timers;

/// The service's name in logs, in callers' tokens and as a source of events.
pub const NAME: &str = "reviews";

/// Migrations of this service's own tables, beside those of the event log.
pub static MIGRATIONS: LazyLock<Migrator> =
    LazyLock::new(|| eventstore::embedded(include!(concat!(env!("OUT_DIR"), "/migrations.rs"))));

/// The process of this service: its commands with their settings.
pub fn program() -> Program {
    Program::new(NAME)
        .serve(Config::read, run)
        .migrate(migration, |config| migrate(config, &MIGRATIONS))
}

/// Serves until the shutdown signal is given.
pub async fn run(config: Config, shutdown: Shutdown) -> anyhow::Result<()> {
    let program = std::env::current_exe().context("where this program is cannot be told")?;
    let ports = Ports::bind(config.listen, config.http_listen, &shutdown).await?;
    picture::confinement::report();
    let users = Users::new(&config.users)?;
    serve(ports, &config, users, program, shutdown).await
}

/// Serves until the shutdown signal is given. `program` is this service's own executable; one child
/// of it is started for each picture to shrink.
pub async fn serve(
    ports: Ports,
    config: &Config,
    users: Users,
    program: PathBuf,
    shutdown: Shutdown,
) -> anyhow::Result<()> {
    let peers = Peers::new(NAME, &config.peers)?;
    let revised = config.revised(program)?;
    let app = revised.get();
    let service = Service::new(NAME, &app.store, &peers, config.nats.clone(), &shutdown)
        .users(&users)
        .timers(timers_of(&revised, Timers::new))
        .consumer(ON_BOOKING, "booking", &config.booking_url, Arc::new(OnBooking))?
        .http(ports.http, http::router(Arc::clone(&app.pictures)))
        .revised(&revised, |folder, former| async move { app_after(&folder, &former) });
    let authorizer = service.staff(&config.booking_url, &users)?;
    let moderation = config.moderation(&app.store, users.clone(), &peers)?;
    let staff = StaffHandler::new(app, moderation, authorizer, service.parked());
    let routes = grpc::routes(&revised, users, &peers, staff);
    Ok(service.serve(ports.grpc, &MIGRATIONS, routes).await?)
}

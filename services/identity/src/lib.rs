//! Accounts, sessions and tokens, compatible with GoTrue. The modules are listed in reading order.
//!
//! This service knows nothing of bookings. No password, token or code is stored as sent, put into
//! an event, or logged.

pub mod accounts;
pub mod tokens;
pub mod guard;
pub mod repository;
pub mod sms;
pub mod providers;
pub mod app;
pub mod http;
pub mod grpc;
pub mod timers;
pub mod retention;
pub mod config;

use std::sync::{Arc, LazyLock};

use eventstore::{Database, Store};
use runtime::caller::Peers;
use runtime::{Program, Shutdown};
use secrecy::ExposeSecret as _;
use service::{Ports, Service, migrate};
use sqlx::migrate::Migrator;

use crate::app::{App, older_ways, reseal};
use crate::config::{Config, commands, migration};
use crate::timers::Timers;

/// The service's name in logs and in callers' tokens.
pub const NAME: &str = "identity";

/// Migrations of this service's own tables, beside those of the event log.
pub static MIGRATIONS: LazyLock<Migrator> =
    LazyLock::new(|| eventstore::embedded(include!(concat!(env!("OUT_DIR"), "/migrations.rs"))));

/// The process of this service: its commands with their settings.
pub fn program() -> Program {
    let program = Program::new(NAME)
        .serve(Config::read, run)
        .migrate(migration, |config| migrate(config, &MIGRATIONS));
    commands::add_to(program)
}

async fn run(config: Config, shutdown: Shutdown) -> anyhow::Result<()> {
    let ports = Ports::bind(config.listen, config.http_listen, &shutdown).await?;
    let peers = Peers::new(NAME, &config.peers)?;
    let store = Store::new(Database::new(config.database_url.expose_secret()).open()?);
    let app = App::new(store.clone(), &config.accounts).map_err(anyhow::Error::from_boxed)?;
    reseal::at_the_start(&app, &config.accounts).await;
    older_ways::at_the_start(&store).await?;
    let timers = Timers::new(app.clone()).map_err(anyhow::Error::from_boxed)?;
    let service = Service::new(NAME, &store, &peers, config.nats, &shutdown)
        .task("housekeeping", retention::run(store, shutdown.clone()))
        .timers(Arc::new(timers))
        .http(ports.http, http::router(app.clone()));
    Ok(service.serve(ports.grpc, &MIGRATIONS, grpc::routes(app, &peers)).await?)
}

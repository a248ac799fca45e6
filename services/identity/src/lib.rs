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

use anyhow::Context as _;
use eventstore::{Database, Store, TimerHandler, run_timers};
use messaging::{run_publisher, run_relay};
use runtime::caller::Peers;
use runtime::server::{self, Server};
use runtime::{BoxError, Program, Shutdown, Tasks};
use secrecy::ExposeSecret as _;
use sqlx::migrate::Migrator;

use crate::app::older_ways::{self, OlderWaysConfig};
use crate::app::{App, account, enroll_factor, reseal, reset_factors, service_key};
use crate::config::{
    AccountConfig, Config, EnrollFactorConfig, FindAccountConfig, MigrationConfig,
    ResetFactorsConfig, RevokeServiceKeyConfig, ServiceKeyConfig,
};
use crate::timers::Timers;

/// The service's name in logs and in callers' tokens.
pub const NAME: &str = "identity";

/// Migrations of this service's own tables, beside those of the event log.
pub static MIGRATIONS: LazyLock<Migrator> =
    LazyLock::new(|| eventstore::embedded(include!(concat!(env!("OUT_DIR"), "/migrations.rs"))));

/// The process of this service: its commands with their settings.
pub fn program() -> Program {
    Program::new(NAME)
        .serve(Config::read, run)
        .migrate(MigrationConfig::read, migrate)
        .command("account", AccountConfig::read, |config, _stop| {
            account::run(config.database_url, config.account)
        })
        .command("find-account", FindAccountConfig::read, |config, _stop| {
            account::find(config.database_url, config.email)
        })
        .command("reset-factors", ResetFactorsConfig::read, |config, _stop| {
            reset_factors::run(config.database_url, config.email)
        })
        .command("older-ways", OlderWaysConfig::read, |config, _stop| {
            older_ways::run(config.database_url)
        })
        .command("enroll-factor", EnrollFactorConfig::read, |config, _stop| {
            enroll_factor::run(config.database_url, config.enrolment)
        })
        .command("service-key", ServiceKeyConfig::read, |config, _stop| {
            let signing = (config.signing_key, config.issuer);
            service_key::run(config.database_url, signing, config.key)
        })
        .command("revoke-service-key", RevokeServiceKeyConfig::read, |config, _stop| {
            service_key::revoke(config.database_url, config.name)
        })
}

/// Serves until the shutdown signal is given.
///
/// # Errors
/// When it cannot start, or when a part of it breaks.
pub async fn run(config: Config, shutdown: Shutdown) -> anyhow::Result<()> {
    let grpc = Server::bind(config.listen, &shutdown).await?;
    let http = server::listen(config.http_listen).await?;
    let peers = Peers::new(NAME, &config.peers)?;
    let store = Store::new(Database::new(config.database_url.expose_secret()).open()?);
    let app = App::new(store.clone(), &config.accounts).map_err(anyhow::Error::from_boxed)?;
    if config.accounts.other_keys.code_previous.is_some() {
        match reseal::run(&app).await {
            Ok(count) => tracing::info!(count, "secrets are sealed with the present code key"),
            Err(error) => tracing::error!(%error, "secrets stay sealed with the former code key"),
        }
    }
    match older_ways::close_once(&store).await {
        Ok(0) => {}
        Ok(count) => tracing::warn!(count, "ways older than the proof of their address are closed"),
        Err(error) => return Err(anyhow::Error::new(error).context("older ways stay open")),
    }
    let nats = config.nats.clone().with_keys(&peers);
    eventstore::gauges::add_sources(NAME, &store);
    let mut tasks = Tasks::new(&shutdown);
    tasks.spawn("relay", run_relay(store.clone(), shutdown.clone()));
    tasks.spawn("publisher", run_publisher(store.clone(), NAME, nats, shutdown.clone()));
    tasks.spawn("housekeeping", retention::run(store.clone(), shutdown.clone()));
    let timers: Arc<dyn TimerHandler> =
        Arc::new(Timers::new(app.clone()).map_err(anyhow::Error::from_boxed)?);
    let timer_loop = run_timers(store.clone(), timers, shutdown.wait());
    tasks.spawn("timers", async move {
        timer_loop.await;
        Ok::<(), BoxError>(())
    });
    let (router, stop) = (http::router(app.clone()), shutdown.clone());
    tasks.spawn("http", async move { server::serve_inner_http(http, router, &stop).await });
    let checks = eventstore::health::checks(&store, &MIGRATIONS);
    tasks.spawn("grpc", grpc.ready(checks).serve(grpc::routes(app, &peers)));
    tasks.join().await?;
    Ok(())
}

/// Brings the database up to date and grants the service's role its rights.
pub async fn migrate(config: MigrationConfig) -> anyhow::Result<()> {
    let database: url::Url =
        config.database_url.expose_secret().parse().context("IDENTITY_DATABASE_URL is no URL")?;
    let owner_url = config.owner_url.expose_secret();
    eventstore::migrate(owner_url, database.username(), &MIGRATIONS).await?;
    Ok(())
}

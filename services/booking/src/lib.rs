//! Free times, holds and bookings. The modules are listed in reading order.
//!
//! This crate has no knowledge of payment providers: it learns of payments only from the payments
//! service.

pub mod domain;
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
pub mod grpc;

use std::sync::{Arc, LazyLock};

use runtime::caller::{Peers, Users};
use runtime::health::CALENDARS;
use runtime::server::Server;
use runtime::{Program, Shutdown};
use service::{Service, migrate, timers_of};
use sqlx::migrate::Migrator;

use crate::app::read_calendar::are_read;
use crate::app::startup::begin;
use crate::config::{
    Config, GrantConfig, RoleConfig, TryMeetingsConfig, grant, migration, role, try_meetings,
};
use crate::timers::Timers;

/// The service's name in logs, in callers' tokens and as a source of events.
pub const NAME: &str = "booking";

/// Migrations of this service's own tables, next to the event log.
pub static MIGRATIONS: LazyLock<Migrator> =
    LazyLock::new(|| eventstore::embedded(include!(concat!(env!("OUT_DIR"), "/migrations.rs"))));

/// The program: its commands with their settings.
pub fn program() -> Program {
    Program::new(NAME)
        .serve(Config::read, run)
        .migrate(migration, |config| migrate(config, &MIGRATIONS))
        .command("grant", GrantConfig::read, |config, _shutdown| grant(config))
        .command("role", RoleConfig::read, |config, _shutdown| role(config))
        .command("try-meetings", TryMeetingsConfig::read, |config, _shutdown| try_meetings(config))
}

/// Serves until shutdown.
pub async fn run(config: Config, shutdown: Shutdown) -> anyhow::Result<()> {
    let server = Server::bind(config.listen, &shutdown).await?;
    let users = Users::new(&config.users)?;
    let peers = Peers::new(NAME, &config.peers)?;
    let revised = config.revised(&peers)?;
    let (app, folder, stop) = (revised.get(), revised.folder(), shutdown.clone());
    let store = app.store.clone();
    read_model::gauges::add_sources(&store);
    drop(tokio::task::spawn_blocking(domain::contact::preload_phone_metadata));
    let (probed, watched) = (revised.clone(), revised.clone());
    let mut service = Service::new(NAME, &store, &peers, config.nats.clone(), &shutdown)
        .users(&users)
        .timers_with(timers_of(&revised, Timers::new), |firing| begin(app, folder, stop, firing))
        .probe(config.probe, "hold", move || app::probe::hold_and_release(probed.get()))
        .concern(CALENDARS, move || are_read(watched.get()));
    let urls = [&config.neighbours.payments_url, &config.neighbours.notifications_url];
    for ((consumer, source, reaction), url) in consumers::all(&revised).into_iter().zip(urls) {
        service = service.consumer(consumer, source, url, reaction)?;
    }
    let routes = grpc::routes::of(&revised, users, &peers, &shutdown, service.parked());
    let renewing = (Arc::new(config), peers, shutdown);
    let service = service.revised(&revised, move |folder, former| {
        let (config, peers, shutdown) = renewing.clone();
        async move { config.renewed(&folder, &former, &peers, &shutdown).await }
    });
    Ok(service.serve(server, &MIGRATIONS, routes).await?)
}

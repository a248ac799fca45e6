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

use std::sync::{Arc, LazyLock};

use runtime::caller::{Peers, Users};
use runtime::health::{ORDERS, WEBHOOKS};
use runtime::{Program, Shutdown};
use service::{Ports, Service, migrate, reaction_of, timers_of};
use sqlx::migrate::Migrator;

use crate::config::{Config, app_after, migration};
use crate::consumers::booking::{ON_BOOKING, OnBooking};
use crate::timers::Timers;

/// The service's name in logs, in callers' tokens and as a source of events.
pub const NAME: &str = "payments";

/// This service's own tables, which stand beside the event log.
pub static MIGRATIONS: LazyLock<Migrator> =
    LazyLock::new(|| eventstore::embedded(include!(concat!(env!("OUT_DIR"), "/migrations.rs"))));

/// This service as a process: its commands with their settings.
pub fn program() -> Program {
    Program::new(NAME)
        .serve(Config::read, run)
        .migrate(migration, |config| migrate(config, &MIGRATIONS))
}

async fn run(config: Config, shutdown: Shutdown) -> anyhow::Result<()> {
    let ports = Ports::bind(config.listen, config.http_listen, &shutdown).await?;
    serve(ports, &config, Users::new(&config.users)?, shutdown).await
}

/// Serves until the shutdown signal is given.
pub async fn serve(
    ports: Ports,
    config: &Config,
    users: Users,
    shutdown: Shutdown,
) -> anyhow::Result<()> {
    let peers = Peers::new(NAME, &config.peers)?;
    let revised = config.revised(&peers)?;
    let app = revised.get();
    read_model::gauges::add_sources(&app.store);
    let (prepared, stop, probed) = (app.store.clone(), shutdown.clone(), revised.clone());
    let (orders, webhooks) = (app.order_health.clone(), app.webhook_health.clone());
    let reaction = reaction_of(&revised, |app| OnBooking::new(Arc::clone(&app.issuer)));
    let service = Service::new(NAME, &app.store, &peers, config.nats.clone(), &shutdown)
        .users(&users)
        .timers_with(timers_of(&revised, Timers::new), |firing| async move {
            futures::future::join(timers::startup::prepare(&prepared, &stop), firing).await;
            anyhow::Ok(())
        })
        .probe(config.probe, "order", move || app::probe::ask_for_an_order(probed.get()))
        .consumer(ON_BOOKING, "booking", &config.booking_url, reaction)?
        .http(ports.http, http::webhook::router(Arc::clone(&app)))
        .concern(ORDERS, move || std::future::ready(orders.check()))
        .concern(WEBHOOKS, move || std::future::ready(webhooks.check()))
        .revised(&revised, |folder, former| async move { app_after(&folder, &former) });
    let staff = service.staff(&config.booking_url, &users)?;
    let routes = grpc::routes::of(&revised, users, &peers, staff, service.parked());
    Ok(service.serve(ports.grpc, &MIGRATIONS, routes).await?)
}

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

use std::io::Write as _;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use ::contract::booking::v1::booking_calendar_service_server::BookingCalendarServiceServer;
use ::contract::booking::v1::booking_calendar_staff_service_server as calendar_staff_server;
use ::contract::booking::v1::booking_internal_service_server::BookingInternalServiceServer;
use ::contract::booking::v1::booking_service_server::BookingServiceServer;
use ::contract::booking::v1::booking_staff_service_server::BookingStaffServiceServer;
use ::contract::booking::v1::consent_service_server::ConsentServiceServer;
use ::contract::booking::v1::consent_staff_service_server::ConsentStaffServiceServer;
use ::contract::booking::v1::join_page_service_server::JoinPageServiceServer;
use ::contract::booking::v1::organisation_service_server::OrganisationServiceServer;
use ::contract::booking::v1::organisation_staff_service_server::OrganisationStaffServiceServer;
use ::contract::booking::v1::payment_page_service_server::PaymentPageServiceServer;
use ::contract::booking::v1::widget_service_server::WidgetServiceServer;
use anyhow::Context as _;
use eventstore::{Database, Store, run_timers};
use messaging::{
    ConsumerHealth, FeedReader, FeedServer, ParkedEvents, Reaction, Subscription, run_consumer,
    run_publisher, run_relay,
};
use practice::legal::LegalText;
use runtime::caller::{Peers, Users};
use runtime::health::CALENDARS;
use runtime::server::{REQUEST_BYTES_MAX, Server};
use runtime::{BoxError, Program, RotatedSecret, Shutdown, Tasks, ended_sessions, probe};
use secrecy::ExposeSecret as _;
use sqlx::migrate::Migrator;
use staff::Role;
use tonic::service::Routes;

use crate::app::App;
use crate::app::calendar_bookings::schedule_keeping;
use crate::app::consent_secrets::ConsentCodes;
use crate::app::consent_settings::ConsentSettings;
use crate::app::feed_secrets::FeedSecrets;
use crate::app::group_commit::GroupCommit;
use crate::app::hold_origin::OriginHashes;
use crate::app::invitation_keys::InvitationKeys;
use crate::app::page_keys::PageKeys;
use crate::app::read_calendar::schedule_readings;
use crate::app::shown_texts::keep_texts;
use crate::app::widget_visits::WidgetVisits;
use crate::clients::calendars::Calendars;
use crate::clients::catalogue::Catalogue;
use crate::clients::meeting::Meetings;
use crate::clients::scheduling::{Provider, Scheduling};
use crate::config::{Config, GrantConfig, MigrationConfig, RoleConfig};
use crate::consumers::notifications::OnNotifications;
use crate::consumers::payments::OnPayments;
use crate::domain::availability::Rules;
use crate::domain::consent::document::{Fingerprints, WeakKey};
use crate::domain::practitioners::Practitioners;
use crate::grpc::calendars::{CalendarHandler, CalendarStaffHandler};
use crate::grpc::consent::ConsentHandler;
use crate::grpc::internal::InternalHandler;
use crate::grpc::join_page::JoinPageHandler;
use crate::grpc::organisation::OrganisationHandler;
use crate::grpc::payment_page::PaymentPageHandler;
use crate::grpc::public::PublicHandler;
use crate::grpc::staff::StaffHandler;
use crate::grpc::widget::WidgetHandler;
use crate::read_model::busy_times::failing_for;
use crate::read_model::moved_zone;
use crate::repository::DaySnapshotCache;
use crate::timers::Timers;

/// Migrations of this service's own tables, next to the event log.
pub static MIGRATIONS: LazyLock<Migrator> =
    LazyLock::new(|| eventstore::embedded(include!(concat!(env!("OUT_DIR"), "/migrations.rs"))));

/// The delay before the time zone check is retried when the database does not answer.
const ZONE_CHECK_RETRY: Duration = Duration::from_secs(1);
/// How long a calendar may be unreadable before that is a concern: servers have their bad minutes.
const CALENDAR_PATIENCE_MINUTES: i32 = 30;
/// The services that may read this service's feed.
const FEED_READERS: &[&str] = &["payments", "notifications", "reviews"];

/// The program: its commands with their settings.
pub fn program() -> Program {
    Program::new("booking")
        .serve(Config::read, run)
        .migrate(MigrationConfig::read, migrate)
        .command("grant", GrantConfig::read, |config, _shutdown| grant(config))
        .command("role", RoleConfig::read, |config, _shutdown| role(config))
}

/// Serves until shutdown.
///
/// # Errors
/// When it cannot start, or a task fails.
pub async fn run(config: Config, shutdown: Shutdown) -> anyhow::Result<()> {
    let server = Server::bind(config.listen, &shutdown).await?;
    let users = Users::new(&config.users)?;
    let peers = Peers::new("booking", &config.peers)?;
    let app = build_app(&config, &peers)?;
    let store = app.store.clone();
    eventstore::gauges::add_sources("booking", &store);
    read_model::gauges::add_sources(&store);
    drop(tokio::task::spawn_blocking(domain::contact::preload_phone_metadata));
    let nats = config.nats.clone().with_keys(&peers);
    let mut tasks = Tasks::new(&shutdown);
    tasks.spawn("relay", run_relay(store.clone(), shutdown.clone()));
    tasks.spawn(
        "publisher",
        run_publisher(store.clone(), "booking", nats.clone(), shutdown.clone()),
    );
    tasks.spawn(
        "ended-sessions",
        ended_sessions::follow(users.clone(), peers.clone(), shutdown.clone()),
    );
    let timers = Arc::new(Timers::new(Arc::clone(&app)));
    let timer_loop = run_timers(store.clone(), timers, shutdown.wait());
    let (same_app, stop) = (Arc::clone(&app), shutdown.clone());
    let texts: Arc<[LegalText]> = practice::legal::load(&config.practice_dir)?.into();
    tasks.spawn("timers", async move {
        verify_time_zone(&same_app, &stop).await?;
        keep_shown_texts(&same_app, &texts, &stop).await;
        schedule_calendars(&same_app, &stop).await;
        timer_loop.await;
        Ok::<(), BoxError>(())
    });
    if let Some(period) = config.probe {
        tasks.spawn("probe", run_probe(Arc::clone(&app), period, shutdown.clone()));
    }
    let urls = [&config.neighbours.payments_url, &config.neighbours.notifications_url];
    let consumer_health = ConsumerHealth::default();
    for ((consumer, source, reaction), url) in consumers(&app).into_iter().zip(urls) {
        let feed = FeedReader::new(url, source, &peers)?;
        let subscription =
            Subscription { consumer, source, feed, consumer_health: consumer_health.clone() };
        let (store, nats) = (store.clone(), nats.clone());
        tasks.spawn(consumer, run_consumer(store, nats, subscription, reaction, shutdown.clone()));
    }
    let routes = routes(&app, users, &peers, &shutdown);
    let checks = eventstore::health::checks(&store, &MIGRATIONS);
    let watched = Arc::clone(&app);
    let checks = checks.concern(CALENDARS, move || calendars_are_read(Arc::clone(&watched)));
    let checks = consumer_health.add_to(checks);
    tasks.spawn("server", server.ready(checks).serve(routes));
    tasks.join().await?;
    Ok(())
}

/// Tries what a customer needs.
async fn run_probe(app: Arc<App>, period: Duration, shutdown: Shutdown) -> Result<(), BoxError> {
    let steps = |probe: probe::Probe| {
        let app = Arc::clone(&app);
        async move {
            probe.step("hold", app::probe::hold_and_release(&app)).await;
        }
    };
    probe::run(period, shutdown, steps).await;
    Ok(())
}

/// Fails if the practice's time zone was changed while sessions booked in the old one are still to
/// come.
async fn verify_time_zone(app: &App, shutdown: &Shutdown) -> anyhow::Result<()> {
    let zone = app.rules.zone.iana_name().context("the practice's zone has no name")?;
    let moved = loop {
        match moved_zone::first_moved(app.store.pool(), zone).await {
            Ok(moved) => break moved,
            Err(error) => tracing::warn!(%error, "the zone of what is sold is not known yet"),
        }
        tokio::select! {
            () = shutdown.wait() => return Ok(()),
            () = tokio::time::sleep(ZONE_CHECK_RETRY) => {}
        }
    };
    if let Some(session) = moved {
        anyhow::bail!(
            "the practice's time zone was changed: in {zone} what is taken at {session} belongs to \
             another date than it was sold for; put the old zone back until all of that is over"
        );
    }
    Ok(())
}

/// Keeps the words of the practice's texts, as soon as the database answers.
async fn keep_shown_texts(app: &App, texts: &Arc<[LegalText]>, shutdown: &Shutdown) {
    while let Err(error) = keep_texts(&app.store, texts).await {
        tracing::warn!(%error, "the practice's texts are not kept yet");
        tokio::select! {
            () = shutdown.wait() => return,
            () = tokio::time::sleep(ZONE_CHECK_RETRY) => {}
        }
    }
}

/// Sets the timers of practitioners' own calendars and of the scheduling provider's, as soon as the
/// database answers.
async fn schedule_calendars(app: &Arc<App>, shutdown: &Shutdown) {
    let schedule = async || {
        schedule_readings(app).await?;
        schedule_keeping(app).await
    };
    while let Err(error) = schedule().await {
        tracing::warn!(%error, "calendars are not kept yet");
        tokio::select! {
            () = shutdown.wait() => return,
            () = tokio::time::sleep(ZONE_CHECK_RETRY) => {}
        }
    }
}

/// Fails while a practitioner's own calendar cannot be read for so long that staff must act.
async fn calendars_are_read(app: Arc<App>) -> Result<(), BoxError> {
    if app.calendars.sources().is_empty() {
        return Ok(());
    }
    let failing = failing_for(app.store.pool(), CALENDAR_PATIENCE_MINUTES).await?;
    if failing.is_empty() {
        return Ok(());
    }
    Err(format!("calendars cannot be read: {}", failing.join(", ")).into())
}

/// The consumers of other services' events: the consumer's name, the source, and the handler.
fn consumers(app: &Arc<App>) -> [(&'static str, &'static str, Arc<dyn Reaction>); 2] {
    [
        ("booking-on-payments", "payments", Arc::new(OnPayments::new(Arc::clone(app)))),
        ("booking-on-notifications", "notifications", Arc::new(OnNotifications)),
    ]
}

fn fingerprints(key: &RotatedSecret) -> Result<Fingerprints, WeakKey> {
    let current = Fingerprints::new(key.current().expose_secret())?;
    match key.previous() {
        Some(previous) => current.with_previous(previous.expose_secret()),
        None => Ok(current),
    }
}

fn build_app(config: &Config, peers: &Peers) -> anyhow::Result<Arc<App>> {
    let practice = practice::load(&config.practice_dir)?;
    if config.scheduling.is_none() && !practice.scheduling_widgets.is_empty() {
        anyhow::bail!(
            "practice.toml has scheduling_widgets, and BOOKING_SCHEDULING_URL is not set"
        );
    }
    let consent = ConsentSettings {
        terms: practice::consent::load(&config.practice_dir, &practice)?,
        fingerprints: fingerprints(&config.consent_key)?,
    };
    let pool = Database::new(config.database_url.expose_secret()).open()?;
    Ok(Arc::new(App {
        store: Store::new(pool),
        rules: Rules::of(&practice),
        practitioners: Practitioners::of(&practice),
        day_snapshots: DaySnapshotCache::new(),
        group_commit: GroupCommit::new(),
        scheduling: match &config.scheduling {
            None => Scheduling::Own,
            Some(it) => Scheduling::External(Provider::new(&it.url, &it.user, it.token.clone())?),
        },
        calendars: Calendars::new(
            &practice,
            &config.calendars.secrets,
            config.calendars.sandbox.as_ref(),
        )?,
        practice,
        catalogue: Catalogue::new(&config.neighbours.catalogue_url, peers)?,
        meetings: Meetings::new(&config.meetings.url, config.meetings.token.clone())?,
        public_url: config.public_url.clone(),
        feed_secrets: FeedSecrets::new(&config.feed_key)?,
        page_keys: PageKeys::new(&config.feed_key)?,
        invitation_keys: InvitationKeys::new(&config.feed_key)?,
        consent,
        consent_codes: ConsentCodes::new(config.feed_key.current())?,
        claim_policy: config.claim_policy,
        hold_limits: config.hold_limits,
        origin_hashes: OriginHashes::new(&config.feed_key)?,
        widget_visits: WidgetVisits::new(config.feed_key.current())?,
    }))
}

/// All gRPC services of this process.
#[must_use]
pub fn routes(app: &Arc<App>, users: Users, peers: &Peers, shutdown: &Shutdown) -> Routes {
    let mut parked = ParkedEvents::new(app.store.clone());
    for (consumer, source, reaction) in consumers(app) {
        parked = parked.consumer(consumer, source, reaction);
    }
    let staff = StaffHandler::new(Arc::clone(app), users.clone(), parked);
    let calendars = CalendarHandler::new(Arc::clone(app), users.clone());
    let calendars_staff = CalendarStaffHandler::new(Arc::clone(app), users.clone());
    let consent = ConsentHandler::new(Arc::clone(app), users.clone());
    let widget = WidgetHandler::new(Arc::clone(app), users.clone());
    let organisation = OrganisationHandler::new(Arc::clone(app), users.clone());
    let page = PaymentPageHandler::new(Arc::clone(app), users.clone());
    let join = JoinPageHandler::new(Arc::clone(app), users.clone());
    let public = PublicHandler::new(Arc::clone(app), users, shutdown.clone());
    let internal = InternalHandler::new(Arc::clone(app), peers.clone());
    Routes::new(BookingServiceServer::new(public).max_decoding_message_size(REQUEST_BYTES_MAX))
        .add_service(
            BookingInternalServiceServer::new(internal)
                .max_decoding_message_size(REQUEST_BYTES_MAX),
        )
        .add_service(
            BookingStaffServiceServer::new(staff).max_decoding_message_size(REQUEST_BYTES_MAX),
        )
        .add_service(BookingCalendarServiceServer::new(calendars))
        .add_service(calendar_staff_server::BookingCalendarStaffServiceServer::new(calendars_staff))
        .add_service(
            ConsentServiceServer::new(consent.clone()).max_decoding_message_size(REQUEST_BYTES_MAX),
        )
        .add_service(
            ConsentStaffServiceServer::new(consent).max_decoding_message_size(REQUEST_BYTES_MAX),
        )
        .add_service(
            OrganisationServiceServer::new(organisation.clone())
                .max_decoding_message_size(REQUEST_BYTES_MAX),
        )
        .add_service(
            OrganisationStaffServiceServer::new(organisation)
                .max_decoding_message_size(REQUEST_BYTES_MAX),
        )
        .add_service(WidgetServiceServer::new(widget).max_decoding_message_size(REQUEST_BYTES_MAX))
        .add_service(
            PaymentPageServiceServer::new(page).max_decoding_message_size(REQUEST_BYTES_MAX),
        )
        .add_service(JoinPageServiceServer::new(join).max_decoding_message_size(REQUEST_BYTES_MAX))
        .add_service(FeedServer::service(app.store.clone(), peers.clone(), FEED_READERS))
}

/// Migrates the database and grants the service's role its rights.
pub async fn migrate(config: MigrationConfig) -> anyhow::Result<()> {
    let database: url::Url =
        config.database_url.expose_secret().parse().context("BOOKING_DATABASE_URL is no URL")?;
    let owner_url = config.owner_url.expose_secret();
    eventstore::migrate(owner_url, database.username(), &MIGRATIONS).await?;
    Ok(())
}

/// Grants or revokes a staff role.
pub async fn grant(config: GrantConfig) -> anyhow::Result<()> {
    let GrantConfig { owner_url, person, role } = config;
    repository::grant_role::grant_role(owner_url.expose_secret(), person.0, role.0).await?;
    Ok(())
}

/// Prints the role that an account has now, or "none".
pub async fn role(config: RoleConfig) -> anyhow::Result<()> {
    let pool = Database::new(config.database_url.expose_secret()).open()?;
    let role = read_model::staff::role_of(&pool, config.person.0).await?;
    writeln!(std::io::stdout(), "{}", role.map_or("none", Role::word))?;
    Ok(())
}

//! The tasks of a service with a database, each started when it is named.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use eventstore::{StaffAuthorizer, Store, TimerHandler, run_timers};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use messaging::{
    ConsumerHealth, FeedReader, Nats, ParkedEvents, Reaction, Subscription, run_consumer,
    run_publisher, run_relay,
};
use runtime::caller::{Peers, Users};
use runtime::channel::InvalidUrl;
use runtime::health::{Checks, PRACTICE};
use runtime::server::{self, Server};
use runtime::tasks::TaskError;
use runtime::{BoxError, Revised, Shutdown, Tasks, ended_sessions, probe};
use sqlx::migrate::Migrator;
use staff::StaffDirectory;
use tokio::net::TcpListener;
use tonic::service::Routes;

/// A service at work. The loops start in the order of the calls, and all stop with the first that
/// fails.
#[must_use = "a service serves nothing until `serve` is called"]
pub struct Service {
    store: Store,
    peers: Peers,
    nats: Nats,
    shutdown: Shutdown,
    tasks: Tasks,
    checks: Checks,
    consumer_health: Option<ConsumerHealth>,
    parked: ParkedEvents,
}

impl Service {
    /// Begins with what every service with events has: the gauges of its database, the relay that
    /// numbers its events, and the publisher that sends them to NATS, if there is one.
    pub fn new(
        name: &'static str,
        store: &Store,
        peers: &Peers,
        nats: Nats,
        shutdown: &Shutdown,
    ) -> Self {
        eventstore::gauges::add_sources(name, store);
        let nats = nats.with_keys(peers);
        let mut tasks = Tasks::new(shutdown);
        tasks.spawn("relay", run_relay(store.clone(), shutdown.clone()));
        let publisher = run_publisher(store.clone(), name, nats.clone(), shutdown.clone());
        tasks.spawn("publisher", publisher);
        Self {
            store: store.clone(),
            peers: peers.clone(),
            nats,
            shutdown: shutdown.clone(),
            tasks,
            checks: Checks::new(),
            consumer_health: None,
            parked: ParkedEvents::new(store.clone()),
        }
    }

    /// Starts a loop of the service's own, which runs until the shutdown signal is given.
    pub fn task<F, E>(mut self, name: &'static str, task: F) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.tasks.spawn(name, task);
        self
    }

    /// Takes tokens of people, but not of sessions that have ended.
    pub fn users(self, users: &Users) -> Self {
        let following =
            ended_sessions::follow(users.clone(), self.peers.clone(), self.shutdown.clone());
        self.task("ended-sessions", following)
    }

    /// Fires timers.
    pub fn timers(self, handler: Arc<dyn TimerHandler>) -> Self {
        self.timers_with(handler, |firing| firing.map(Ok::<(), BoxError>))
    }

    /// Fires timers beside other work, which the caller puts before, beside or after them.
    pub fn timers_with<F, E>(
        self,
        handler: Arc<dyn TimerHandler>,
        work: impl FnOnce(BoxFuture<'static, ()>) -> F,
    ) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let firing = run_timers(self.store.clone(), handler, self.shutdown.wait());
        self.task("timers", work(firing.boxed()))
    }

    /// Tries regularly what callers need, if there is a period.
    pub fn probe<F, E>(
        self,
        period: Option<Duration>,
        step: &'static str,
        work: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let Some(period) = period else { return self };
        let shutdown = self.shutdown.clone();
        self.task("probe", async move {
            let steps = |probe: probe::Probe| {
                let tried = work();
                async move {
                    probe.step(step, tried).await;
                }
            };
            probe::run(period, shutdown, steps).await;
            Ok::<(), BoxError>(())
        })
    }

    /// Takes in the events of another service, whose feed is at a URL.
    ///
    /// # Errors
    /// The URL cannot be one.
    pub fn consumer(
        mut self,
        consumer: &'static str,
        source: &'static str,
        url: &str,
        reaction: Arc<dyn Reaction>,
    ) -> Result<Self, InvalidUrl> {
        let feed = FeedReader::new(url, source, &self.peers)?;
        let consumer_health = self.consumer_health.get_or_insert_default().clone();
        let subscription = Subscription { consumer, source, feed, consumer_health };
        self.parked = self.parked.consumer(consumer, source, Arc::clone(&reaction));
        let (store, nats) = (self.store.clone(), self.nats.clone());
        let consuming = run_consumer(store, nats, subscription, reaction, self.shutdown.clone());
        Ok(self.task(consumer, consuming))
    }

    /// Admits staff by the roles that booking keeps.
    ///
    /// # Errors
    /// Booking's URL cannot be one.
    pub fn staff(&self, booking_url: &str, users: &Users) -> Result<StaffAuthorizer, InvalidUrl> {
        let roles = Arc::new(StaffDirectory::new(booking_url, &self.peers)?);
        Ok(StaffAuthorizer::new(users.clone(), roles, self.store.clone()))
    }

    /// The events that the consumers could not handle.
    #[must_use]
    pub fn parked(&self) -> ParkedEvents {
        self.parked.clone()
    }

    /// Serves HTTP, which only our own services call.
    pub fn http(self, listener: TcpListener, router: Router) -> Self {
        let stop = self.shutdown.clone();
        self.task("http", async move { server::serve_inner_http(listener, router, &stop).await })
    }

    /// Follows the revisions of the practice's files, and reports one that cannot be used. `make`
    /// is given a revision's folder and what is in use.
    pub fn revised<T, F, E>(
        self,
        revised: &Revised<T>,
        make: impl Fn(PathBuf, Arc<T>) -> F + Send + 'static,
    ) -> Self
    where
        T: Send + Sync + 'static,
        F: Future<Output = Result<Arc<T>, E>> + Send + 'static,
        E: Into<BoxError> + Send + 'static,
    {
        let (following, watched) = (revised.clone(), revised.clone());
        let following = following.follow(self.shutdown.clone(), make);
        self.task(PRACTICE, following)
            .concern(PRACTICE, move || std::future::ready(watched.check()))
    }

    /// Reports a concern, which readiness does not depend on.
    pub fn concern<C, F, E>(mut self, name: &'static str, check: C) -> Self
    where
        C: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.checks = self.checks.concern(name, check);
        self
    }

    /// Serves gRPC, and is ready once the database answers and is migrated. It returns when all
    /// tasks have ended.
    ///
    /// # Errors
    /// The first task that failed or ended too early.
    pub async fn serve(
        self,
        server: Server,
        migrations: &Migrator,
        routes: Routes,
    ) -> Result<(), TaskError> {
        let mut checks = eventstore::health::checks(&self.store, migrations).and(self.checks);
        if let Some(consumer_health) = &self.consumer_health {
            checks = consumer_health.add_to(checks);
        }
        let mut tasks = self.tasks;
        tasks.spawn("server", server.ready(checks).serve(routes));
        tasks.join().await
    }
}

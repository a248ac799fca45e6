//! Readiness of a process: named checks, run every second and reported by gRPC's health protocol.
//! Concerns are checks that do not change readiness: a person has to act, and the process goes on
//! serving.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use contract::common::v1::ConsumerLag;
use contract::common::v1::consumers_service_client::ConsumersServiceClient;
use contract::common::v1::consumers_service_server::{ConsumersService, ConsumersServiceServer};
use contract::common::v1::{ListConsumersRequest, ListConsumersResponse};
use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use tokio::time::{MissedTickBehavior, interval, timeout};
use tonic::transport::Channel;
use tonic::{Request, Response, Status};
use tonic_health::ServingStatus;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus as Answered;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::server::HealthReporter;

use crate::channel::{self, InvalidUrl};
use crate::error::BoxError;
use crate::metrics::catalogue::CHECK_FAILING;
use crate::metrics::{self, Label, Reading};
use crate::scope::Scope;
use crate::shutdown::Shutdown;
use crate::status;

/// The name under which readiness is asked for; the empty name only says that the process lives.
pub const READY: &str = "ready";

/// The name under which payments tells whether the provider takes its orders.
pub const ORDERS: &str = "orders";

/// The name under which payments tells whether the provider's webhooks are of our account.
pub const WEBHOOKS: &str = "webhooks";

/// The name under which booking tells whether it can read practitioners' own calendars.
pub const CALENDARS: &str = "calendars";

/// The name under which a service tells whether it can use the newest revision of the practice's
/// files.
pub const PRACTICE: &str = "practice";

/// The name under which a service reports whether its consumers make progress.
pub const EVENTS: &str = "events";

/// The name under which a service reports whether its database keeps writes.
pub const WRITES: &str = "writes";

/// How often the checks run.
const PERIOD: Duration = Duration::from_secs(1);
/// How long one check, or one probe, may take.
const PATIENCE: Duration = Duration::from_secs(2);

type Check = Arc<dyn Fn() -> BoxFuture<'static, Result<(), BoxError>> + Send + Sync>;
type ListLags = Arc<dyn Fn() -> Vec<ConsumerLag> + Send + Sync>;

/// What must work before a process is ready. Without checks it is ready at once.
#[derive(Clone, Default)]
pub struct Checks {
    list: Vec<(&'static str, Check)>,
    concerns: Vec<(&'static str, Check)>,
    lags: Option<ListLags>,
}

impl Checks {
    /// No checks yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a check. It runs every second, so it must be cheap: `select 1`, or a flag.
    #[must_use]
    pub fn check<C, F, E>(mut self, name: &'static str, check: C) -> Self
    where
        C: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.list.push((name, boxed(check)));
        self
    }

    /// Adds a concern. It runs like a check and is reported under its own name. Readiness does not
    /// depend on it, because the process still has work to do while a person looks into it.
    #[must_use]
    pub fn concern<C, F, E>(mut self, name: &'static str, check: C) -> Self
    where
        C: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.concerns.push((name, boxed(check)));
        self
    }

    /// These checks and others; of two lists of consumers the own one stays.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.list.extend(others.list);
        self.concerns.extend(others.concerns);
        self.lags = self.lags.or(others.lags);
        self
    }

    /// Reports how far this process's consumers are behind, as `list` says.
    #[must_use]
    pub fn consumers(
        mut self,
        list: impl Fn() -> Vec<ConsumerLag> + Send + Sync + 'static,
    ) -> Self {
        self.lags = Some(Arc::new(list));
        self
    }

    /// The service that answers other processes about consumers.
    pub(crate) fn consumers_server(&self) -> ConsumersServiceServer<Lags> {
        ConsumersServiceServer::new(Lags(self.lags.clone()))
    }

    /// Runs all checks at once and returns those that fail, with the reason for the log.
    pub async fn failing(&self) -> Vec<(&'static str, String)> {
        failing(&self.list).await
    }

    /// Keeps the health service and the service's readiness up to date until the shutdown signal is
    /// given.
    pub(crate) async fn keep(self, reporter: HealthReporter, shutdown: Shutdown) {
        let mut period = interval(PERIOD);
        period.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut before: Option<Vec<&'static str>> = None;
        let stop = shutdown.wait();
        tokio::pin!(stop);
        let states = States::default();
        states.measure();
        let scope = Scope::current();
        let set_ready = |is_ready| {
            scope.iter().for_each(|scope| scope.set_ready(is_ready));
        };
        loop {
            tokio::select! {
                () = &mut stop => break,
                _ = period.tick() => {}
            }
            for (name, concern) in &self.concerns {
                let is_good = failing(&[(*name, Arc::clone(concern))]).await.is_empty();
                states.set(name, is_good);
                reporter.set_service_status(*name, word_of(is_good)).await;
            }
            let failing = self.failing().await;
            let names: Vec<&'static str> = failing.iter().map(|(name, _)| *name).collect();
            for (name, _) in &self.list {
                states.set(name, !names.contains(name));
            }
            if before.as_ref() != Some(&names) {
                log_change(&failing);
            }
            reporter.set_service_status(READY, word_of(names.is_empty())).await;
            set_ready(names.is_empty());
            before = Some(names);
        }
        set_ready(false);
        reporter.set_service_status(READY, ServingStatus::NotServing).await;
    }
}

/// The last result of each check and concern, for the metrics.
#[derive(Clone, Default)]
struct States(Arc<Mutex<BTreeMap<&'static str, bool>>>);

impl States {
    fn set(&self, name: &'static str, is_good: bool) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, is_good);
    }

    fn measure(&self) {
        let states = self.clone();
        metrics::add_source("checks", metrics::CHEAP, move || {
            let states = states.0.lock().unwrap_or_else(PoisonError::into_inner);
            let reading = |(name, is_good): (&&'static str, &bool)| {
                Reading::new(&CHECK_FAILING, i64::from(!is_good), [Label::Check.of(*name)])
            };
            let readings: Vec<Reading> = states.iter().map(reading).collect();
            std::future::ready(Ok(readings))
        });
    }
}

/// Tells how far the consumers of this process are behind.
pub(crate) struct Lags(Option<ListLags>);

#[tonic::async_trait]
impl ConsumersService for Lags {
    async fn list_consumers(
        &self,
        _request: Request<ListConsumersRequest>,
    ) -> Result<Response<ListConsumersResponse>, Status> {
        let consumers = self.0.as_ref().map(|list| list()).unwrap_or_default();
        Ok(Response::new(ListConsumersResponse { consumers }))
    }
}

fn boxed<C, F, E>(check: C) -> Check
where
    C: Fn() -> F + Send + Sync + 'static,
    F: Future<Output = Result<(), E>> + Send + 'static,
    E: Into<BoxError>,
{
    Arc::new(move || check().map(|done| done.map_err(Into::into)).boxed())
}

async fn failing(list: &[(&'static str, Check)]) -> Vec<(&'static str, String)> {
    let asked = list.iter().map(|(name, check)| async move {
        let why = match timeout(PATIENCE, check()).await {
            Ok(Ok(())) => return None,
            Ok(Err(error)) => status::chain(error.as_ref()),
            Err(_elapsed) => "no answer in time".to_owned(),
        };
        Some((*name, why))
    });
    join_all(asked).await.into_iter().flatten().collect()
}

fn word_of(good: bool) -> ServingStatus {
    if good { ServingStatus::Serving } else { ServingStatus::NotServing }
}

fn log_change(failing: &[(&'static str, String)]) {
    if failing.is_empty() {
        tracing::info!("ready");
    }
    for (name, why) in failing {
        tracing::warn!(check = name, error = why, "not ready");
    }
}

/// Why a service is not ready, as seen from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unready {
    /// Its address is invalid.
    #[error("its address is not a URL")]
    Address,
    /// It does not answer.
    #[error("it does not answer")]
    Unreachable,
    /// One of its checks fails.
    #[error("it is not ready")]
    NotReady,
    /// It works, and one of its concerns needs a person.
    #[error("a person has to look at it")]
    Concerned,
}

/// Asks another service whether it is ready, over one lasting connection.
#[derive(Debug, Clone)]
pub struct Probe {
    client: HealthClient<Channel>,
    consumers: ConsumersServiceClient<Channel>,
}

impl Probe {
    /// A client for the service behind a gRPC URL; it connects with the first request.
    pub fn new(url: &str) -> Result<Self, InvalidUrl> {
        let channel = channel::connect_lazy(url)?;
        let consumers = ConsumersServiceClient::new(channel.clone());
        Ok(Self { client: HealthClient::new(channel), consumers })
    }

    /// How far its consumers are behind; empty if it does not answer or is an older process without
    /// this call.
    pub async fn consumers(&self) -> Vec<ConsumerLag> {
        let mut client = self.consumers.clone();
        match timeout(PATIENCE, client.list_consumers(ListConsumersRequest {})).await {
            Ok(Ok(answer)) => answer.into_inner().consumers,
            Ok(Err(_)) | Err(_) => Vec::new(),
        }
    }

    /// Asks.
    ///
    /// # Errors
    /// Why it is not ready.
    pub async fn check(&self) -> Result<(), Unready> {
        match self.ask(READY).await? {
            Some(Answered::Serving) => Ok(()),
            // A service that does not know the name yet has not asked its checks yet.
            Some(_) | None => Err(Unready::NotReady),
        }
    }

    /// Asks for one of its concerns. A concern that an older process does not know counts as none.
    ///
    /// # Errors
    /// That it does not answer, or that a person has to look.
    pub async fn concern(&self, name: &str) -> Result<(), Unready> {
        match self.ask(name).await? {
            Some(Answered::Serving) | None => Ok(()),
            Some(_) => Err(Unready::Concerned),
        }
    }

    /// Its status under a name; `None` when it does not know the name.
    async fn ask(&self, name: &str) -> Result<Option<Answered>, Unready> {
        let mut client = self.client.clone();
        let asked = client.check(HealthCheckRequest { service: name.to_owned() });
        match timeout(PATIENCE, asked).await {
            Ok(Ok(answer)) => Ok(Some(answer.get_ref().status())),
            Ok(Err(status)) if status.code() == tonic::Code::NotFound => Ok(None),
            Ok(Err(_)) | Err(_) => Err(Unready::Unreachable),
        }
    }
}

/// Asks once whether the service behind a gRPC URL is ready.
pub async fn probe(url: &str) -> Result<(), Unready> {
    let probe = Probe::new(url).map_err(|_invalid| Unready::Address)?;
    probe.check().await
}

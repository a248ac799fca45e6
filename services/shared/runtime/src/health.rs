//! Whether a process is ready: named checks, asked every second, told over gRPC's health protocol.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use tokio::time::{MissedTickBehavior, interval, timeout};
use tonic::transport::Channel;
use tonic_health::ServingStatus;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus as Answered;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::server::HealthReporter;

use crate::channel::{self, InvalidUrl};
use crate::{BoxError, Shutdown, status};

/// The name under which readiness is asked for; the empty name only says that the process lives.
pub const READY: &str = "ready";

/// How often the checks are asked.
const PERIOD: Duration = Duration::from_secs(1);
/// How long one check, or one probe, may take.
const PATIENCE: Duration = Duration::from_secs(2);

type Check = Arc<dyn Fn() -> BoxFuture<'static, Result<(), BoxError>> + Send + Sync>;

/// What must work before a process is ready. Without checks it is ready at once.
#[derive(Clone, Default)]
pub struct Checks {
    list: Vec<(&'static str, Check)>,
}

impl Checks {
    /// No checks yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a check. It is asked every second, so it must be cheap: `select 1`, or a flag.
    #[must_use]
    pub fn check<C, F, E>(mut self, name: &'static str, check: C) -> Self
    where
        C: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        let boxed: Check = Arc::new(move || check().map(|done| done.map_err(Into::into)).boxed());
        self.list.push((name, boxed));
        self
    }

    /// Asks all checks at once and names those that fail, with the reason for the log.
    pub async fn failing(&self) -> Vec<(&'static str, String)> {
        let asked = self.list.iter().map(|(name, check)| async move {
            let why = match timeout(PATIENCE, check()).await {
                Ok(Ok(())) => return None,
                Ok(Err(error)) => status::chain(error.as_ref()),
                Err(_elapsed) => "no answer in time".to_owned(),
            };
            Some((*name, why))
        });
        join_all(asked).await.into_iter().flatten().collect()
    }

    /// Keeps the health service's word true until the shutdown signal is given.
    pub(crate) async fn keep(self, reporter: HealthReporter, shutdown: Shutdown) {
        let mut period = interval(PERIOD);
        period.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut before: Option<Vec<&'static str>> = None;
        let stop = shutdown.wait();
        tokio::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                _ = period.tick() => {}
            }
            let failing = self.failing().await;
            let names: Vec<&'static str> = failing.iter().map(|(name, _)| *name).collect();
            if before.as_ref() != Some(&names) {
                log_change(&failing);
            }
            let word =
                if names.is_empty() { ServingStatus::Serving } else { ServingStatus::NotServing };
            reporter.set_service_status(READY, word).await;
            before = Some(names);
        }
        reporter.set_service_status(READY, ServingStatus::NotServing).await;
    }
}

fn log_change(failing: &[(&'static str, String)]) {
    if failing.is_empty() {
        tracing::info!("ready");
    }
    for (name, why) in failing {
        tracing::warn!(check = name, error = why, "not ready");
    }
}

/// Why a service is not ready, as far as its asker can see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unready {
    /// Its address cannot be one.
    #[error("its address is not a URL")]
    Address,
    /// It does not answer.
    #[error("it does not answer")]
    Unreachable,
    /// It answers that a check fails.
    #[error("it is not ready")]
    NotReady,
}

/// Asks another service whether it is ready, over one lasting connection.
#[derive(Debug, Clone)]
pub struct Probe {
    client: HealthClient<Channel>,
}

impl Probe {
    /// Prepares to ask the service behind a gRPC URL; nothing is connected yet.
    ///
    /// # Errors
    /// The URL cannot be one.
    pub fn new(url: &str) -> Result<Self, InvalidUrl> {
        Ok(Self { client: HealthClient::new(channel::connect_lazy(url)?) })
    }

    /// Asks.
    ///
    /// # Errors
    /// Why it is not ready.
    pub async fn check(&self) -> Result<(), Unready> {
        let mut client = self.client.clone();
        let asked = client.check(HealthCheckRequest { service: READY.to_owned() });
        match timeout(PATIENCE, asked).await {
            Ok(Ok(answer)) if answer.get_ref().status() == Answered::Serving => Ok(()),
            Ok(Ok(_)) => Err(Unready::NotReady),
            // A service that does not know the name yet has not asked its checks yet.
            Ok(Err(status)) if status.code() == tonic::Code::NotFound => Err(Unready::NotReady),
            Ok(Err(_)) | Err(_) => Err(Unready::Unreachable),
        }
    }
}

/// Asks once whether the service behind a gRPC URL is ready.
///
/// # Errors
/// Why it is not.
pub async fn probe(url: &str) -> Result<(), Unready> {
    let probe = Probe::new(url).map_err(|_invalid| Unready::Address)?;
    probe.check().await
}

//! Health endpoints: /livez says that the process runs, /readyz that it takes requests, and
//! /healthz whether every part of the system works. The report, which lists the parts with their
//! states, is on the inner listener only.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use futures::future::{join, join_all};
use http::{HeaderValue, StatusCode, header};
use runtime::channel::InvalidUrl;
use runtime::health::{
    CALENDARS, ConsumerLag, EVENTS, ORDERS, PRACTICE, Probe, Unready, WEBHOOKS, WRITES,
};
use runtime::{Revised, Shutdown};
use serde::Serialize;
use tokio::sync::Mutex;
use tokio::time::{Duration, Instant, timeout};

use crate::config::Config;
use crate::policy::reports::ViolationCounts;
use crate::web_files::WebFiles;

/// Timeout of one part's check.
const PART_TIMEOUT: Duration = Duration::from_secs(2);
/// How long one check of all parts serves everybody outside.
const PUBLIC_INTERVAL: Duration = Duration::from_secs(1);
const READY: &str = "ready";

/// The parts and how each is checked.
pub(crate) struct Health {
    parts: Vec<(&'static str, Part)>,
    /// The services that consume events.
    consumer_probes: Vec<Probe>,
    client: reqwest::Client,
    shutdown: Shutdown,
    violations: Arc<ViolationCounts>,
    site: Revised<WebFiles>,
    /// When all parts were last checked for a caller outside, and whether all worked. Callers that
    /// ask meanwhile wait for the same check.
    last: Mutex<Option<(Instant, bool)>>,
}

enum Part {
    /// A service that reports its own readiness.
    Service(Probe),
    /// A problem that a service reports besides its readiness.
    Concern(Probe, &'static str),
    /// An HTTP server; any response but a server error counts as ready.
    Http(String),
}

#[derive(Serialize)]
struct Report {
    ready: bool,
    parts: BTreeMap<&'static str, String>,
    /// The revision of the pages, and why a newer one is not in use.
    pages: PagesReport,
    /// How far each consumer of events is behind.
    consumers: BTreeMap<String, Lag>,
    /// Violations of the booking document's policy, from browsers' reports.
    refused_by_policy: BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct PagesReport {
    practice_revision: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

#[derive(Serialize)]
struct Lag {
    events_behind: i64,
    seconds_behind: i64,
}

impl Health {
    pub(crate) fn new(
        config: &Config,
        client: reqwest::Client,
        shutdown: &Shutdown,
        violations: Arc<ViolationCounts>,
        site: Revised<WebFiles>,
    ) -> Result<Self, InvalidUrl> {
        let upstreams = &config.upstreams;
        let booking = Probe::new(&upstreams.booking.to_string())?;
        let payments = Probe::new(&upstreams.payments.to_string())?;
        let notifications = Probe::new(&upstreams.notifications.to_string())?;
        let reviews = Probe::new(&upstreams.reviews.to_string())?;
        let service = |probe: &Probe| Part::Service(probe.clone());
        let concern = |probe: &Probe, name| Part::Concern(probe.clone(), name);
        let catalogue = Probe::new(&upstreams.catalogue.to_string())?;
        let mut parts = vec![
            ("catalogue_practice", concern(&catalogue, PRACTICE)),
            ("catalogue", Part::Service(catalogue)),
            ("booking", service(&booking)),
            ("booking_events", concern(&booking, EVENTS)),
            ("booking_writes", concern(&booking, WRITES)),
            ("booking_practice", concern(&booking, PRACTICE)),
            ("booking_calendars", concern(&booking, CALENDARS)),
            ("payments", service(&payments)),
            ("payments_events", concern(&payments, EVENTS)),
            ("payments_writes", concern(&payments, WRITES)),
            ("payments_practice", concern(&payments, PRACTICE)),
            ("payments_orders", concern(&payments, ORDERS)),
            ("payments_webhooks", concern(&payments, WEBHOOKS)),
            ("payments_http", Part::Http(config.proxied.payments.clone())),
            ("notifications", service(&notifications)),
            ("notifications_events", concern(&notifications, EVENTS)),
            ("notifications_writes", concern(&notifications, WRITES)),
            ("notifications_practice", concern(&notifications, PRACTICE)),
            ("reviews", service(&reviews)),
            ("reviews_events", concern(&reviews, EVENTS)),
            ("reviews_writes", concern(&reviews, WRITES)),
            ("reviews_practice", concern(&reviews, PRACTICE)),
            ("reviews_http", Part::Http(config.proxied.reviews.clone())),
            ("identity_http", Part::Http(format!("{}/health", config.proxied.identity))),
        ];
        if let Some(url) = &config.watched.identity {
            let identity = Probe::new(url)?;
            parts.push(("identity_writes", Part::Concern(identity.clone(), WRITES)));
            parts.push(("identity", Part::Service(identity)));
        }
        let consumer_probes = vec![booking, payments, notifications, reviews];
        Ok(Self {
            parts,
            consumer_probes,
            client,
            shutdown: shutdown.clone(),
            violations,
            site,
            last: Mutex::new(None),
        })
    }

    /// Whether every part works, as of the last second.
    async fn is_ready(&self) -> bool {
        let mut last = self.last.lock().await;
        if let Some((checked, is_ready)) = *last
            && checked.elapsed() < PUBLIC_INTERVAL
        {
            return is_ready;
        }
        let is_ready = self.report().await.ready;
        *last = Some((Instant::now(), is_ready));
        is_ready
    }

    async fn report(&self) -> Report {
        let checks = self.parts.iter().map(|(name, part)| async move {
            let state = match part {
                Part::Service(probe) => probe.check().await,
                Part::Concern(probe, name) => probe.concern(name).await,
                Part::Http(url) => self.reachable(url).await,
            };
            (*name, state)
        });
        let lags = join_all(self.consumer_probes.iter().map(Probe::consumers));
        let (mut states, lags) = join(join_all(checks), lags).await;
        // The site was fully read before the gateway began to listen.
        states.push(("web", self.site.check().map_err(|_refused| Unready::Concerned)));
        let ready = states.iter().all(|(_, state)| state.is_ok());
        let word = |state: Result<(), Unready>| {
            state.map_or_else(|why| why.to_string(), |()| READY.to_owned())
        };
        let parts = states.into_iter().map(|(name, state)| (name, word(state))).collect();
        let lag = |it: ConsumerLag| {
            let ConsumerLag { consumer, events_behind, seconds_behind } = it;
            (consumer, Lag { events_behind, seconds_behind })
        };
        let consumers = lags.into_iter().flatten().map(lag).collect();
        let pages = PagesReport {
            practice_revision: self.site.revision(),
            refused: self.site.check().err().map(|refused| refused.to_string()),
        };
        Report { ready, parts, pages, consumers, refused_by_policy: self.violations.counts() }
    }

    async fn reachable(&self, url: &str) -> Result<(), Unready> {
        match timeout(PART_TIMEOUT, self.client.get(url).send()).await {
            Ok(Ok(answer)) if !answer.status().is_server_error() => Ok(()),
            Ok(Ok(_)) => Err(Unready::NotReady),
            Ok(Err(_)) | Err(_) => Err(Unready::Unreachable),
        }
    }
}

pub(crate) async fn livez() -> Response {
    answer(StatusCode::OK, &serde_json::json!({ "alive": true }))
}

pub(crate) async fn readyz(State(health): State<Arc<Health>>) -> Response {
    let ready = !health.shutdown.is_triggered();
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    answer(status, &serde_json::json!({ "ready": ready }))
}

/// For everybody: the status alone says whether every part works.
pub(crate) async fn public_healthz(State(health): State<Arc<Health>>) -> Response {
    let is_ready = health.is_ready().await;
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    answer(status, &serde_json::json!({ "ready": is_ready }))
}

/// For operators: every part with its state.
pub(crate) async fn healthz(State(health): State<Arc<Health>>) -> Response {
    let report = health.report().await;
    let status = if report.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    answer(status, &report)
}

fn answer<T: Serialize>(status: StatusCode, body: &T) -> Response {
    let fresh = (header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    (status, [fresh], Json(body)).into_response()
}

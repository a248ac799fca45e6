//! What probes and people ask: /livez says that the process runs, /readyz that it takes requests,
//! and /healthz names every part of the practice and whether it works.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use futures::future::join_all;
use http::{HeaderValue, StatusCode, header};
use runtime::Shutdown;
use runtime::channel::InvalidUrl;
use runtime::health::{EVENTS, ORDERS, Probe, Unready, WEBHOOKS};
use serde::Serialize;
use tokio::time::{Duration, timeout};

use crate::config::Config;
use crate::policy_reports::Refused;

/// How long a part may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);
const READY: &str = "ready";

/// The parts, with the way in which each is asked.
pub(crate) struct Health {
    parts: Vec<(&'static str, Part)>,
    client: reqwest::Client,
    shutdown: Shutdown,
    refused: Arc<Refused>,
}

enum Part {
    /// A service, which knows itself whether it is ready.
    Service(Probe),
    /// Something that a service has to tell beside its readiness.
    Concern(Probe, &'static str),
    /// An HTTP server; any answer will do.
    Web(String),
}

#[derive(Serialize)]
struct Report {
    ready: bool,
    parts: BTreeMap<&'static str, String>,
    /// What browsers' reports say that the booking document's policy has refused.
    refused_by_policy: BTreeMap<String, u64>,
}

impl Health {
    pub(crate) fn new(
        config: &Config,
        client: reqwest::Client,
        (shutdown, refused): (&Shutdown, Arc<Refused>),
    ) -> Result<Self, InvalidUrl> {
        let service = |url: &str| Probe::new(url).map(Part::Service);
        let payments = Probe::new(&config.upstreams.payments.to_string())?;
        let concern = |name| Part::Concern(payments.clone(), name);
        let events = |url: &str| Probe::new(url).map(|probe| Part::Concern(probe, EVENTS));
        let mut parts = vec![
            ("catalogue", service(&config.upstreams.catalogue.to_string())?),
            ("booking", service(&config.upstreams.booking.to_string())?),
            ("payments", service(&config.upstreams.payments.to_string())?),
            ("booking_events", events(&config.upstreams.booking.to_string())?),
            ("notifications_events", events(&config.upstreams.notifications.to_string())?),
            ("payments_events", concern(EVENTS)),
            ("payments_orders", concern(ORDERS)),
            ("payments_webhooks", concern(WEBHOOKS)),
            ("payments_http", Part::Web(config.proxied.payments.clone())),
            ("notifications", service(&config.upstreams.notifications.to_string())?),
            ("reviews", service(&config.upstreams.reviews.to_string())?),
            ("reviews_events", events(&config.upstreams.reviews.to_string())?),
            ("reviews_http", Part::Web(config.proxied.reviews.clone())),
            ("identity_http", Part::Web(format!("{}/health", config.proxied.identity))),
        ];
        if let Some(url) = &config.watched.identity {
            parts.push(("identity", service(url)?));
        }
        Ok(Self { parts, client, shutdown: shutdown.clone(), refused })
    }

    async fn report(&self) -> Report {
        let asked = self.parts.iter().map(|(name, part)| async move {
            let state = match part {
                Part::Service(probe) => probe.check().await,
                Part::Concern(probe, name) => probe.concern(name).await,
                Part::Web(url) => self.reachable(url).await,
            };
            (*name, state)
        });
        let mut states = join_all(asked).await;
        // The site was read whole before the gateway began to listen.
        states.push(("web", Ok(())));
        let ready = states.iter().all(|(_, state)| state.is_ok());
        let word = |state: Result<(), Unready>| {
            state.map_or_else(|why| why.to_string(), |()| READY.to_owned())
        };
        let parts = states.into_iter().map(|(name, state)| (name, word(state))).collect();
        Report { ready, parts, refused_by_policy: self.refused.counts() }
    }

    async fn reachable(&self, url: &str) -> Result<(), Unready> {
        match timeout(PATIENCE, self.client.get(url).send()).await {
            Ok(Ok(answer)) if !answer.status().is_server_error() => Ok(()),
            Ok(Ok(_)) => Err(Unready::NotReady),
            Ok(Err(_)) | Err(_) => Err(Unready::Unreachable),
        }
    }
}

pub(crate) async fn live() -> Response {
    answer(StatusCode::OK, &serde_json::json!({ "alive": true }))
}

pub(crate) async fn ready(State(health): State<Arc<Health>>) -> Response {
    let ready = !health.shutdown.is_triggered();
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    answer(status, &serde_json::json!({ "ready": ready }))
}

pub(crate) async fn every_part(State(health): State<Arc<Health>>) -> Response {
    let report = health.report().await;
    let status = if report.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    answer(status, &report)
}

fn answer<T: Serialize>(status: StatusCode, body: &T) -> Response {
    let fresh = (header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    (status, [fresh], Json(body)).into_response()
}

//! The outermost middleware: the caller's address, the trace with its reference id, the rate limit
//! per address, the security headers, the log line, and the panic handler. The log line holds
//! method, route pattern, status and time; never a query, a body or a name.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use connectrpc::{ConnectError, ErrorCode};
use futures::FutureExt as _;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use runtime::{metrics, telemetry};
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::caller::{Caller, address_of};
use crate::error_response;
use crate::hosts::Hosts;
use crate::network_quota::NetworkQuota;
use crate::policy::{CurrentPolicies, Document};
use crate::proxy::pictures;
use crate::rate_limits::RateLimiters;
use crate::refusals::Refusal;
use crate::response_cache::ResponseCache;
use crate::routes::{PROBES, Routes, UPLOAD};
use crate::staff_networks::StaffNetworks;
use crate::trusted_proxies::TrustedProxies;

/// Clients quote it to the practice; it finds the request in logs and traces.
pub(crate) const REFERENCE_ID: HeaderName = HeaderName::from_static("x-reference-id");

pub(crate) struct GatewayState {
    pub(crate) routes: Arc<Routes>,
    pub(crate) limits: Arc<RateLimiters>,
    pub(crate) cache: Arc<ResponseCache>,
    pub(crate) policies: Arc<CurrentPolicies>,
    pub(crate) hosts: Hosts,
    pub(crate) proxies: TrustedProxies,
    pub(crate) staff_networks: StaffNetworks,
    /// Requests in progress.
    pub(crate) requests: Arc<NetworkQuota>,
}

pub(crate) async fn with_request_context(
    State(state): State<Arc<GatewayState>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let route = state.routes.pattern_of(request.uri().path());
    let span = telemetry::edge_span(&method, &route, request.headers());
    let recorded = span.clone();
    async move {
        let reference = trace_id().unwrap_or_default();
        let address = address_of(peer.ip(), request.headers(), &state.proxies);
        let staff_network = state.staff_networks.network_of(address);
        let caller = Caller { address, reference: reference.clone(), staff_network };
        let mut answer = state.respond(caller, request, next).await;
        let document = answer.extensions_mut().remove::<Document>().unwrap_or_default();
        state.policies.apply(answer.headers_mut(), document);
        if let Ok(reference) = HeaderValue::from_str(&reference) {
            answer.headers_mut().insert(REFERENCE_ID, reference);
        }
        let status = answer.status().as_u16();
        recorded.record("http.response.status_code", status);
        let took = started.elapsed();
        metrics::record_http_request(&method, route.clone(), answer.status(), took);
        let ms = took.as_millis();
        tracing::info!(%method, %route, status, ms, "answered");
        answer
    }
    .instrument(span)
    .await
}

impl GatewayState {
    async fn respond(&self, caller: Caller, mut request: Request, next: Next) -> Response {
        let reference = caller.reference.clone();
        // It would repeat the request's headers to its sender, with all secrets in them.
        if request.method() == Method::TRACE {
            let error = ConnectError::new(ErrorCode::Unimplemented, "");
            let status = StatusCode::METHOD_NOT_ALLOWED;
            return error_response::to_error_response(status, &error, &reference);
        }
        // The fast path has counted all others.
        if request.uri().path() == UPLOAD
            && let Err(retry_after) = self.limits.check_address(caller.address)
        {
            pictures::discard_body(request).await;
            let status = StatusCode::TOO_MANY_REQUESTS;
            return error_response::to_error_response(status, &retry_after.to_error(), &reference);
        }
        let is_probe = PROBES.contains(&request.uri().path());
        let permit = self.requests.try_acquire(caller.address, usize::from(!is_probe));
        let Some(permit) = permit else {
            Refusal::RequestsInProgress.count();
            return error_response::over_budget_response(&reference);
        };
        request.extensions_mut().insert(caller);
        let mut answer = catch_panic(next.run(request), &reference).await;
        // The connection keeps it until the response is sent.
        answer.extensions_mut().insert(Arc::new(permit));
        answer
    }
}

/// Turns a panic of a handler into an internal error; the process goes on.
async fn catch_panic(answer: impl Future<Output = Response>, reference: &str) -> Response {
    AssertUnwindSafe(answer).catch_unwind().await.unwrap_or_else(|_panic| {
        tracing::error!("a handler panicked");
        let error = ConnectError::new(ErrorCode::Internal, "");
        error_response::to_error_response(StatusCode::INTERNAL_SERVER_ERROR, &error, reference)
    })
}

/// The trace id of the current span.
fn trace_id() -> Option<String> {
    let traceparent = telemetry::traceparent()?;
    traceparent.split('-').nth(1).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::catch_panic;

    #[tokio::test]
    async fn a_panic_becomes_a_standard_error() {
        let answer = catch_panic(async { panic!("a secret") }, "abc").await;
        assert_eq!(answer.status(), 500);
        let bytes = axum::body::to_bytes(answer.into_body(), 1000).await.unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("Something went wrong on our side. Please try again."), "{text}");
        assert!(text.contains("common.v1.ErrorDetail") && !text.contains("secret"), "{text}");
    }
}

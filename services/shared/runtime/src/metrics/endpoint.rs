//! The address at which Prometheus reads this process's metrics, and an orchestrator asks whether
//! it lives and is ready. It is for the inside only: nothing that the internet reaches forwards to
//! it.

use std::future::ready;
use std::net::SocketAddr;

use axum::Router;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use http::{StatusCode, header};
use prometheus::{Registry, TEXT_FORMAT, TextEncoder};

use super::meter;
use super::readings;
use crate::scope::Scope;
use crate::server::{self, listen};
use crate::shutdown::Shutdown;

/// Turns metrics on and answers at `address`, for the service that is at work here, until the
/// shutdown signal is given. It gives the address that it listens on.
///
/// # Errors
/// The address cannot be listened on.
pub async fn open(
    service: &'static str,
    address: SocketAddr,
    shutdown: &Shutdown,
) -> Result<SocketAddr, server::Error> {
    open_for(service, Scope::current().into_iter().collect(), address, shutdown).await
}

/// The same for a process with these services; it is ready when all of them are.
pub(crate) async fn open_for(
    process: &'static str,
    services: Vec<Scope>,
    address: SocketAddr,
    shutdown: &Shutdown,
) -> Result<SocketAddr, server::Error> {
    let listener = listen(address).await?;
    let address = listener.local_addr().unwrap_or(address);
    let Some(registry) = meter::install(process) else { return Ok(address) };
    readings::make_gauges();
    let are_ready = move || !services.is_empty() && services.iter().all(Scope::is_ready);
    let router = Router::new()
        .route("/metrics", get(move || answer(registry)))
        // A kubelet has no certificate, which the port for calls demands once TLS is on.
        .route("/livez", get(async || StatusCode::OK))
        .route("/readyz", get(move || ready(readiness(are_ready()))));
    let serving = axum::serve(listener, router).with_graceful_shutdown(shutdown.wait());
    tokio::spawn(async move {
        if let Err(error) = serving.await {
            tracing::error!(error = %error, "metrics are not served any more");
        }
    });
    Ok(address)
}

/// It reports the checks that run every second anyway, so an answer costs nothing.
pub(super) fn readiness(is_ready: bool) -> StatusCode {
    if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }
}

async fn answer(registry: &'static Registry) -> Response {
    readings::refresh().await;
    match TextEncoder::new().encode_to_string(&registry.gather()) {
        Ok(text) => ([(header::CONTENT_TYPE, TEXT_FORMAT)], text).into_response(),
        Err(error) => {
            tracing::error!(error = %error, "metrics cannot be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

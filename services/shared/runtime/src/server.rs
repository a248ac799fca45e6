//! Servers: gRPC for services, HTTP where the outside world needs it, both with traces, limits, and
//! a graceful shutdown.

mod calls;

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::extract::{MatchedPath, Request};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use tokio::net::{TcpListener, TcpSocket};
use tokio::time::{Instant, sleep};
use tonic::service::Routes;
use tonic::transport::server::TcpIncoming;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tower::util::MapRequestLayer;
use tracing::Instrument as _;

use crate::health::{Checks, READY};
use crate::scope::{self, Scope, carried, carried_by};
use crate::server::calls::CallLayer;
use crate::shutdown::Shutdown;
use crate::tls::{Tls, incoming};
use crate::{metrics, telemetry};

/// The most bytes that a request may have: every service passes it to its generated server's
/// `max_decoding_message_size`.
pub const REQUEST_BYTES_MAX: usize = 256 * 1024;
/// How long a handler may take until it answers; a stream may go on after its answer began.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);
/// How long running requests may take to finish once the process was asked to stop.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);
/// How many connections may wait to be accepted. The system drops further ones, and their clients
/// try again after a second. It allows no more than `net.core.somaxconn`, 4,096 by default.
const BACKLOG: u32 = 4096;
/// How often an idle connection is pinged.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(20);

/// A server could not start or broke.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The address is taken, or not one of this machine.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address that was asked for.
        address: SocketAddr,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The gRPC server broke.
    #[error("the gRPC server broke")]
    Grpc(#[from] tonic::transport::Error),
    /// The HTTP server broke.
    #[error("the HTTP server broke")]
    Http(#[source] std::io::Error),
}

/// Listens, so that a port in use is noticed before anything else starts.
///
/// # Errors
/// The address cannot be listened on.
pub async fn listen(address: SocketAddr) -> Result<TcpListener, Error> {
    listen_at(address).map_err(|source| Error::Listen { address, source })
}

fn listen_at(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// A gRPC server with health service, traces and limits.
pub struct Server {
    listener: TcpListener,
    shutdown: Shutdown,
    checks: Checks,
    tls: Option<Tls>,
}

impl Server {
    /// Listens at an address.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub async fn bind(address: SocketAddr, shutdown: &Shutdown) -> Result<Self, Error> {
        let listener = listen(address).await?;
        let (shutdown, checks) = (shutdown.clone(), Checks::new());
        Ok(Self { listener, shutdown, checks, tls: scope::tls() })
    }

    /// Serves with these certificates instead of those of the service.
    #[must_use]
    pub fn with_tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Where it listens; tests ask for port 0 and need to know.
    ///
    /// # Errors
    /// The system does not tell.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// What must work before the service is ready.
    #[must_use]
    pub fn ready(mut self, checks: Checks) -> Self {
        self.checks = checks;
        self
    }

    /// Serves until the shutdown signal is given and running requests have finished, or five
    /// seconds later. Streams must end by themselves when the signal is given.
    ///
    /// # Errors
    /// The server broke.
    pub async fn serve(self, routes: Routes) -> Result<(), Error> {
        // The generic health service cannot be named, so the pair is made here.
        let (reporter, health) = tonic_health::server::health_reporter();
        reporter.set_service_status(READY, ServingStatus::NotServing).await;
        let consumers = self.checks.consumers_server();
        let keeping = self.checks.keep(reporter.clone(), self.shutdown.clone());
        let keeping = tokio::spawn(carried(keeping));
        let scope = Scope::current();
        let router = tonic::transport::Server::builder()
            .trace_fn(move |request| telemetry::server_span_of(scope.as_ref(), request))
            .timeout(ANSWER_TIMEOUT)
            .http2_keepalive_interval(Some(KEEP_ALIVE_INTERVAL))
            .layer(CallLayer(Scope::current()))
            .layer(MapRequestLayer::new(incoming::note_certificate::<tonic::body::Body>))
            .add_routes(routes.add_service(health).add_service(consumers));
        let told = told(self.shutdown.clone(), reporter);
        let serving = async {
            match self.tls {
                None => {
                    let incoming = TcpIncoming::from(self.listener).with_nodelay(Some(true));
                    router.serve_with_incoming_shutdown(incoming, told).await
                }
                Some(tls) => {
                    let incoming = Box::pin(incoming::connections(self.listener, tls));
                    router.serve_with_incoming_shutdown(incoming, told).await
                }
            }
        };
        let served = drained(&self.shutdown, serving).await;
        keeping.abort();
        served.unwrap_or(Ok(())).map_err(Into::into)
    }
}

/// Serves HTTP until the shutdown signal is given and running requests have finished, or five
/// seconds later. Handlers may ask for `ConnectInfo<SocketAddr>`.
///
/// # Errors
/// The server broke.
pub async fn serve_http(
    listener: TcpListener,
    router: Router,
    shutdown: &Shutdown,
) -> Result<(), Error> {
    let service = traced_router(router).into_make_service_with_connect_info::<SocketAddr>();
    let serving = axum::serve(listener, service).with_graceful_shutdown(shutdown.wait());
    drained(shutdown, serving.into_future()).await.unwrap_or(Ok(())).map_err(Error::Http)
}

/// Serves HTTP that only our own services call: over TLS, if that is on.
///
/// # Errors
/// The server broke.
pub async fn serve_inner_http(
    listener: TcpListener,
    router: Router,
    shutdown: &Shutdown,
) -> Result<(), Error> {
    let Some(tls) = scope::tls() else {
        return serve_http(listener, router, shutdown).await;
    };
    serve_https(listener, router, (tls, shutdown)).await
}

pub(crate) async fn serve_https(
    listener: TcpListener,
    router: Router,
    (tls, shutdown): (Tls, &Shutdown),
) -> Result<(), Error> {
    let listener = incoming::Listener::new(listener, tls).map_err(Error::Http)?;
    let service = traced_router(router).into_make_service();
    let serving = axum::serve(listener, service).with_graceful_shutdown(shutdown.wait());
    drained(shutdown, serving.into_future()).await.unwrap_or(Ok(())).map_err(Error::Http)
}

/// Waits for the signal and tells the watchers of the health service that this process stops.
async fn told(shutdown: Shutdown, reporter: HealthReporter) {
    shutdown.wait().await;
    reporter.set_service_status("", ServingStatus::NotServing).await;
}

/// Runs a server to its end, or gives up on it some time after the signal.
async fn drained<F: Future>(shutdown: &Shutdown, serving: F) -> Option<F::Output> {
    let late = async {
        shutdown.wait().await;
        sleep(DRAIN_TIMEOUT).await;
    };
    tokio::select! {
        ended = serving => Some(ended),
        () = late => {
            tracing::warn!("requests were still running when the time to finish them was over");
            None
        }
    }
}

fn traced_router(router: Router) -> Router {
    router.layer(from_fn_with_state(Scope::current(), traced))
}

async fn traced(State(scope): State<Option<Scope>>, request: Request, next: Next) -> Response {
    carried_by(scope, answered(request, next)).await
}

async fn answered(request: Request, next: Next) -> Response {
    let began = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let route = route.to_owned();
    let span = telemetry::http_span(&method, &route, request.headers());
    let response = next.run(request).instrument(span.clone()).await;
    span.record("http.response.status_code", response.status().as_u16());
    metrics::record_http_request(&method, route, response.status(), began.elapsed());
    response
}

#[cfg(test)]
mod tests;

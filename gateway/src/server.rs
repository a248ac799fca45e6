//! Accepts connections from the open internet: patience for slow requests has an end, and so has
//! the number of connections.

use std::convert::Infallible;
use std::future::ready;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use futures::future::Either;
use http::Request;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use runtime::Shutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tower::ServiceExt as _;

use crate::edge::Edge;

/// How long a client may take to send a request's head.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long running requests may take to finish once the process was asked to stop.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);
/// When the system is out of file handles, accepting is tried again after this pause.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// More connections than this wait until one of them ends.
const CONNECTIONS_MAX: usize = 8192;

/// Serves until the shutdown signal is given and running requests have finished.
pub(crate) async fn serve(
    listener: TcpListener,
    (edge, router): (Arc<Edge>, Router),
    shutdown: &Shutdown,
) {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    builder.http2().timer(TokioTimer::new()).keep_alive_interval(HEAD_TIMEOUT);
    let builder = Arc::new(builder);
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let stop = shutdown.wait();
    tokio::pin!(stop);
    loop {
        let accepted = async {
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            () = &mut stop => break,
            accepted = accepted => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                let (edge, router) = (edge.clone(), router.clone());
                let watcher = graceful.watcher();
                let builder = builder.clone();
                tokio::spawn(async move {
                    let service = service_fn(move |request: Request<hyper::body::Incoming>| {
                        if let Some(answer) = edge.at_hand(peer.ip(), &request) {
                            return Either::Left(ready(Ok::<_, Infallible>(answer)));
                        }
                        let mut request = request.map(axum::body::Body::new);
                        request.extensions_mut().insert(ConnectInfo::<SocketAddr>(peer));
                        Either::Right(router.clone().oneshot(request))
                    });
                    let stream = connected(stream);
                    let connection = builder.serve_connection_with_upgrades(stream, service);
                    // What breaks here is the client's connection, which happens all day.
                    if let Err(error) = watcher.watch(connection.into_owned()).await {
                        tracing::debug!(error = %error, "a connection broke");
                    }
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(error = %error, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    if timeout(DRAIN_TIMEOUT, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were still running when the time to finish them was over");
    }
}

fn connected(stream: TcpStream) -> TokioIo<TcpStream> {
    // Small answers should not wait for company; without it they are only slower.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(error = %error, "a connection keeps its delay");
    }
    TokioIo::new(stream)
}

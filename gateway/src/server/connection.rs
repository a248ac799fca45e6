//! One connection from the internet: it is closed when its first request does not arrive in time,
//! and when it was idle for too long.

use std::convert::Infallible;
use std::future::ready;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::response::Response;
use bytes::Bytes;
use futures::future::Either;
use http::Request;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use runtime::Shutdown;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};
use tower::ServiceExt as _;

use crate::config::ConnectionSettings;
use crate::request_context::GatewayState;

/// Requests at once per connection; a page needs fewer.
const STREAMS_MAX: u32 = 64;

/// Serves connections; shared by all of them.
pub(crate) struct ConnectionServer {
    builder: Builder<TokioExecutor>,
    state: Arc<GatewayState>,
    router: Router,
    timeouts: Timeouts,
    shutdown: Shutdown,
}

/// Timeouts of a connection.
#[derive(Clone, Copy, Debug)]
struct Timeouts {
    /// Until the first request, and for the head of each request.
    head: Duration,
    /// Between two requests.
    idle: Duration,
}

impl ConnectionServer {
    pub(crate) fn new(
        settings: &ConnectionSettings,
        (state, router): (Arc<GatewayState>, Router),
        shutdown: Shutdown,
    ) -> Self {
        let timeouts = Timeouts { head: settings.head_timeout, idle: settings.idle_timeout };
        let mut builder = Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(timeouts.head);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(timeouts.head)
            .max_concurrent_streams(STREAMS_MAX);
        Self { builder, state, router, timeouts, shutdown }
    }

    /// Serves a connection until it ends.
    pub(crate) async fn serve(&self, stream: TcpStream, peer: SocketAddr) {
        let conn = Arc::new(Mutex::new(ConnectionState::new(Instant::now())));
        let service = service_fn(|request: Request<Incoming>| {
            let guard = RequestGuard::start(&conn);
            if let Some(answer) = self.state.try_serve_local(peer.ip(), &request) {
                return Either::Left(ready(Ok::<_, Infallible>(guard.track(answer))));
            }
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo::<SocketAddr>(peer));
            let answer = self.router.clone().oneshot(request);
            Either::Right(async move { answer.await.map(|answer| guard.track(answer)) })
        });
        let stream = with_nodelay(stream);
        let mut connection = pin!(self.builder.serve_connection_with_upgrades(stream, service));
        let mut stop = pin!(self.shutdown.wait());
        let mut stopping = false;
        let first = self.timeouts.head.min(self.timeouts.idle);
        let mut deadline = pin!(sleep_until(lock(&conn).accepted + first));
        loop {
            tokio::select! {
                biased;
                ended = connection.as_mut() => {
                    // A broken connection of a client is normal.
                    if let Err(error) = ended {
                        tracing::debug!(error = %error, "a connection broke");
                    }
                    return;
                }
                () = &mut stop, if !stopping => {
                    stopping = true;
                    connection.as_mut().graceful_shutdown();
                }
                () = &mut deadline => {
                    let next_action = lock(&conn).next_action(Instant::now(), self.timeouts);
                    match next_action {
                        NextAction::KeepUntil(instant) => deadline.as_mut().reset(instant),
                        NextAction::Drain(instant) => {
                            connection.as_mut().graceful_shutdown();
                            deadline.as_mut().reset(instant);
                        }
                        NextAction::Close => return,
                    }
                }
            }
        }
    }
}

fn with_nodelay(stream: TcpStream) -> TokioIo<TcpStream> {
    // Small responses are sent at once, without Nagle's delay.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(error = %error, "a connection keeps its delay");
    }
    TokioIo::new(stream)
}

/// State of a connection that decides how long it is kept.
struct ConnectionState {
    accepted: Instant,
    /// Whether a request has arrived.
    has_requested: bool,
    /// Requests whose response is not yet fully sent.
    in_flight: usize,
    /// When the last of them ended.
    idle_since: Instant,
    /// Whether a graceful shutdown was started.
    is_draining: bool,
}

/// What to do with a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextAction {
    /// Nothing before this time.
    KeepUntil(Instant),
    /// Graceful shutdown now; checked again at this time.
    Drain(Instant),
    /// Close it now.
    Close,
}

impl ConnectionState {
    fn new(accepted: Instant) -> Self {
        Self {
            accepted,
            has_requested: false,
            in_flight: 0,
            idle_since: accepted,
            is_draining: false,
        }
    }

    fn next_action(&mut self, now: Instant, timeouts: Timeouts) -> NextAction {
        if !self.has_requested {
            let end = self.accepted + timeouts.head;
            return if end > now { NextAction::KeepUntil(end) } else { NextAction::Close };
        }
        if self.in_flight > 0 {
            return NextAction::KeepUntil(now + timeouts.idle);
        }
        if self.is_draining {
            return NextAction::Close;
        }
        let end = self.idle_since + timeouts.idle;
        if end > now {
            return NextAction::KeepUntil(end);
        }
        self.is_draining = true;
        NextAction::Drain(now + timeouts.head)
    }
}

fn lock(conn: &Mutex<ConnectionState>) -> MutexGuard<'_, ConnectionState> {
    conn.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts a request as in flight from its head until its response was sent or dropped.
struct RequestGuard(Arc<Mutex<ConnectionState>>);

impl RequestGuard {
    fn start(conn: &Arc<Mutex<ConnectionState>>) -> Self {
        let mut state = lock(conn);
        state.has_requested = true;
        state.in_flight = state.in_flight.saturating_add(1);
        Self(conn.clone())
    }

    fn track(self, answer: Response) -> http::Response<TrackedBody> {
        answer.map(|body| TrackedBody { body, _guard: self })
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        let mut state = lock(&self.0);
        state.in_flight = state.in_flight.saturating_sub(1);
        state.idle_since = Instant::now();
    }
}

/// A response body that holds the request's guard.
struct TrackedBody {
    body: Body,
    _guard: RequestGuard,
}

impl hyper::body::Body for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::{ConnectionState, NextAction, Timeouts};
    use std::time::Duration;
    use tokio::time::Instant;

    const SECOND: Duration = Duration::from_secs(1);
    const TIMEOUTS: Timeouts = Timeouts { head: SECOND, idle: Duration::from_secs(10) };

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_request_ends_and_a_running_request_stays() {
        let start = Instant::now();
        let mut conn = ConnectionState::new(start);
        let end = start + SECOND;
        assert_eq!(conn.next_action(start, TIMEOUTS), NextAction::KeepUntil(end));
        assert_eq!(conn.next_action(end, TIMEOUTS), NextAction::Close);
        (conn.has_requested, conn.in_flight) = (true, 1);
        let late = start + SECOND * 100;
        assert_eq!(conn.next_action(late, TIMEOUTS), NextAction::KeepUntil(late + SECOND * 10));
    }

    #[tokio::test(start_paused = true)]
    async fn an_idle_connection_is_drained_and_then_closed() {
        let start = Instant::now();
        let mut conn = ConnectionState::new(start);
        (conn.has_requested, conn.idle_since) = (true, start + SECOND * 5);
        let until = start + SECOND * 15;
        assert_eq!(conn.next_action(start + SECOND * 10, TIMEOUTS), NextAction::KeepUntil(until));
        assert_eq!(conn.next_action(until, TIMEOUTS), NextAction::Drain(until + SECOND));
        // A request that was sent before the client saw the shutdown is answered.
        conn.in_flight = 1;
        let then = until + SECOND;
        assert_eq!(conn.next_action(then, TIMEOUTS), NextAction::KeepUntil(then + SECOND * 10));
        conn.in_flight = 0;
        assert_eq!(conn.next_action(then, TIMEOUTS), NextAction::Close);
    }
}

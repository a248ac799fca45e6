//! One connection from the internet: it is closed when its first request does not arrive in time,
//! when it was idle for too long, when its client does not read, and under a flood.

use std::convert::Infallible;
use std::future::ready;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use axum::Router;
use axum::extract::ConnectInfo;
use futures::future::Either;
use http::{Method, Request};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use runtime::Shutdown;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};
use tower::ServiceExt as _;

use crate::config::ConnectionSettings;
use crate::refusals::Refusal;
use crate::request_context::GatewayState;
use crate::server::activity::{Activity, NextAction, Timeouts, Watchdog};
use crate::server::metered_stream::MeteredStream;
use crate::server::tracked_body::OpenRequest;

/// Requests at once per HTTP/2 connection; a page needs fewer.
const STREAMS_MAX: u32 = 64;
/// The head of a request: an access token has 8 KiB at most, and there are few cookies. hyper reads
/// HTTP/1 into a buffer of this size, so a connection takes no more memory before its head is read.
const HEAD_BYTES_MAX: usize = 16 * 1024;
const HEADER_LIST_BYTES_MAX: u32 = 16 * 1024;
/// What an HTTP/2 client may send before it is read, per request and per connection. hyper's
/// default of 1 MiB would be outside of the memory budget.
const STREAM_WINDOW_BYTES: u32 = 64 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 128 * 1024;
/// What may wait to be sent per HTTP/2 request.
const SEND_BUFFER_BYTES: usize = 64 * 1024;
/// HTTP/2 requests that a client resets before they begin, and errors that it causes, until the
/// connection is closed.
const PENDING_RESETS_MAX: usize = 20;
const ERROR_RESETS_MAX: usize = 100;

/// Serves connections; shared by all of them.
pub(super) struct ConnectionServer {
    builder: Builder<TokioExecutor>,
    state: Arc<GatewayState>,
    router: Router,
    timeouts: Timeouts,
    shutdown: Shutdown,
}

impl ConnectionServer {
    pub(super) fn new(
        settings: &ConnectionSettings,
        (state, router): (Arc<GatewayState>, Router),
        shutdown: Shutdown,
    ) -> Self {
        let timeouts = Timeouts {
            head: settings.head_timeout,
            idle: settings.idle_timeout,
            write: settings.write_timeout,
        };
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(timeouts.head)
            .max_buf_size(HEAD_BYTES_MAX);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(timeouts.head)
            .max_concurrent_streams(STREAMS_MAX)
            .max_header_list_size(HEADER_LIST_BYTES_MAX)
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .max_send_buf_size(SEND_BUFFER_BYTES)
            .max_pending_accept_reset_streams(PENDING_RESETS_MAX)
            .max_local_error_reset_streams(ERROR_RESETS_MAX);
        Self { builder, state, router, timeouts, shutdown }
    }

    /// Serves a connection until it ends.
    pub(super) async fn serve(
        &self,
        stream: TcpStream,
        (peer, activity): (SocketAddr, &Arc<Activity>),
    ) {
        let service = service_fn(|request: Request<Incoming>| {
            let open = OpenRequest::start(activity);
            let is_head = request.method() == Method::HEAD;
            if let Some(answer) = self.state.try_answer(peer.ip(), &request) {
                return Either::Left(ready(Ok::<_, Infallible>(open.track(answer, is_head))));
            }
            let mut request = request.map(|body| open.body(body));
            request.extensions_mut().insert(ConnectInfo::<SocketAddr>(peer));
            let answer = self.router.clone().oneshot(request);
            Either::Right(async move { answer.await.map(|answer| open.track(answer, is_head)) })
        });
        let stream = TokioIo::new(MeteredStream::new(stream, activity.clone()));
        let mut connection = pin!(self.builder.serve_connection(stream, service));
        let mut stop = pin!(self.shutdown.wait());
        let mut stopping = false;
        let mut eviction = pin!(activity.evicted());
        let mut evicted = false;
        let mut watchdog = Watchdog::new(activity.clone(), self.timeouts);
        let mut deadline = pin!(sleep_until(watchdog.first_check()));
        loop {
            tokio::select! {
                biased;
                ended = connection.as_mut() => {
                    // A broken connection of a client is normal.
                    if let Err(error) = ended {
                        if activity.is_flood() {
                            Refusal::Flood.count();
                        }
                        tracing::debug!(error = %error, "a connection broke");
                    }
                    return;
                }
                () = &mut stop, if !stopping => {
                    stopping = true;
                    connection.as_mut().graceful_shutdown();
                }
                () = &mut eviction, if !evicted => {
                    evicted = true;
                    connection.as_mut().graceful_shutdown();
                    deadline.as_mut().reset(watchdog.begin_drain(Instant::now()));
                }
                () = &mut deadline => match watchdog.next_action(Instant::now()) {
                    NextAction::KeepUntil(instant) => deadline.as_mut().reset(instant),
                    NextAction::Drain(instant) => {
                        connection.as_mut().graceful_shutdown();
                        deadline.as_mut().reset(instant);
                    }
                    NextAction::Close => {
                        if activity.waits_for_client() {
                            Refusal::SlowReader.count();
                        }
                        return;
                    }
                }
            }
        }
    }
}

//! One connection from the open internet: it is closed when its first request does not come in
//! time, and when no request has come for a while.

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

use crate::edge::Edge;
use crate::server::ConnectionSettings;

/// A page needs fewer answers at once; one connection shall not ask for hundreds.
const STREAMS_MAX: u32 = 64;

/// What every connection is served with.
pub(crate) struct Host {
    builder: Builder<TokioExecutor>,
    edge: Arc<Edge>,
    router: Router,
    patience: Patience,
    shutdown: Shutdown,
}

/// How long a connection is kept.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// Without a first request, and for the head of each.
    head: Duration,
    /// Without a request since the last one.
    idle: Duration,
}

impl Host {
    pub(crate) fn new(
        settings: &ConnectionSettings,
        (edge, router): (Arc<Edge>, Router),
        shutdown: Shutdown,
    ) -> Self {
        let patience = Patience { head: settings.head, idle: settings.idle };
        let mut builder = Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(patience.head);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(patience.head)
            .max_concurrent_streams(STREAMS_MAX);
        Self { builder, edge, router, patience, shutdown }
    }

    /// Serves a connection until it ends.
    pub(crate) async fn serve(&self, stream: TcpStream, peer: SocketAddr) {
        let visit = Arc::new(Mutex::new(Visit::new(Instant::now())));
        let service = service_fn(|request: Request<Incoming>| {
            let turn = Turn::begin(&visit);
            if let Some(answer) = self.edge.at_hand(peer.ip(), &request) {
                return Either::Left(ready(Ok::<_, Infallible>(turn.until_sent(answer))));
            }
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(ConnectInfo::<SocketAddr>(peer));
            let answer = self.router.clone().oneshot(request);
            Either::Right(async move { answer.await.map(|answer| turn.until_sent(answer)) })
        });
        let stream = connected(stream);
        let mut connection = pin!(self.builder.serve_connection_with_upgrades(stream, service));
        let mut stop = pin!(self.shutdown.wait());
        let mut stopping = false;
        let first = self.patience.head.min(self.patience.idle);
        let mut look = pin!(sleep_until(locked(&visit).accepted + first));
        loop {
            tokio::select! {
                biased;
                ended = connection.as_mut() => {
                    // What breaks here is the client's connection, which happens all day.
                    if let Err(error) = ended {
                        tracing::debug!(error = %error, "a connection broke");
                    }
                    return;
                }
                () = &mut stop, if !stopping => {
                    stopping = true;
                    connection.as_mut().graceful_shutdown();
                }
                () = &mut look => {
                    let verdict = locked(&visit).verdict(Instant::now(), self.patience);
                    match verdict {
                        Verdict::StaysUntil(instant) => look.as_mut().reset(instant),
                        Verdict::IsToLeave(instant) => {
                            connection.as_mut().graceful_shutdown();
                            look.as_mut().reset(instant);
                        }
                        Verdict::IsHungUpOn => return,
                    }
                }
            }
        }
    }
}

fn connected(stream: TcpStream) -> TokioIo<TcpStream> {
    // Small answers should not wait for company; without it they are only slower.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(error = %error, "a connection keeps its delay");
    }
    TokioIo::new(stream)
}

/// What a connection is used for.
struct Visit {
    accepted: Instant,
    /// Whether a request has come.
    has_asked: bool,
    /// Requests that are not yet answered to the end.
    running: usize,
    /// When the last of them was.
    idle_since: Instant,
    /// Whether the client was asked to leave.
    is_leaving: bool,
}

/// What becomes of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// It is left alone until then.
    StaysUntil(Instant),
    /// It ends once what runs is answered, and is looked at again then.
    IsToLeave(Instant),
    /// It ends now.
    IsHungUpOn,
}

impl Visit {
    fn new(accepted: Instant) -> Self {
        Self { accepted, has_asked: false, running: 0, idle_since: accepted, is_leaving: false }
    }

    fn verdict(&mut self, now: Instant, patience: Patience) -> Verdict {
        if !self.has_asked {
            let end = self.accepted + patience.head;
            return if end > now { Verdict::StaysUntil(end) } else { Verdict::IsHungUpOn };
        }
        if self.running > 0 {
            return Verdict::StaysUntil(now + patience.idle);
        }
        if self.is_leaving {
            return Verdict::IsHungUpOn;
        }
        let end = self.idle_since + patience.idle;
        if end > now {
            return Verdict::StaysUntil(end);
        }
        self.is_leaving = true;
        Verdict::IsToLeave(now + patience.head)
    }
}

fn locked(visit: &Mutex<Visit>) -> MutexGuard<'_, Visit> {
    visit.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One request, from its head until its answer was sent or given up.
struct Turn(Arc<Mutex<Visit>>);

impl Turn {
    fn begin(visit: &Arc<Mutex<Visit>>) -> Self {
        let mut asked = locked(visit);
        asked.has_asked = true;
        asked.running = asked.running.saturating_add(1);
        Self(visit.clone())
    }

    fn until_sent(self, answer: Response) -> http::Response<Sent> {
        answer.map(|body| Sent { body, _turn: self })
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut asked = locked(&self.0);
        asked.running = asked.running.saturating_sub(1);
        asked.idle_since = Instant::now();
    }
}

/// An answer's body; the request's turn ends with it.
struct Sent {
    body: Body,
    _turn: Turn,
}

impl hyper::body::Body for Sent {
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
    use super::{Patience, Verdict, Visit};
    use std::time::Duration;
    use tokio::time::Instant;

    const SECOND: Duration = Duration::from_secs(1);
    const PATIENCE: Patience = Patience { head: SECOND, idle: Duration::from_secs(10) };

    #[tokio::test(start_paused = true)]
    async fn what_has_asked_nothing_ends_and_what_runs_stays() {
        let begin = Instant::now();
        let mut visit = Visit::new(begin);
        let end = begin + SECOND;
        assert_eq!(visit.verdict(begin, PATIENCE), Verdict::StaysUntil(end));
        assert_eq!(visit.verdict(end, PATIENCE), Verdict::IsHungUpOn);
        (visit.has_asked, visit.running) = (true, 1);
        let late = begin + SECOND * 100;
        assert_eq!(visit.verdict(late, PATIENCE), Verdict::StaysUntil(late + SECOND * 10));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_idle_is_asked_to_leave_and_then_hung_up_on() {
        let begin = Instant::now();
        let mut visit = Visit::new(begin);
        (visit.has_asked, visit.idle_since) = (true, begin + SECOND * 5);
        let until = begin + SECOND * 15;
        assert_eq!(visit.verdict(begin + SECOND * 10, PATIENCE), Verdict::StaysUntil(until));
        assert_eq!(visit.verdict(until, PATIENCE), Verdict::IsToLeave(until + SECOND));
        // What it asked before it heard is answered.
        visit.running = 1;
        let then = until + SECOND;
        assert_eq!(visit.verdict(then, PATIENCE), Verdict::StaysUntil(then + SECOND * 10));
        visit.running = 0;
        assert_eq!(visit.verdict(then, PATIENCE), Verdict::IsHungUpOn);
    }
}

//! Accepts connections from the internet and closes at once those over the maximum: in a queue,
//! honest clients would wait behind silent ones.

mod connection;
mod open_connections;
mod tracked_body;
mod metered_stream;
mod activity;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use runtime::Shutdown;
use runtime::scope::carried;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout};

use crate::config::ConnectionSettings;
use crate::refusals::Refusal;
use crate::request_context::GatewayState;
use crate::server::connection::ConnectionServer;
use crate::server::open_connections::OpenConnections;

/// How long requests in flight may take after shutdown began.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);
/// Pause before the next accept when the system is out of file handles.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Interval between log lines about rejected connections, instead of one line each.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

impl ConnectionSettings {
    /// Reduces the maximum so that each connection has two files: a request that is forwarded needs
    /// a second one.
    #[must_use]
    pub(crate) fn limited_by_files(mut self, files: Option<u64>) -> Self {
        let room = files.and_then(|files| usize::try_from(files / 2).ok()).unwrap_or(usize::MAX);
        if room < self.max {
            tracing::warn!(room, wanted = self.max, "the system allows few open files");
            self.max = room;
        }
        self
    }
}

/// Raises the limit of open files to the maximum that the system allows, and returns it; `None` if
/// there is no limit.
pub(crate) fn raise_file_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(error = %error, "the limit of open files stays as it is");
        return limit.current;
    }
    limit.maximum
}

/// Serves until shutdown, and until requests in flight have finished or timed out.
pub(crate) async fn serve(
    listener: TcpListener,
    settings: &ConnectionSettings,
    (state, router): (Arc<GatewayState>, Router),
    shutdown: &Shutdown,
) {
    let all = OpenConnections::new(settings.max, settings.share);
    let proxies = state.proxies.clone();
    let host = Arc::new(ConnectionServer::new(settings, (state, router), shutdown.clone()));
    // Each connection holds a receiver, so the sender sees when the last has ended.
    let (open, _) = watch::channel(());
    let mut rejections = RejectionLog::default();
    let stop = shutdown.wait();
    tokio::pin!(stop);
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                let Some(place) = all.try_open(peer.ip(), proxies.contains(peer.ip())) else {
                    rejections.record();
                    continue;
                };
                let (host, open) = (host.clone(), open.subscribe());
                tokio::spawn(carried(async move {
                    host.serve(stream, (peer, &place.activity)).await;
                    drop((place, open));
                }));
            }
            Err(error) => {
                tracing::warn!(error = %error, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    if timeout(DRAIN_TIMEOUT, open.closed()).await.is_err() {
        tracing::warn!("requests were still running when the time to finish them was over");
    }
}

/// Logs connections that were closed because the maximum was reached.
#[derive(Default)]
struct RejectionLog {
    last_logged: Option<Instant>,
    rejected: u64,
}

impl RejectionLog {
    fn record(&mut self) {
        Refusal::Connection.count();
        self.rejected = self.rejected.saturating_add(1);
        if self.last_logged.is_none_or(|last_logged| last_logged.elapsed() >= LOG_INTERVAL) {
            tracing::warn!(refused = self.rejected, "connections were closed: there is no room");
            self.last_logged = Some(Instant::now());
            self.rejected = 0;
        }
    }
}

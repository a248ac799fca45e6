//! What belongs to one service and not to its process, so that several services may run in one: its
//! name, its TLS identity, its readiness and its failpoints.
//!
//! It travels with the work. Loops of [`crate::Tasks`], requests of [`crate::server`] and tasks of
//! [`spawn`] have it; a task of `tokio::spawn` has none.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::Either;
use tokio::task::JoinHandle;
use tracing::Instrument as _;

use crate::tls::Tls;

tokio::task_local! {
    static CURRENT: Scope;
}

/// One service of a process. Clones share one state.
#[derive(Debug, Clone)]
pub struct Scope {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    service: &'static str,
    tls: Option<Tls>,
    failpoints: Option<PathBuf>,
    /// Whether other services run in its process.
    shares_process: bool,
    /// Whether its last checks were good; not before their first run.
    is_ready: AtomicBool,
}

impl Scope {
    /// A service with its own certificates, if TLS is on, and the folder of its failpoints.
    pub(crate) fn new(
        service: &'static str,
        tls: Option<Tls>,
        failpoints: Option<PathBuf>,
        shares_process: bool,
    ) -> Self {
        let is_ready = AtomicBool::new(false);
        Self { inner: Arc::new(Inner { service, tls, failpoints, shares_process, is_ready }) }
    }

    /// The service that is at work here.
    pub(crate) fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok()
    }

    /// Does work as this service.
    pub(crate) fn within<F: Future>(self, work: F) -> impl Future<Output = F::Output> {
        CURRENT.scope(self, work)
    }

    /// Does work that does not wait as this service.
    pub(crate) fn within_sync<T>(&self, work: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self.clone(), work)
    }

    /// Its name, in logs and before its failpoints.
    pub(crate) fn service(&self) -> &'static str {
        self.inner.service
    }

    /// Its name, if others run in its process: what is told for all of them has to name it.
    pub(crate) fn name_among_others(&self) -> Option<&'static str> {
        self.inner.shares_process.then_some(self.inner.service)
    }

    /// Where it notes its failpoints; nowhere in a release build.
    #[cfg_attr(
        not(debug_assertions),
        expect(dead_code, reason = "release builds have no failpoints")
    )]
    pub(crate) fn failpoints(&self) -> Option<&Path> {
        self.inner.failpoints.as_deref()
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.inner.is_ready.load(Ordering::Relaxed)
    }

    pub(crate) fn set_ready(&self, is_ready: bool) {
        self.inner.is_ready.store(is_ready, Ordering::Relaxed);
    }
}

/// The TLS identity of the service that is at work here, if TLS is on.
#[must_use]
pub fn tls() -> Option<Tls> {
    Scope::current()?.inner.tls.clone()
}

/// `work` as a part of the service that is at work here, wherever it is polled.
pub fn carried<F: Future>(work: F) -> impl Future<Output = F::Output> {
    carried_by(Scope::current(), work)
}

pub(crate) fn carried_by<F: Future>(
    scope: Option<Scope>,
    work: F,
) -> impl Future<Output = F::Output> {
    match scope {
        Some(scope) => Either::Left(scope.within(work)),
        None => Either::Right(work),
    }
}

/// Starts a task that belongs to the service and to the trace of its caller.
pub fn spawn<F>(work: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    tokio::spawn(carried(work).in_current_span())
}

#[cfg(test)]
mod tests {
    use super::{Scope, spawn};

    fn here() -> Option<&'static str> {
        Scope::current().map(|scope| scope.service())
    }

    #[tokio::test]
    async fn work_of_two_services_in_one_process_stays_apart() {
        let work = async || (here(), spawn(async { here() }).await.unwrap());
        let [booking, payments] =
            ["booking", "payments"].map(|it| Scope::new(it, None, None, true));
        let (first, second) = tokio::join!(booking.within(work()), payments.within(work()));
        assert_eq!(first, (Some("booking"), Some("booking")));
        assert_eq!(second, (Some("payments"), Some("payments")));
    }
}

//! Gauges whose values are read when they are asked for: from a pool, or from a database with a
//! cheap query, and then at most once in some seconds however many ask.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, join_all};
use opentelemetry::KeyValue;
use tokio::time::{Instant, timeout};

use super::catalogue::{GAUGES, SOURCE_FAILING};
use super::instrument::Gauge;
use super::label::Label;
use super::meter::meter;
use crate::error::BoxError;
use crate::scope::{Scope, carried_by};
use crate::status;

/// How long readings are reused if their source costs a few index look-ups.
pub const CHEAP: Duration = Duration::from_secs(5);
/// How long readings are reused if their source reads more: a day's entries, a list of exceptions.
pub const COSTLY: Duration = Duration::from_secs(30);
/// How long one source may take; then its gauges are absent.
const READ_TIMEOUT: Duration = Duration::from_secs(3);

/// One value of a gauge.
#[derive(Debug, Clone)]
pub struct Reading {
    gauge: &'static Gauge,
    value: i64,
    labels: Vec<KeyValue>,
}

impl Reading {
    /// A gauge's value with these labels, in the gauge's unit.
    #[must_use]
    pub fn new(gauge: &'static Gauge, value: i64, labels: impl Into<Vec<KeyValue>>) -> Self {
        let labels = labels.into();
        gauge.hold_to(&labels);
        Self { gauge, value, labels }
    }

    /// The value of a gauge without labels.
    #[must_use]
    pub fn plain(gauge: &'static Gauge, value: i64) -> Self {
        Self::new(gauge, value, Vec::new())
    }

    /// The gauge's name, the labels' values and the value: for tests.
    #[must_use]
    pub fn told(&self) -> (&'static str, Vec<String>, i64) {
        let labels = self.labels.iter().map(|label| label.value.as_str().into_owned());
        (self.gauge.definition().name, labels.collect(), self.value)
    }
}

type Read = dyn Fn() -> BoxFuture<'static, Result<Vec<Reading>, BoxError>> + Send + Sync;

#[derive(Clone)]
struct Source {
    name: &'static str,
    /// The service that added it.
    scope: Option<Scope>,
    fresh_for: Duration,
    read: Arc<Read>,
    readings: Arc<Mutex<Readings>>,
}

#[derive(Default)]
struct Readings {
    read_at: Option<Instant>,
    is_failing: bool,
    list: Vec<Reading>,
}

static SOURCES: Mutex<Vec<Source>> = Mutex::new(Vec::new());
static REFRESH: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// Adds the readings of `read` to this process's metrics. It runs when metrics are asked for and
/// its last readings are older than `fresh_for`. Nothing is added if metrics are off. A later
/// source of a service replaces its earlier one of the same name.
pub fn add_source<F>(
    name: &'static str,
    fresh_for: Duration,
    read: impl Fn() -> F + Send + Sync + 'static,
) where
    F: Future<Output = Result<Vec<Reading>, BoxError>> + Send + 'static,
{
    if meter().is_none() {
        return;
    }
    let read: Arc<Read> = Arc::new(move || read().boxed());
    let added = Source { name, scope: Scope::current(), fresh_for, read, readings: Arc::default() };
    let mut sources = held(&SOURCES);
    sources.retain(|source| source.name != name || source.service() != added.service());
    sources.push(added);
}

/// Makes the gauges. It is called once, when metrics are turned on.
pub(super) fn make_gauges() {
    let Some(meter) = meter() else { return };
    for gauge in GAUGES {
        let definition = gauge.definition();
        meter
            .i64_observable_gauge(definition.name)
            .with_unit(definition.unit)
            .with_description(definition.meaning)
            .with_callback(move |observer| {
                for reading in current() {
                    if std::ptr::eq(reading.gauge, gauge) {
                        observer.observe(reading.value, &reading.labels);
                    }
                }
            })
            .build();
    }
}

/// Reads every source whose readings are too old.
pub(super) async fn refresh() {
    // Requests at the same time wait for the readings of the first one.
    let _one_at_a_time = REFRESH.lock().await;
    let sources = held(&SOURCES).clone();
    join_all(sources.iter().map(Source::refresh)).await;
}

impl Source {
    /// The service that added it, if others run in its process.
    fn service(&self) -> Option<&'static str> {
        self.scope.as_ref()?.name_among_others()
    }

    async fn refresh(&self) {
        let is_fresh = |at: Instant| at.elapsed() < self.fresh_for;
        if held(&self.readings).read_at.is_some_and(is_fresh) {
            return;
        }
        let list = match timeout(READ_TIMEOUT, carried_by(self.scope.clone(), (self.read)())).await
        {
            Ok(Ok(list)) => Some(list),
            Ok(Err(error)) => self.complain(&status::chain(error.as_ref())),
            Err(_elapsed) => self.complain("it took too long"),
        };
        let mut readings = held(&self.readings);
        readings.read_at = Some(Instant::now());
        readings.is_failing = list.is_none();
        // An old value would look like a good one.
        readings.list = list.unwrap_or_default();
    }

    fn complain(&self, error: &str) -> Option<Vec<Reading>> {
        tracing::warn!(source = self.name, error, "metrics cannot be read");
        None
    }
}

/// The last readings of all sources, and which sources fail.
fn current() -> Vec<Reading> {
    let mut all = Vec::new();
    for source in held(&SOURCES).iter() {
        let readings = held(&source.readings);
        let is_failing = i64::from(readings.is_failing);
        let state = Reading::new(&SOURCE_FAILING, is_failing, [Label::Check.of(source.name)]);
        let service = source.service().map(|name| Label::Service.of(name));
        all.extend(readings.list.iter().cloned().chain([state]).map(|mut reading| {
            reading.labels.extend(service.clone());
            reading
        }));
    }
    all
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic in another thread cannot leave the list half-written.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

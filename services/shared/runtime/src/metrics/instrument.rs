//! Instruments as statics: each is declared with its name, and made with the first value that is
//! recorded while metrics are on.

use std::sync::OnceLock;
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::metrics;

use super::label::{Label, with_service};
use super::meter::meter;

/// The buckets that the semantic conventions advise for the duration of requests, in seconds.
const BUCKETS: [f64; 14] =
    [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];

/// What a metric is.
#[derive(Debug, Clone, Copy)]
pub struct Definition {
    /// Its name, as the semantic conventions write names.
    pub name: &'static str,
    /// Its unit in UCUM: `s` is seconds; braces hold what is counted.
    pub unit: &'static str,
    /// Its meaning, as one sentence.
    pub meaning: &'static str,
    /// The labels that its points may have.
    pub labels: &'static [Label],
}

impl Definition {
    /// Tests notice a label that was not declared; Prometheus would take it as another series.
    fn hold_to(&self, labels: &[KeyValue]) {
        let is_declared =
            |one: &KeyValue| self.labels.iter().any(|label| label.word() == one.key.as_str());
        debug_assert!(labels.iter().all(is_declared), "{} has other labels", self.name);
    }
}

/// How long things take, and with that how often they happen.
#[derive(Debug)]
pub struct DurationHistogram {
    definition: Definition,
    made: OnceLock<metrics::Histogram<f64>>,
}

impl DurationHistogram {
    /// Declares one. Its unit is seconds.
    #[must_use]
    pub const fn new(name: &'static str, meaning: &'static str, labels: &'static [Label]) -> Self {
        let definition = Definition { name, unit: "s", meaning, labels };
        Self { definition, made: OnceLock::new() }
    }

    /// What it is.
    #[must_use]
    pub const fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Records that one took so long.
    pub fn record(&self, took: Duration, labels: &[KeyValue]) {
        let Some(meter) = meter() else { return };
        self.definition.hold_to(labels);
        let make = || {
            let builder = meter.f64_histogram(self.definition.name).with_unit(self.definition.unit);
            let builder = builder.with_description(self.definition.meaning);
            builder.with_boundaries(BUCKETS.to_vec()).build()
        };
        self.made.get_or_init(make).record(took.as_secs_f64(), &with_service(labels));
    }
}

/// How often something happened since the process began.
#[derive(Debug)]
pub struct Counter {
    definition: Definition,
    made: OnceLock<metrics::Counter<u64>>,
}

impl Counter {
    /// Declares one.
    #[must_use]
    pub const fn new(
        name: &'static str,
        unit: &'static str,
        meaning: &'static str,
        labels: &'static [Label],
    ) -> Self {
        let definition = Definition { name, unit, meaning, labels };
        Self { definition, made: OnceLock::new() }
    }

    /// What it is.
    #[must_use]
    pub const fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Adds to the counter; adding 0 begins the series, so that its first increase is seen.
    pub fn add(&self, more: u64, labels: &[KeyValue]) {
        let Some(meter) = meter() else { return };
        self.definition.hold_to(labels);
        let make = || {
            let builder = meter.u64_counter(self.definition.name).with_unit(self.definition.unit);
            builder.with_description(self.definition.meaning).build()
        };
        self.made.get_or_init(make).add(more, &with_service(labels));
    }
}

/// A value that is read when metrics are asked for. It comes from a source of readings.
#[derive(Debug)]
pub struct Gauge {
    definition: Definition,
}

impl Gauge {
    /// Declares one.
    #[must_use]
    pub const fn new(
        name: &'static str,
        unit: &'static str,
        meaning: &'static str,
        labels: &'static [Label],
    ) -> Self {
        Self { definition: Definition { name, unit, meaning, labels } }
    }

    /// What it is.
    #[must_use]
    pub const fn definition(&self) -> &Definition {
        &self.definition
    }

    pub(super) fn hold_to(&self, labels: &[KeyValue]) {
        self.definition.hold_to(labels);
    }
}

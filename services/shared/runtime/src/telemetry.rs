//! Logs on standard output with trace ids on each line, and traces to a collector if there is one.
//!
//! Traces exist without a collector too: ids are made and passed on, so that logs of several
//! services can be joined. Nothing here adds to the given fields; callers log ids only.

mod lines;
mod propagation;
mod services;

use std::net::SocketAddr;
use std::time::Duration;

use opentelemetry::global;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{EnvFilter, FilterExt as _, filter_fn};
use tracing_subscriber::fmt::format::JsonFields;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::{SubscriberInitExt as _, TryInitError};
use tracing_subscriber::{Layer, Registry};

use crate::settings::Reader;
pub use lines::{Form, Lines};
pub(crate) use propagation::server_span_of;
pub use propagation::{
    edge_span, event_span, http_span, inject, inject_headers, job_span, server_span, set_parent,
    traceparent,
};

/// How long the last spans may take to leave when the process stops.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// How a process shows what it does.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Which log lines are written, in the notation of tracing's `EnvFilter`; `LOG_FILTER`.
    pub filter: String,
    /// How a line looks; `LOG_FORMAT`.
    pub form: Form,
    /// Where traces go, over gRPC; `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub collector: Option<String>,
    /// Where Prometheus reads the metrics of a process that serves, an address that only the inside
    /// reaches; `METRICS_LISTEN`. Without it there are none.
    pub metrics: Option<SocketAddr>,
}

impl Settings {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        let filter = reader.text_or("LOG_FILTER", "info");
        if EnvFilter::try_new(&filter).is_err() {
            reader.problem("LOG_FILTER", "it is not a filter such as info or booking=debug,info");
        }
        Self {
            filter,
            form: reader.parse_or("LOG_FORMAT", Form::Json),
            collector: reader.optional_url("OTEL_EXPORTER_OTLP_ENDPOINT"),
            metrics: reader.optional_address("METRICS_LISTEN"),
        }
    }
}

/// Logs and traces cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The collector's address cannot be used.
    #[error("the trace exporter cannot be built")]
    Exporter(#[from] ExporterBuildError),
    /// Something in this process has set up logs before.
    #[error("logs are set up already")]
    Installed(#[from] TryInitError),
}

/// Exports traces; when it is dropped, it sends the remaining spans.
#[must_use = "traces stop when the guard is dropped"]
#[derive(Debug)]
pub struct Guard {
    provider: SdkTracerProvider,
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Err(error) = self.provider.shutdown_with_timeout(FLUSH_TIMEOUT) {
            tracing::warn!(error = %error, "the last spans were not sent");
        }
    }
}

/// Sets up logs and traces for the whole process. It must be called inside the tokio runtime, and
/// the guard must be dropped there.
///
/// # Errors
/// The collector's address cannot be used, or it was called before.
pub fn init(service: &'static str, settings: &Settings) -> Result<Guard, Error> {
    init_for(service, &[], settings)
}

/// The same for a process called `process` that runs several services, each of which has its own
/// log lines and spans.
pub(crate) fn init_for(
    process: &'static str,
    services: &[&'static str],
    settings: &Settings,
) -> Result<Guard, Error> {
    global::set_text_map_propagator(TraceContextPropagator::new());
    let provider = provider((process, services), settings.collector.as_deref())?;
    let lines = tracing_subscriber::fmt::layer()
        .fmt_fields(JsonFields::new())
        .event_format(Lines::new(process, settings.form))
        .with_filter(
            EnvFilter::new(&settings.filter)
                .or(filter_fn(is_traced_span).with_max_level_hint(LevelFilter::INFO)),
        );
    tracing_subscriber::registry().with(traces(process, &provider)).with(lines).try_init()?;
    log_panics();
    Ok(Guard { provider })
}

fn provider(
    (process, services): (&'static str, &[&'static str]),
    collector: Option<&str>,
) -> Result<SdkTracerProvider, ExporterBuildError> {
    let mut builder = SdkTracerProvider::builder()
        .with_resource(services::resource(process))
        .with_sampler(Sampler::AlwaysOn);
    if let Some(endpoint) = collector {
        let exporter = || {
            SpanExporter::builder()
                .with_tonic()
                .with_endpoint(endpoint)
                .with_timeout(Duration::from_secs(5))
                .build()
        };
        builder = if services.is_empty() {
            builder.with_batch_exporter(exporter()?)
        } else {
            let by_service = services::ByService::new(services, exporter)?;
            builder.with_span_processor(services::NameService).with_batch_exporter(by_service)
        };
    }
    Ok(builder.build())
}

/// The layer that turns spans into traces. Of the log lines only warnings and errors join them.
fn traces<S>(service: &'static str, provider: &SdkTracerProvider) -> impl Layer<S> + use<S>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    tracing_opentelemetry::layer()
        .with_tracer(provider.tracer(service))
        .with_location(false)
        .with_threads(false)
        .with_filter(
            filter_fn(|metadata| {
                is_traced_span(metadata)
                    || (metadata.is_event() && *metadata.level() <= Level::WARN)
            })
            .with_max_level_hint(LevelFilter::INFO),
        )
}

/// Our own spans make the trace whatever the log's filter says; `h2` and the like stay out of it.
fn is_traced_span(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && *metadata.level() <= LevelFilter::INFO
}

/// A panic is logged by its place only: its message may hold what a log must not.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panicked");
    }));
}

/// Runs `work` with traces and without logs: for tests of what passes a trace on.
#[doc(hidden)]
pub fn with_traces<T>(work: impl FnOnce() -> T) -> T {
    global::set_text_map_propagator(TraceContextPropagator::new());
    let provider = SdkTracerProvider::builder().with_sampler(Sampler::AlwaysOn).build();
    let subscriber = Registry::default().with(traces("test", &provider));
    tracing::subscriber::with_default(subscriber, work)
}

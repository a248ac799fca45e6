//! The process's one meter. There is none until the endpoint is opened.

use std::sync::OnceLock;

use opentelemetry::metrics::{Meter, MeterProvider as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use prometheus::Registry;

/// What lives as long as the process does.
struct Installed {
    registry: Registry,
    meter: Meter,
    /// Holds the instruments' figures.
    _provider: SdkMeterProvider,
}

static INSTALLED: OnceLock<Option<Installed>> = OnceLock::new();

/// The meter, where metrics are on.
pub(super) fn meter() -> Option<&'static Meter> {
    INSTALLED.get().and_then(Option::as_ref).map(|installed| &installed.meter)
}

/// Turns metrics on. The first call names the process.
pub(super) fn install(process: &'static str) -> Option<&'static Registry> {
    INSTALLED.get_or_init(|| build(process)).as_ref().map(|installed| &installed.registry)
}

fn build(process: &'static str) -> Option<Installed> {
    let registry = Registry::new();
    let exporter = opentelemetry_prometheus::exporter()
        .with_registry(registry.clone())
        // Every series would repeat the name of this crate.
        .scope_info_enabled(false)
        .build();
    let exporter = match exporter {
        Ok(exporter) => exporter,
        Err(error) => {
            tracing::error!(error = %error, "metrics cannot be set up");
            return None;
        }
    };
    let resource = Resource::builder().with_service_name(process).build();
    let provider =
        SdkMeterProvider::builder().with_resource(resource).with_reader(exporter).build();
    Some(Installed { registry, meter: provider.meter("sukoon"), _provider: provider })
}

//! Traces of several services in one process: each span leaves as one of its own service, as it
//! does where each service is a process.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join_all;
use opentelemetry::trace::Span as _;
use opentelemetry::{Context, Key, KeyValue};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{Span, SpanData, SpanExporter, SpanProcessor};

use crate::scope::Scope;

/// The name of a service, by the semantic conventions.
const SERVICE: Key = Key::from_static_str("service.name");

/// What a trace says of the process that its spans come from.
pub(super) fn resource(service: &'static str) -> Resource {
    Resource::builder().with_service_name(service).build()
}

/// Names the service that is at work on each span that begins.
#[derive(Debug)]
pub(super) struct NameService;

impl SpanProcessor for NameService {
    fn on_start(&self, span: &mut Span, _context: &Context) {
        if let Some(name) = Scope::current().and_then(|scope| scope.name_among_others()) {
            span.set_attribute(KeyValue::new(SERVICE, name));
        }
    }

    fn on_end(&self, _span: SpanData) {}

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _timeout: Duration) -> OTelSdkResult {
        Ok(())
    }
}

/// An exporter for each service, and one for what belongs to none.
#[derive(Debug)]
pub(super) struct ByService<E> {
    exporters: BTreeMap<&'static str, E>,
    process: E,
}

impl<E: SpanExporter> ByService<E> {
    /// Makes the exporters.
    ///
    /// # Errors
    /// When one cannot be made.
    pub(super) fn new<F>(
        services: &[&'static str],
        exporter: impl Fn() -> Result<E, F>,
    ) -> Result<Self, F> {
        let of = |service: &&'static str| {
            let mut own = exporter()?;
            own.set_resource(&resource(service));
            Ok((*service, own))
        };
        let exporters = services.iter().map(of).collect::<Result<_, F>>()?;
        Ok(Self { exporters, process: exporter()? })
    }

    fn of(&self, span: &SpanData) -> Option<&'static str> {
        let named = span.attributes.iter().find(|attribute| attribute.key == SERVICE)?;
        Some(*self.exporters.get_key_value(&*named.value.as_str())?.0)
    }
}

impl<E: SpanExporter> SpanExporter for ByService<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let mut parts: BTreeMap<Option<&'static str>, Vec<SpanData>> = BTreeMap::new();
        for span in batch {
            parts.entry(self.of(&span)).or_default().push(span);
        }
        let sent = parts.into_iter().map(|(service, spans)| {
            let own = service.and_then(|service| self.exporters.get(service));
            own.unwrap_or(&self.process).export(spans)
        });
        join_all(sent).await.into_iter().fold(Ok(()), Result::and)
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        let all = self.exporters.values().chain([&self.process]);
        let ended = all.map(|exporter| exporter.shutdown_with_timeout(timeout));
        ended.fold(Ok(()), Result::and)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.process.set_resource(resource);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use opentelemetry::trace::{Tracer as _, TracerProvider as _};
    use opentelemetry_sdk::Resource;
    use opentelemetry_sdk::error::OTelSdkResult;
    use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter};

    use super::{ByService, NameService, resource};
    use crate::scope::Scope;

    /// Keeps each span with the service that its exporter tells.
    #[derive(Debug, Clone, Default)]
    struct Seen {
        service: String,
        seen: Arc<Mutex<Vec<String>>>,
    }

    impl SpanExporter for Seen {
        async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
            let lines = batch.iter().map(|span| format!("{}: {}", self.service, span.name));
            self.seen.lock().unwrap().extend(lines);
            Ok(())
        }

        fn set_resource(&mut self, resource: &Resource) {
            let name = resource.get(&super::SERVICE);
            self.service = name.map(|name| name.to_string()).unwrap_or_default();
        }
    }

    #[test]
    fn spans_of_two_services_in_one_process_stay_apart() {
        let seen = Seen::default();
        let exporter = || Ok::<_, std::fmt::Error>(seen.clone());
        let by_service = ByService::new(&["booking", "payments"], exporter).unwrap();
        let provider = SdkTracerProvider::builder()
            .with_resource(resource("services"))
            .with_span_processor(NameService)
            .with_simple_exporter(by_service)
            .build();
        let tracer = provider.tracer("test");
        for service in ["payments", "booking"] {
            let scope = Scope::new(service, None, None, true);
            scope.within_sync(|| drop(tracer.start(format!("of {service}"))));
        }
        drop(tracer.start("of none"));
        let seen = seen.seen.lock().unwrap().clone();
        assert_eq!(seen, ["payments: of payments", "booking: of booking", "services: of none"]);
    }
}

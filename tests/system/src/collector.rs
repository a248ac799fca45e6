//! A trace collector that receives what an operator's OpenTelemetry collector would receive.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};

/// Spans by trace: each as `service: name`.
type Traces = BTreeMap<Vec<u8>, BTreeSet<String>>;

/// What was received.
#[derive(Default)]
struct Received {
    traces: Traces,
    /// Attributes and events of every span; they must hold no personal data.
    said: Vec<String>,
}

/// Receives traces on a port of its own while the test runs.
pub struct Collector {
    received: Arc<Mutex<Received>>,
    /// The value for `OTEL_EXPORTER_OTLP_ENDPOINT`.
    pub url: String,
}

struct Receiver(Arc<Mutex<Received>>);

#[tonic::async_trait]
impl TraceService for Receiver {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let mut received = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Received { traces, said } = &mut *received;
        for resource in request.into_inner().resource_spans {
            let attributes = resource.resource.iter().flat_map(|resource| &resource.attributes);
            let service = attributes
                .filter(|attribute| attribute.key == "service.name")
                .find_map(|attribute| match attribute.value.as_ref()?.value.as_ref()? {
                    Value::StringValue(name) => Some(name.clone()),
                    _ => None,
                })
                .unwrap_or_default();
            for span in resource.scope_spans.into_iter().flat_map(|scope| scope.spans) {
                let spans = traces.entry(span.trace_id).or_default();
                spans.insert(format!("{service}: {}", span.name));
                said.push(format!("{:?} {:?}", span.attributes, span.events));
            }
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

impl Collector {
    /// Starts to listen.
    pub async fn start() -> Result<Self> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let received = Arc::new(Mutex::new(Received::default()));
        let service = TraceServiceServer::new(Receiver(Arc::clone(&received)));
        let server = tonic::transport::Server::builder().add_service(service);
        tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
        Ok(Self { received, url })
    }

    /// The spans of the first trace that has all of these.
    #[must_use]
    pub fn trace_with(&self, wanted: &[&str]) -> Option<BTreeSet<String>> {
        let received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        let has = |spans: &BTreeSet<String>| {
            wanted.iter().all(|part| spans.iter().any(|span| span.contains(part)))
        };
        received.traces.values().find(|spans| has(spans)).cloned()
    }

    /// Everything received, with the spans' attributes and events.
    #[must_use]
    pub fn all(&self) -> String {
        let received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        let traces: Vec<_> = received.traces.values().collect();
        format!("{traces:#?}\n{}", received.said.join("\n"))
    }
}

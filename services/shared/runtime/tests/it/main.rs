//! What only a whole process can show: spans leave it for a collector, as one trace.

#![expect(clippy::unwrap_used, reason = "a helper that meets the unexpected fails its test there")]

mod observability;

use std::sync::Arc;

use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{
    TraceService, TraceServiceServer,
};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::trace::v1::Span;
use runtime::telemetry::{self, Form, Settings};
use tokio::sync::Mutex;
use tonic::{Request, Response, Status};

/// A collector that keeps what it gets.
#[derive(Clone, Default)]
struct Collector {
    got: Arc<Mutex<Vec<(String, Span)>>>,
}

#[tonic::async_trait]
impl TraceService for Collector {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        let mut got = self.got.lock().await;
        for resource in request.into_inner().resource_spans {
            let attributes = resource.resource.map(|r| r.attributes).unwrap_or_default();
            let service = attributes.into_iter().find(|a| a.key == "service.name");
            let service = format!("{:?}", service.and_then(|a| a.value));
            for scope in resource.scope_spans {
                got.extend(scope.spans.into_iter().map(|span| (service.clone(), span)));
            }
        }
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_and_the_event_that_follows_reach_the_collector_as_one_trace() {
    let collector = Collector::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let service = TraceServiceServer::new(collector.clone());
    let incoming = tonic::transport::server::TcpIncoming::from(listener);
    tokio::spawn(
        tonic::transport::Server::builder().add_service(service).serve_with_incoming(incoming),
    );

    // Traces do not depend on what the log shows.
    let settings = Settings {
        filter: "error".to_owned(),
        form: Form::Json,
        collector: Some(endpoint),
        metrics: None,
    };
    let guard = telemetry::init("booking", &settings).unwrap();
    assert!(telemetry::init("booking", &settings).is_err(), "once is enough");
    let request = http::Request::builder().uri("/booking.v1.BookingService/RequestBooking");
    let call = telemetry::server_span(&request.body(()).unwrap());
    let stored = call.in_scope(telemetry::traceparent);
    telemetry::event_span("booking.v1.BookingRequested", stored.as_deref()).in_scope(|| {
        tracing::debug!("not shown");
    });
    drop(call);
    // Dropping it sends what is left; that blocks, and needs this runtime to go on.
    tokio::task::spawn_blocking(move || drop(guard)).await.unwrap();

    let got = collector.got.lock().await;
    let named = |name: &str| got.iter().find(|(_, span)| span.name == name).unwrap();
    let (service, call) = named("booking.v1.BookingService/RequestBooking");
    let (_, event) = named("booking.v1.BookingRequested");
    assert!(service.contains("booking"), "{service}");
    assert_eq!(call.trace_id, event.trace_id);
    assert_eq!(call.span_id, event.parent_span_id);
    assert_eq!(got.len(), 2);
}

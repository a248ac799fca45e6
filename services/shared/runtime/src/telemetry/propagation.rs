//! How a trace goes from one process to the next: through gRPC, HTTP, events and timers.
//!
//! A parent must be set before a span is entered for the first time; afterwards it has no effect.
//! So the functions here make the spans, and `#[instrument]` on a handler is not enough for calls
//! from outside.

use http::HeaderMap;
use opentelemetry::Context;
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator as _};
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tonic::metadata::{MetadataKey, MetadataMap};
use tracing::Span;
use tracing::field::Empty;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::scope::Scope;

/// The name under which a trace travels in headers, metadata and events.
const TRACEPARENT: &str = "traceparent";

/// The current span as a W3C traceparent: for an event's metadata, a timer's row, a NATS header.
#[must_use]
pub fn traceparent() -> Option<String> {
    struct One(Option<String>);
    impl Injector for One {
        fn set(&mut self, key: &str, value: String) {
            if key == TRACEPARENT {
                self.0 = Some(value);
            }
        }
    }
    let mut one = One(None);
    TraceContextPropagator::new().inject_context(&Span::current().context(), &mut one);
    one.0
}

/// Makes `span` continue the trace of a traceparent. One that is not valid is ignored.
pub fn set_parent(span: &Span, traceparent: &str) {
    if let Some(parent) = context_of(traceparent) {
        // It fails for spans that are not recorded, and then there is no trace to continue.
        span.set_parent(parent).ok();
    }
}

/// The context that a traceparent names, if it is valid.
fn context_of(traceparent: &str) -> Option<Context> {
    struct One<'t>(&'t str);
    impl Extractor for One<'_> {
        fn get(&self, key: &str) -> Option<&str> {
            (key == TRACEPARENT).then_some(self.0)
        }
        fn keys(&self) -> Vec<&str> {
            vec![TRACEPARENT]
        }
    }
    let parent =
        TraceContextPropagator::new().extract_with_context(&Context::new(), &One(traceparent));
    let is_valid = parent.span().span_context().is_valid();
    is_valid.then_some(parent)
}

/// The span of a gRPC call that arrives; for tonic's `trace_fn`. Health checks have none.
pub fn server_span(request: &http::Request<()>) -> Span {
    let method = request.uri().path().trim_start_matches('/');
    if method.starts_with("grpc.health.") {
        return Span::none();
    }
    let span = tracing::info_span!(
        "rpc",
        otel.name = method,
        otel.kind = "server",
        rpc.system = "grpc",
        rpc.grpc.status_code = Empty,
        booking_id = Empty,
    );
    continue_from(&span, request.headers());
    span
}

/// The same as a span of the service that is called: tonic enters it before that is at work.
pub(crate) fn server_span_of(scope: Option<&Scope>, request: &http::Request<()>) -> Span {
    let span = server_span(request);
    // Whose it is, is asked when it begins, which this brings about.
    scope.inspect(|scope| scope.within_sync(|| drop(span.context())));
    span
}

/// The span of an HTTP request that arrives. `route` is the pattern that matched and never the
/// path itself, which may hold what a trace must not.
#[must_use]
pub fn http_span(method: &http::Method, route: &str, headers: &HeaderMap) -> Span {
    let span = new_http_span(method, route);
    continue_from(&span, headers);
    span
}

/// The same for a request from the internet: it begins a trace, because a client must not choose
/// the id under which others find theirs. A trace of the client is linked.
#[must_use]
pub fn edge_span(method: &http::Method, route: &str, headers: &HeaderMap) -> Span {
    let span = new_http_span(method, route);
    let traceparent = headers.get(TRACEPARENT).and_then(|value| value.to_str().ok());
    if let Some(linked) = traceparent.and_then(context_of) {
        span.add_link(linked.span().span_context().clone());
    }
    span
}

fn new_http_span(method: &http::Method, route: &str) -> Span {
    tracing::info_span!(
        "http",
        otel.name = format!("{method} {route}"),
        otel.kind = "server",
        http.response.status_code = Empty,
        booking_id = Empty,
    )
}

/// The span in which an event is handled, as a part of the trace in which it was recorded.
#[must_use]
pub fn event_span(name: &str, traceparent: Option<&str>) -> Span {
    let span =
        tracing::info_span!("event", otel.name = name, otel.kind = "consumer", booking_id = Empty);
    traceparent.inspect(|parent| set_parent(&span, parent));
    span
}

/// The span of a timer's or worker's job, as a part of the trace that asked for it.
#[must_use]
pub fn job_span(name: &str, traceparent: Option<&str>) -> Span {
    let span =
        tracing::info_span!("job", otel.name = name, otel.kind = "internal", booking_id = Empty);
    traceparent.inspect(|parent| set_parent(&span, parent));
    span
}

/// Passes the current trace on in an outgoing gRPC call.
pub fn inject(metadata: &mut MetadataMap) {
    if let Some(value) = traceparent().and_then(|text| text.parse().ok()) {
        metadata.insert(MetadataKey::from_static(TRACEPARENT), value);
    }
}

/// Passes the current trace on in an outgoing HTTP request or NATS message.
pub fn inject_headers(headers: &mut HeaderMap) {
    if let Some(value) = traceparent().and_then(|text| text.parse().ok()) {
        headers.insert(TRACEPARENT, value);
    }
}

fn continue_from(span: &Span, headers: &HeaderMap) {
    if let Some(parent) = headers.get(TRACEPARENT).and_then(|value| value.to_str().ok()) {
        set_parent(span, parent);
    }
}

#[cfg(test)]
mod tests {
    use super::{event_span, inject, inject_headers, job_span, server_span, traceparent};
    use crate::telemetry::with_traces;

    const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn trace_id(traceparent: &str) -> &str {
        traceparent.split('-').nth(1).unwrap()
    }

    #[test]
    fn a_trace_goes_through_grpc_an_event_and_a_timer() {
        with_traces(|| {
            let request = http::Request::builder()
                .uri("/booking.v1.BookingService/RequestBooking")
                .header("traceparent", PARENT)
                .body(())
                .unwrap();
            let stored = server_span(&request).in_scope(traceparent).unwrap();
            assert_eq!(trace_id(&stored), trace_id(PARENT));
            assert_ne!(stored, PARENT, "it is a span of its own");
            let handled = event_span("x", Some(&stored)).in_scope(traceparent).unwrap();
            let done = job_span("y", Some(&handled)).in_scope(traceparent).unwrap();
            assert_eq!(trace_id(&done), trace_id(PARENT));
        });
    }

    #[test]
    fn what_is_injected_is_the_current_span() {
        with_traces(|| {
            job_span("x", None).in_scope(|| {
                let current = traceparent().unwrap();
                let mut metadata = tonic::metadata::MetadataMap::new();
                inject(&mut metadata);
                assert_eq!(metadata.get("traceparent").unwrap().to_str().unwrap(), current);
                let mut headers = http::HeaderMap::new();
                inject_headers(&mut headers);
                assert_eq!(headers.get("traceparent").unwrap().to_str().unwrap(), current);
            });
        });
    }

    #[test]
    fn rubbish_begins_a_new_trace() {
        with_traces(|| {
            let own = event_span("x", Some("rubbish")).in_scope(traceparent).unwrap();
            assert_ne!(trace_id(&own), trace_id(PARENT));
        });
    }

    #[test]
    fn outside_every_span_there_is_none() {
        with_traces(|| assert_eq!(traceparent(), None));
    }
}

//! Records each gRPC call: the code on its span, and how long it took.

use std::task::{Context, Poll};

use futures::future::BoxFuture;
use http::{Request, Response};
use tokio::time::Instant;
use tonic::body::Body;
use tower::{Layer, Service};
use tracing::Span;

use crate::metrics::catalogue::RPC_SERVER_CALL_DURATION;
use crate::metrics::{self, Label};
use crate::scope::{Scope, carried_by};

/// The names of gRPC's codes, by their numbers.
const CODES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];
/// The codes that are failures of the server, by the semantic conventions.
const FAILURES: [&str; 6] =
    ["UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"];
/// The call was dropped before its answer: the caller went away, or the deadline was over.
const DROPPED: &str = "CANCELLED";

/// Records the calls of the services behind it, and answers them as the service that serves.
#[derive(Debug, Clone)]
pub(super) struct CallLayer(pub(super) Option<Scope>);

impl<S> Layer<S> for CallLayer {
    type Service = CallService<S>;

    fn layer(&self, inner: S) -> CallService<S> {
        CallService { inner, scope: self.0.clone() }
    }
}

#[derive(Debug, Clone)]
pub(super) struct CallService<S> {
    inner: S,
    scope: Option<Scope>,
}

impl<S, B> Service<Request<B>> for CallService<S>
where
    S: Service<Request<B>, Response = Response<Body>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<S::Response, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let call = Call::begin(request.uri().path());
        let answered = self.inner.call(request);
        Box::pin(carried_by(self.scope.clone(), async move {
            let response = answered.await?;
            // A status without a message is in the headers. One that follows a message is not seen
            // here; such a call has begun well.
            let code = response.headers().get("grpc-status");
            let code = code.and_then(|value| value.to_str().ok()).unwrap_or("0");
            Span::current().record("rpc.grpc.status_code", code);
            if let Some(mut call) = call {
                call.end(code);
            }
            Ok(response)
        }))
    }
}

/// A call that is measured; it is recorded when it is dropped.
struct Call {
    method: String,
    began: Instant,
    code: &'static str,
}

impl Call {
    /// None where metrics are off, and for health checks.
    fn begin(path: &str) -> Option<Self> {
        let method = path.trim_start_matches('/');
        let is_measured = metrics::is_on() && !method.starts_with("grpc.health.");
        is_measured.then(|| Self {
            method: method.to_owned(),
            began: Instant::now(),
            code: DROPPED,
        })
    }

    fn end(&mut self, code: &str) {
        let number = code.parse::<usize>().ok();
        self.code = number.and_then(|number| CODES.get(number)).copied().unwrap_or("UNKNOWN");
        if self.code == "UNIMPLEMENTED" {
            // A caller may ask for any name.
            "_OTHER".clone_into(&mut self.method);
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let method = Label::RpcMethod.of(std::mem::take(&mut self.method));
        let (system, code) = (Label::RpcSystem.of("grpc"), Label::RpcStatus.of(self.code));
        let took = self.began.elapsed();
        if FAILURES.contains(&self.code) {
            let error = Label::ErrorType.of(self.code);
            RPC_SERVER_CALL_DURATION.record(took, &[system, method, code, error]);
        } else {
            RPC_SERVER_CALL_DURATION.record(took, &[system, method, code]);
        }
    }
}

//! The public calls, forwarded one to one to the services. The gateway reads a message only to
//! convert between JSON and protobuf; it does not interpret it.

use std::collections::HashMap;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use connectrpc::dispatcher::{RequestStream, StreamingResult, UnaryResult};
use connectrpc::interceptor::{StreamRequest, StreamResponse, UnaryRequest, UnaryResponse};
use connectrpc::{
    CodecFormat, ConnectError, ConnectRpcService, DeadlinePolicy, Dispatcher, EncodedBody,
    EncodedResponse, EncodedStream, IdempotencyLevel, Interceptor, Limits, MethodDescriptor, Next,
    NextStream, Payload, PayloadStream, RequestContext, Response, StreamType,
};
use contract::reviews::v1::UnlockResponse;
use futures::StreamExt as _;
use http::{HeaderValue, header};
use prost::Message as _;
use runtime::Shutdown;

use crate::caller::Caller;
use crate::config::Upstreams;
use crate::error_response;
use crate::grant::GrantCookie;
use crate::procedures::{Procedure, Procedures, UNLOCK};
use crate::schema::{Method, Schema};
use crate::upstream::Upstream;

/// Far more than any valid call has, packed and unpacked; it protects memory.
pub(crate) const MESSAGE_BYTES_MAX: usize = 256 * 1024;
/// Maximum deadline; a caller may ask for less.
const DEADLINE: Duration = Duration::from_secs(15);
/// A stream without a message for this long has hung; booking ends its streams after a minute.
const STREAM_IDLE_TIMEOUT: Duration = Duration::from_secs(90);

/// The services below /rpc, without authorization and limits.
pub(crate) fn service(forwarder: Forwarder) -> ConnectRpcService<Forwarder> {
    let limits = Limits::unlimited()
        .with_max_request_body_size(MESSAGE_BYTES_MAX)
        .with_max_message_size(MESSAGE_BYTES_MAX);
    let deadlines = DeadlinePolicy::new()
        .with_max(DEADLINE)
        .with_default_timeout(DEADLINE)
        .with_inter_message_timeout(STREAM_IDLE_TIMEOUT);
    ConnectRpcService::new(forwarder)
        .with_limits(limits)
        .with_deadline_policy(deadlines)
        .with_interceptor(ErrorInterceptor)
}

/// The calls by their path without its slash, as the library looks them up.
pub(crate) struct Forwarder(HashMap<&'static str, Arc<Route>>);

/// A call with the service that has it.
struct Route {
    procedure: Procedure,
    method: Method,
    upstream: Arc<Upstream>,
    /// Whose response has a grant for it.
    grants: Option<GrantCookie>,
}

impl Forwarder {
    /// Forwards the calls that browsers may make.
    pub(crate) fn new(
        (schema, procedures): (&Schema, &Procedures),
        upstreams: &Upstreams,
        grants: &GrantCookie,
        shutdown: &Shutdown,
    ) -> Self {
        let packages = [
            ("booking", &upstreams.booking),
            ("catalogue", &upstreams.catalogue),
            ("notifications", &upstreams.notifications),
            ("payments", &upstreams.payments),
            ("reviews", &upstreams.reviews),
        ];
        let packages = packages.map(|(package, address)| {
            (package, Arc::new(Upstream::new(address.clone(), shutdown.clone())))
        });
        let route = |procedure: Procedure| {
            let path = procedure.spec.procedure;
            let key = path.trim_start_matches('/');
            let package = key.split('.').next();
            let (_package, upstream) = packages.iter().find(|(name, _)| Some(*name) == package)?;
            let method = schema.method(path)?.clone();
            let grants = (path == UNLOCK).then(|| grants.clone());
            Some((key, Arc::new(Route { procedure, method, upstream: upstream.clone(), grants })))
        };
        Self(procedures.all().filter_map(route).collect())
    }

    fn route(&self, path: &str, kind: StreamType) -> Option<Arc<Route>> {
        self.0.get(path).filter(|route| route.method.spec.stream_type == kind).cloned()
    }
}

impl Dispatcher for Forwarder {
    fn lookup(&self, path: &str) -> Option<MethodDescriptor> {
        let spec = self.0.get(path)?.method.spec;
        let is_read = spec.idempotency_level == IdempotencyLevel::NoSideEffects;
        let kind = MethodDescriptor::from_kind(spec.stream_type.into());
        Some(kind.with_idempotent(is_read).with_spec(spec))
    }

    fn call_unary(
        &self,
        path: &str,
        ctx: RequestContext,
        request: Payload,
        format: CodecFormat,
    ) -> UnaryResult {
        let Some(route) = self.route(path, StreamType::Unary) else {
            return Box::pin(ready(Err(unknown(path))));
        };
        Box::pin(async move { route.unary(&ctx, request.encoded()?, format).await })
    }

    fn call_server_streaming(
        &self,
        path: &str,
        ctx: RequestContext,
        request: Bytes,
        format: CodecFormat,
    ) -> StreamingResult {
        let Some(route) = self.route(path, StreamType::ServerStream) else {
            return Box::pin(ready(Err(unknown(path))));
        };
        Box::pin(async move { route.watch(&ctx, request, format).await })
    }

    /// Browsers can't send streams.
    fn call_client_streaming(
        &self,
        path: &str,
        _ctx: RequestContext,
        _requests: RequestStream,
        _format: CodecFormat,
    ) -> UnaryResult {
        Box::pin(ready(Err(unknown(path))))
    }

    fn call_bidi_streaming(
        &self,
        path: &str,
        _ctx: RequestContext,
        _requests: RequestStream,
        _format: CodecFormat,
    ) -> StreamingResult {
        Box::pin(ready(Err(unknown(path))))
    }
}

fn unknown(path: &str) -> ConnectError {
    ConnectError::unimplemented(format!("there is no such call: {path}"))
}

impl Route {
    async fn unary(
        &self,
        ctx: &RequestContext,
        request: Bytes,
        format: CodecFormat,
    ) -> Result<EncodedResponse, ConnectError> {
        let Method { input, output, .. } = &self.method;
        let request = input.read(request, format, ctx.decode_options())?;
        let mut answer = self.upstream.unary(ctx, self.procedure, request).await?;
        let mut cookie = None;
        if let Some(grants) = &self.grants {
            let (set, rest) = moved_grant(grants, &answer)?;
            (cookie, answer) = (Some(set), rest);
        }
        let body = output.write(answer, format)?;
        let mut response = Response::new(EncodedBody::from(body));
        if let Some(cookie) = cookie {
            response.headers.insert(header::SET_COOKIE, cookie);
        }
        Ok(response)
    }

    async fn watch(
        &self,
        ctx: &RequestContext,
        request: Bytes,
        format: CodecFormat,
    ) -> Result<Response<EncodedStream>, ConnectError> {
        let Method { input, output, .. } = &self.method;
        let request = input.read(request, format, ctx.decode_options())?;
        let items = self.upstream.watch(ctx, self.procedure, request).await?;
        let output = output.clone();
        Ok(Response::stream(
            items.map(move |item| output.write(item?, format).map(EncodedBody::from)),
        ))
    }
}

/// The grant is moved from the response into a cookie, so that no script ever sees it.
fn moved_grant(grants: &GrantCookie, answer: &[u8]) -> Result<(HeaderValue, Bytes), ConnectError> {
    let mut answer = UnlockResponse::decode(answer)
        .map_err(|error| ConnectError::internal(error.to_string()))?;
    let cookie = grants.set(&std::mem::take(&mut answer.grant));
    let cookie = cookie.ok_or_else(|| ConnectError::internal("a grant of another form"))?;
    Ok((cookie, answer.encode_to_vec().into()))
}

/// Converts the errors of all calls and streams into the standard format.
struct ErrorInterceptor;

#[connectrpc::async_trait]
impl Interceptor for ErrorInterceptor {
    async fn intercept_unary(
        &self,
        request: UnaryRequest,
        next: Next<'_>,
    ) -> Result<UnaryResponse, ConnectError> {
        let reference = reference_id(&request.ctx);
        next.run(request).await.map_err(|error| error_response::to_public_error(&error, &reference))
    }

    async fn intercept_streaming(
        &self,
        request: StreamRequest,
        inbound: PayloadStream,
        next: NextStream<'_>,
    ) -> Result<StreamResponse, ConnectError> {
        let reference = reference_id(&request.ctx);
        let answer = next.run(request, inbound).await;
        let answer = answer.map_err(|error| error_response::to_public_error(&error, &reference))?;
        Ok(answer.map_body(|items| -> PayloadStream {
            Box::pin(items.map(move |item| {
                item.map_err(|error| error_response::to_public_error(&error, &reference))
            }))
        }))
    }
}

fn reference_id(ctx: &RequestContext) -> String {
    let caller = ctx.extensions().get::<Caller>();
    caller.map(|caller| caller.reference.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use http::Uri;

    use super::*;

    #[test]
    fn every_call_has_a_service_that_it_goes_to() {
        let schema = Schema::load().unwrap();
        let procedures = Procedures::new(&schema);
        let address = || Uri::from_static("http://127.0.0.1:1");
        let upstreams = Upstreams {
            catalogue: address(),
            booking: address(),
            payments: address(),
            notifications: address(),
            reviews: address(),
        };
        let grants = GrantCookie::new(&address());
        let calls = (&schema, &procedures);
        let forwarder = Forwarder::new(calls, &upstreams, &grants, &Shutdown::new());
        for procedure in procedures.all() {
            let path = procedure.spec.procedure;
            let found = forwarder.lookup(path.trim_start_matches('/'));
            assert_eq!(found.and_then(|found| found.spec), Some(procedure.spec), "{path}");
        }
        assert!(forwarder.lookup("booking.v1.BookingInternalService/GetStaffRole").is_none());
    }
}

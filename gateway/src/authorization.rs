//! Authorization of `/rpc`: unknown procedures, missing or invalid tokens and accounts over their
//! limit are rejected before the body is read. Every response gets the standard error format and
//! its cache headers.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use connectrpc::{ConnectError, ErrorCode};
use contract::calls::{Access, Limit};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use kernel::Reject as _;
use runtime::caller::{UserError, Users};

use crate::bodies::{BodyError, BodyReader};
use crate::caller::{Caller, network_prefix};
use crate::error_response::{self, gateway_error, too_large};
use crate::etag::weak_etag;
use crate::grant::{GrantCookie, PanelMetadata};
use crate::header_tokens::{check_encoding, fold_case, unknown_encoding};
use crate::network_quota::QuotaPermit;
use crate::procedures::{LOCK, Procedure, Procedures, UNLOCK};
use crate::rate_limits::{RateLimiters, RetryAfter};
use crate::response_cache::{CacheKey, CachedResponse, ResponseCache};
use crate::rpc::MESSAGE_BYTES_MAX;
use crate::watchers::{WatcherPermit, Watchers};

/// Cache header of catalogue responses.
const CACHED: HeaderValue =
    HeaderValue::from_static("public, max-age=60, stale-while-revalidate=600");
const NOT_STORED: HeaderValue = HeaderValue::from_static("no-store");
/// No response is larger; the services' own limit is 4 MiB.
const RESPONSE_BYTES_MAX: usize = 4 * 1024 * 1024;

pub(crate) struct RpcAuthorizer {
    pub(crate) procedures: Arc<Procedures>,
    pub(crate) users: Users,
    pub(crate) limits: Arc<RateLimiters>,
    pub(crate) watchers: Arc<Watchers>,
    pub(crate) bodies: Arc<BodyReader>,
    pub(crate) cache: Arc<ResponseCache>,
    pub(crate) grants: GrantCookie,
}

/// The call, and its permit if it is a stream.
type Authorized = (Procedure, Option<Arc<WatcherPermit>>);
/// The same with the request, whose message is read, and the permit of the message's memory.
type Received = (Procedure, Option<Arc<WatcherPermit>>, (Request, QuotaPermit));

pub(crate) async fn authorize_rpc(
    State(authorizer): State<Arc<RpcAuthorizer>>,
    Extension(caller): Extension<Caller>,
    mut request: Request,
    next: Next,
) -> Response {
    fold_case(request.headers_mut());
    let request_headers = request.headers().clone();
    let path = request.uri().path().to_owned();
    let authorized = authorizer.authorize(&path, &request_headers, &caller).await;
    let locks = authorized.as_ref().is_ok_and(|(procedure, _)| procedure.is(LOCK));
    let received = match authorized {
        Ok(authorized) => authorizer.receive(authorized, request, &caller).await,
        Err(error) => Err(error),
    };
    let (key, answer) = match received {
        // The permit is kept until the response, because the message is in memory until then.
        Ok((procedure, watcher, (mut request, _permit))) => {
            if procedure.is_of_panel() {
                request.extensions_mut().insert(authorizer.panel_metadata(
                    procedure,
                    &request_headers,
                    &caller,
                ));
            }
            let (method, uri) = (request.method(), request.uri());
            let key = authorizer.cache.key_of(procedure, method, uri, &request_headers);
            let mut answer = next.run(request).await;
            if let Some(watcher) = watcher {
                // The connection keeps it until the stream ends.
                answer.extensions_mut().insert(watcher);
            }
            if procedure.changes_slots() {
                authorizer.cache.invalidate_slots();
            }
            (key, answer)
        }
        Err(error) => {
            let status = error.http_status();
            let error =
                error_response::to_public_error(&error, &caller.reference).with_http_status(status);
            // A gRPC client gets a plain HTTP error.
            let form =
                if is_grpc(&request_headers) { HeaderMap::new() } else { request_headers.clone() };
            (None, error.into_http_response(&form).into_response())
        }
    };
    if let Some(key) = key
        && answer.status() == StatusCode::OK
    {
        return authorizer.cache_response(key, answer, (&request_headers, &caller.reference)).await;
    }
    let mut answer = with_error_detail(answer, &caller.reference).await;
    answer.headers_mut().insert(header::CACHE_CONTROL, NOT_STORED);
    // The cookie is removed even if reviews can't be reached; there the grant expires by itself.
    if locks && let Some(cleared) = authorizer.grants.cleared() {
        answer.headers_mut().insert(header::SET_COOKIE, cleared);
    }
    answer
}

impl RpcAuthorizer {
    async fn authorize(
        &self,
        path: &str,
        headers: &HeaderMap,
        caller: &Caller,
    ) -> Result<Authorized, ConnectError> {
        let procedure = self.procedures.get(path).ok_or_else(|| {
            gateway_error(ErrorCode::Unimplemented, "UNKNOWN_METHOD", "There is nothing here.")
                .with_http_status(StatusCode::NOT_FOUND)
        })?;
        if is_grpc(headers) {
            return Err(unsupported_format());
        }
        check_encoding(headers, procedure.is_stream())?;
        if procedure.is_of_panel() && !self.grants.is_same_origin(headers) {
            let sentence = "This can be done on the practice's own site only.";
            return Err(gateway_error(ErrorCode::PermissionDenied, "CROSS_SITE", sentence));
        }
        let has_grant = self.grants.read(headers).is_some();
        let checked = match procedure.dedicated_limit(has_grant) {
            Limit::Unspecified => Ok(()),
            Limit::Review => self.limits.check_review(caller.address),
            Limit::SignIn => self.limits.check_sign_in(caller.address),
            Limit::Form => self.limits.check_form(caller.address),
            Limit::Unsubscribe => self.limits.check_unsubscribing(caller.address),
        };
        checked.map_err(RetryAfter::to_error)?;
        if procedure.declared.access == Access::SignedIn {
            let user = self.users.verify_headers(headers).await.map_err(token_error)?;
            let checked = if procedure.is_of_staff() {
                self.limits.check_staff(user.customer)
            } else if procedure.is_command() {
                self.limits.check_account(user.customer)
            } else {
                Ok(())
            };
            checked.map_err(RetryAfter::to_error)?;
            if procedure.is_stream() {
                let watcher = self.watchers.try_open(user.customer);
                let watcher = watcher.ok_or_else(|| RetryAfter::SOON.to_error())?;
                return Ok((procedure, Some(Arc::new(watcher))));
            }
        }
        Ok((procedure, None))
    }

    /// Reads the call's message.
    async fn receive(
        &self,
        (procedure, watcher): Authorized,
        request: Request,
        caller: &Caller,
    ) -> Result<Received, ConnectError> {
        let read = self.bodies.read_message(caller.address, request, MESSAGE_BYTES_MAX).await;
        Ok((procedure, watcher, read.map_err(BodyError::to_error)?))
    }

    /// Caches a response and returns it. Catalogue responses also get an ETag and may be cached by
    /// browsers.
    async fn cache_response(
        &self,
        key: CacheKey,
        answer: Response,
        (request_headers, reference): (&HeaderMap, &str),
    ) -> Response {
        let (parts, body) = answer.into_parts();
        let Ok(bytes) = axum::body::to_bytes(body, RESPONSE_BYTES_MAX).await else {
            let error = ConnectError::new(ErrorCode::Unavailable, "");
            return error_response::to_error_response(
                StatusCode::SERVICE_UNAVAILABLE,
                &error,
                reference,
            );
        };
        let mut headers = parts.headers;
        let tag = key.is_practice().then(|| weak_etag(&bytes));
        if let Some(tag) = &tag {
            headers.insert(header::CACHE_CONTROL, CACHED);
            headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
            headers.insert(header::ETAG, tag.clone());
        } else {
            headers.insert(header::CACHE_CONTROL, NOT_STORED);
        }
        let cached = Arc::new(CachedResponse::new(headers, tag, bytes));
        let answer = cached.to_response(request_headers);
        self.cache.insert(key, cached);
        answer
    }

    /// The metadata that a call of the panel is forwarded with. Values that the client sent under
    /// these names are never forwarded.
    fn panel_metadata(
        &self,
        procedure: Procedure,
        headers: &HeaderMap,
        caller: &Caller,
    ) -> PanelMetadata {
        let address = procedure.is(UNLOCK).then(|| network_prefix(caller.address).to_string());
        let address = address.and_then(|address| HeaderValue::from_str(&address).ok());
        PanelMetadata { grant: self.grants.read(headers), address }
    }
}

fn token_error(why: UserError) -> ConnectError {
    let code = match why {
        UserError::Missing | UserError::Invalid => ErrorCode::Unauthenticated,
        UserError::KeysUnavailable => ErrorCode::Unavailable,
    };
    gateway_error(code, why.reason(), &why.to_string())
}

/// Browsers speak Connect; gRPC and gRPC-Web are not available from outside.
fn is_grpc(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    kind.is_some_and(|kind| kind.starts_with(b"application/grpc"))
}

fn unsupported_format() -> ConnectError {
    let sentence = "The request's format is not understood.";
    gateway_error(ErrorCode::InvalidArgument, "UNSUPPORTED_FORMAT", sentence)
        .with_http_status(StatusCode::UNSUPPORTED_MEDIA_TYPE)
}

/// Converts errors of the protocol library into the standard format. Errors of the calls themselves
/// have it already.
async fn with_error_detail(answer: Response, reference: &str) -> Response {
    let status = answer.status();
    if !status.is_client_error() && !status.is_server_error() {
        return answer;
    }
    let (parts, body) = answer.into_parts();
    let bytes = axum::body::to_bytes(body, RESPONSE_BYTES_MAX).await.unwrap_or_default();
    let error = serde_json::from_slice::<ConnectError>(&bytes).ok();
    if error.as_ref().is_some_and(error_response::has_detail) {
        return Response::from_parts(parts, Body::from(bytes));
    }
    let (status, error) = protocol_error(status, error);
    let mut answer = error_response::to_error_response(status, &error, reference);
    for name in [header::ALLOW, header::HeaderName::from_static("accept-post")] {
        if let Some(value) = parts.headers.get(&name) {
            answer.headers_mut().insert(name, value.clone());
        }
    }
    answer
}

fn protocol_error(status: StatusCode, error: Option<ConnectError>) -> (StatusCode, ConnectError) {
    match status {
        StatusCode::METHOD_NOT_ALLOWED => {
            let sentence = "The request's method is not offered here.";
            (status, gateway_error(ErrorCode::Unimplemented, "METHOD_NOT_ALLOWED", sentence))
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => (status, unsupported_format()),
        // The call exists, and headers were checked in `authorize`: it is a GET's `compression`.
        StatusCode::NOT_IMPLEMENTED => (status, unknown_encoding()),
        // Only a body that is too large gets here; rate limits are checked in `authorize`.
        StatusCode::TOO_MANY_REQUESTS | StatusCode::PAYLOAD_TOO_LARGE => {
            (StatusCode::PAYLOAD_TOO_LARGE, too_large())
        }
        status => {
            let code = if status.is_client_error() {
                ErrorCode::InvalidArgument
            } else {
                ErrorCode::Internal
            };
            (status, error.unwrap_or_else(|| ConnectError::new(code, "")))
        }
    }
}

//! Forwarding of requests over HTTP: headers, body, and the errors if there is no response. No
//! cookie passes in either direction: cookies belong to the gateway.

pub(crate) mod sign_in;
mod device_cookie;
mod earlier_session;
pub(crate) mod session;
pub(crate) mod webhooks;
pub(crate) mod pay_return;
pub(crate) mod pictures;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use bytes::Bytes;
use connectrpc::{ConnectError, ErrorCode};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use runtime::{status, telemetry};

use crate::bodies::{BodyError, BodyReader, BufferedBody};
use crate::caller::{Caller, FORWARDED_FOR};
use crate::error_response::{self, over_budget_response, too_large};
use crate::proxy::session::SessionCookie;
use crate::rate_limits::RateLimiters;

const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Headers that belong to one connection, or that only the gateway may set.
const STRIPPED_HEADERS: &[&str] = &[
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "host",
    "content-length",
    "cookie",
    "set-cookie",
    "expect",
    "forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
    "traceparent",
    "tracestate",
];

/// The HTTP servers behind the gateway.
pub(crate) struct Proxy {
    pub(crate) client: reqwest::Client,
    pub(crate) limits: Arc<RateLimiters>,
    pub(crate) bodies: Arc<BodyReader>,
    /// Base of the identity server.
    pub(crate) identity: String,
    /// Whether its calls for administrators are reachable from outside.
    pub(crate) identity_admin: bool,
    /// Base of the HTTP port of payments.
    pub(crate) payments: String,
    /// Base of the HTTP port of reviews.
    pub(crate) reviews: String,
    /// The site's own address, which the identity server writes into links.
    pub(crate) public: Uri,
    /// The cookie of our own pages' sessions.
    pub(crate) sessions: SessionCookie,
}

/// Why there is no response.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ProxyError {
    TooLarge,
    /// The client did not send its body in time.
    RequestTimeout,
    /// The memory budget for bodies is used up.
    OverBudget,
    Unreachable,
    /// The backend did not respond in time.
    UpstreamTimeout,
}

impl From<BodyError> for ProxyError {
    fn from(unread: BodyError) -> Self {
        match unread {
            BodyError::TooLarge => Self::TooLarge,
            BodyError::TimedOut => Self::RequestTimeout,
            BodyError::OverBudget => Self::OverBudget,
        }
    }
}

impl Proxy {
    /// Forwards a request with a body of at most `max_bytes`.
    pub(crate) async fn forward(
        &self,
        caller: &Caller,
        (request, max_bytes): (Request, usize),
        url: String,
    ) -> Result<Response, ProxyError> {
        let (parts, body) = request.into_parts();
        // The permit is released when the response begins.
        let BufferedBody { bytes, permit: _permit } =
            self.bodies.read(caller.address, body, max_bytes).await?;
        self.send(caller, (parts, bytes), url).await
    }

    /// The same with a body that was read.
    pub(crate) async fn send(
        &self,
        caller: &Caller,
        (parts, bytes): (Parts, Bytes),
        url: String,
    ) -> Result<Response, ProxyError> {
        let mut headers = strip_headers(&parts.headers);
        self.set_forwarded_headers(caller, &mut headers);
        let sent = self.client.request(parts.method, url).headers(headers).body(bytes).send();
        Ok(Self::to_response(sent.await.map_err(ProxyError::from_reqwest)?))
    }

    /// Converts a backend's response into the gateway's.
    pub(crate) fn to_response(answer: reqwest::Response) -> Response {
        let (mut parts, body) = http::Response::from(answer).into_parts();
        parts.headers = strip_headers(&parts.headers);
        Response::from_parts(parts, Body::new(body))
    }

    /// Sets the forwarded headers and the trace. Values from the client are replaced.
    pub(crate) fn set_forwarded_headers(&self, caller: &Caller, headers: &mut HeaderMap) {
        let mut set = |name: HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        };
        set(FORWARDED_FOR, &caller.address.to_string());
        set(FORWARDED_HOST, self.public.authority().map_or("", |authority| authority.as_str()));
        set(FORWARDED_PROTO, self.public.scheme_str().unwrap_or("http"));
        telemetry::inject_headers(headers);
    }
}

impl ProxyError {
    pub(crate) fn from_reqwest(error: reqwest::Error) -> Self {
        // The URL may have a code in its query, so it is not logged.
        let error = error.without_url();
        tracing::warn!(error = status::chain(&error), "a server behind gave no answer");
        if error.is_timeout() && !error.is_connect() {
            Self::UpstreamTimeout
        } else {
            Self::Unreachable
        }
    }

    pub(crate) fn into_response(self, reference: &str) -> Response {
        let (code, status) = match self {
            Self::TooLarge => {
                let status = StatusCode::PAYLOAD_TOO_LARGE;
                return error_response::to_error_response(status, &too_large(), reference);
            }
            Self::RequestTimeout => (ErrorCode::DeadlineExceeded, StatusCode::REQUEST_TIMEOUT),
            Self::OverBudget => return over_budget_response(reference),
            Self::Unreachable => (ErrorCode::Unavailable, StatusCode::SERVICE_UNAVAILABLE),
            Self::UpstreamTimeout => (ErrorCode::DeadlineExceeded, StatusCode::GATEWAY_TIMEOUT),
        };
        error_response::to_error_response(status, &ConnectError::new(code, ""), reference)
    }
}

pub(crate) fn path_and_query(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |all| all.as_str())
}

/// The headers without hop-by-hop headers, also those named in `Connection`.
fn strip_headers(headers: &HeaderMap) -> HeaderMap {
    let named: Vec<String> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|list| list.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let keep = |name: &HeaderName| {
        !STRIPPED_HEADERS.contains(&name.as_str()) && !named.iter().any(|one| one == name.as_str())
    };
    let passed_on = headers.iter().filter(|(name, _)| keep(name));
    passed_on.map(|(name, value)| (name.clone(), value.clone())).collect()
}

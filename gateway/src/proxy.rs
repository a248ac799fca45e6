//! How requests are passed on over HTTP: with which headers, which body, and what is said when
//! nothing comes back. No cookie passes in either direction: the one that there is belongs to the
//! gateway alone.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use connectrpc::{ConnectError, ErrorCode};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use runtime::{status, telemetry};

use crate::access::too_large;
use crate::bodies::{Bodies, Unread, Whole};
use crate::edge::{Caller, FORWARDED_FOR};
use crate::error_form;
use crate::limits::Limits;

/// When there will be room again.
pub(crate) const SOON: HeaderValue = HeaderValue::from_static("2");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Headers that belong to one connection, or that only the gateway may set.
const NOT_PASSED: &[&str] = &[
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
    pub(crate) limits: Arc<Limits>,
    pub(crate) bodies: Arc<Bodies>,
    /// Base of the identity server.
    pub(crate) identity: String,
    /// Base of the HTTP port of payments.
    pub(crate) payments: String,
    /// Base of the HTTP port of reviews.
    pub(crate) reviews: String,
    /// The site's own address, which the identity server writes into links.
    pub(crate) public: Uri,
}

/// Why nothing came back.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Broken {
    TooLarge,
    /// The client did not send its body in time.
    NotSent,
    /// The memory for bodies is taken.
    NoRoom,
    Unreachable,
    /// The server behind did not answer in time.
    TooSlow,
}

impl From<Unread> for Broken {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::TooLarge => Self::TooLarge,
            Unread::TooSlow => Self::NotSent,
            Unread::NoRoom => Self::NoRoom,
        }
    }
}

impl Proxy {
    /// Passes on a request with a body of at most so many bytes.
    pub(crate) async fn pass(
        &self,
        caller: &Caller,
        (request, most): (Request, usize),
        url: String,
    ) -> Result<Response, Broken> {
        let (parts, body) = request.into_parts();
        // What it holds of the budget is given back when the answer begins.
        let Whole { bytes, held: _held } = self.bodies.read(caller.address, body, most).await?;
        let mut headers = passed(&parts.headers);
        self.introduce(caller, &mut headers);
        let sent = self.client.request(parts.method, url).headers(headers).body(bytes).send();
        Ok(Self::received(sent.await.map_err(Broken::of)?))
    }

    /// What came back, as it leaves the gateway.
    pub(crate) fn received(answer: reqwest::Response) -> Response {
        let (mut parts, body) = http::Response::from(answer).into_parts();
        parts.headers = passed(&parts.headers);
        Response::from_parts(parts, Body::new(body))
    }

    /// Says on whose behalf the request comes. What the client said about that is not repeated.
    pub(crate) fn introduce(&self, caller: &Caller, headers: &mut HeaderMap) {
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

impl Broken {
    pub(crate) fn of(error: reqwest::Error) -> Self {
        // The address may hold a code in its query, so it is left out.
        let error = error.without_url();
        tracing::warn!(error = status::chain(&error), "a server behind gave no answer");
        if error.is_timeout() && !error.is_connect() { Self::TooSlow } else { Self::Unreachable }
    }

    pub(crate) fn in_the_one_form(self, reference: &str) -> Response {
        let (code, status) = match self {
            Self::TooLarge => {
                let status = StatusCode::PAYLOAD_TOO_LARGE;
                return error_form::http_answer(status, &too_large(), reference);
            }
            Self::NotSent => (ErrorCode::DeadlineExceeded, StatusCode::REQUEST_TIMEOUT),
            Self::NoRoom => return no_room(reference),
            Self::Unreachable => (ErrorCode::Unavailable, StatusCode::SERVICE_UNAVAILABLE),
            Self::TooSlow => (ErrorCode::DeadlineExceeded, StatusCode::GATEWAY_TIMEOUT),
        };
        error_form::http_answer(status, &ConnectError::new(code, ""), reference)
    }
}

/// The memory for bodies is taken, which passes as soon as others are answered.
pub(crate) fn no_room(reference: &str) -> Response {
    let mut error = ConnectError::new(ErrorCode::Unavailable, "");
    error.response_headers_mut().insert(header::RETRY_AFTER, SOON);
    error_form::http_answer(StatusCode::SERVICE_UNAVAILABLE, &error, reference)
}

pub(crate) fn path_and_query(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |all| all.as_str())
}

/// The headers without those of the connection, also those that the connection names itself.
fn passed(headers: &HeaderMap) -> HeaderMap {
    let named: Vec<String> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|list| list.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let keep = |name: &HeaderName| {
        !NOT_PASSED.contains(&name.as_str()) && !named.iter().any(|one| one == name.as_str())
    };
    let kept = headers.iter().filter(|(name, _)| keep(name));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

//! What is passed on over HTTP: /auth/v1 to the identity server, and the payment provider's
//! webhooks to payments, byte for byte, because their signature covers the raw body. No cookie
//! passes in either direction: the one that there is belongs to the gateway alone.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use connectrpc::{ConnectError, ErrorCode};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use runtime::{status, telemetry};

use crate::access::too_large;
use crate::edge::{Caller, FORWARDED_FOR};
use crate::error_form;
use crate::limits::{Limits, Wait};

/// A sign-in or a webhook is a few kilobytes; more is refused.
const BODY_BYTES_MAX: usize = 1024 * 1024;
/// The version of the identity contract in which an error's code is a word.
const API_VERSION: HeaderName = HeaderName::from_static("x-supabase-api-version");
const ERROR_CODE: HeaderName = HeaderName::from_static("x-sb-error-code");
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
    /// Base of the identity server.
    pub(crate) identity: String,
    /// Base of the HTTP port of payments.
    pub(crate) payments: String,
    /// Base of the HTTP port of reviews.
    pub(crate) reviews: String,
    /// The site's own address, which the identity server writes into links.
    pub(crate) public: Uri,
}

pub(crate) async fn auth(
    State(proxy): State<Arc<Proxy>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let words = request.headers().contains_key(API_VERSION);
    if is_sign_in(&request)
        && let Err(wait) = proxy.limits.of_sign_in(caller.address)
    {
        return too_many_sign_ins(wait, words);
    }
    let url = format!("{}{}", proxy.identity, path_and_query(request.uri()));
    match proxy.pass(&caller, request, url).await {
        Ok(mut answer) => {
            answer
                .headers_mut()
                .entry(header::CACHE_CONTROL)
                .or_insert(HeaderValue::from_static("no-store"));
            answer
        }
        Err(broken) => broken.in_identitys_form(words),
    }
}

pub(crate) async fn webhook(
    State(proxy): State<Arc<Proxy>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    if request.method() != Method::POST {
        return error_form::method_not_allowed("POST", &caller.reference);
    }
    let url = format!("{}/webhooks{}", proxy.payments, path_and_query(request.uri()));
    match proxy.pass(&caller, request, url).await {
        Ok(answer) => answer,
        Err(broken) => broken.in_the_one_form(&caller.reference),
    }
}

/// Why nothing came back.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Broken {
    TooLarge,
    Unreachable,
    TooSlow,
}

impl Proxy {
    pub(crate) async fn pass(
        &self,
        caller: &Caller,
        request: Request,
        url: String,
    ) -> Result<Response, Broken> {
        let (parts, body) = request.into_parts();
        // Only a body beyond the limit, or one that breaks off, cannot be read.
        let body = axum::body::to_bytes(body, BODY_BYTES_MAX);
        let body: Bytes = body.await.map_err(|_unread| Broken::TooLarge)?;
        let mut headers = passed(&parts.headers);
        self.introduce(caller, &mut headers);
        let sent = self.client.request(parts.method, url).headers(headers).body(body).send();
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
        let (status, error) = match self {
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, too_large()),
            Self::Unreachable => {
                (StatusCode::SERVICE_UNAVAILABLE, ConnectError::new(ErrorCode::Unavailable, ""))
            }
            Self::TooSlow => {
                (StatusCode::GATEWAY_TIMEOUT, ConnectError::new(ErrorCode::DeadlineExceeded, ""))
            }
        };
        error_form::http_answer(status, &error, reference)
    }

    fn in_identitys_form(self, words: bool) -> Response {
        let (status, code, sentence) = match self {
            Self::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "request_entity_too_large",
                "The request is too large.",
            ),
            Self::Unreachable => (
                StatusCode::SERVICE_UNAVAILABLE,
                "service_unavailable",
                "Signing in is not available right now. Please try again.",
            ),
            Self::TooSlow => (
                StatusCode::GATEWAY_TIMEOUT,
                "request_timeout",
                "Signing in took too long. Please try again.",
            ),
        };
        identity_error(status, code, sentence, words)
    }
}

fn too_many_sign_ins(wait: Wait, words: bool) -> Response {
    let sentence = "That was a lot at once. Please wait a little and try again.";
    let status = StatusCode::TOO_MANY_REQUESTS;
    let mut answer = identity_error(status, "over_request_rate_limit", sentence, words);
    answer.headers_mut().insert(header::RETRY_AFTER, wait.header());
    answer
}

/// An error as the identity server itself would say it, so that its client understands.
fn identity_error(status: StatusCode, code: &str, sentence: &str, words: bool) -> Response {
    let body = if words {
        serde_json::json!({ "code": code, "message": sentence })
    } else {
        serde_json::json!({ "code": status.as_u16(), "error_code": code, "msg": sentence })
    };
    let mut answer = (status, axum::Json(body)).into_response();
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(code) = HeaderValue::from_str(code) {
        headers.insert(ERROR_CODE, code);
    }
    answer
}

/// Whether a request can be used to guess or to flood. Refreshing a session and signing out
/// cannot, and every open page does the former once in a while.
fn is_sign_in(request: &Request) -> bool {
    let refresh = request
        .uri()
        .query()
        .is_some_and(|query| query.split('&').any(|pair| pair == "grant_type=refresh_token"));
    request.method() == Method::POST && !refresh && request.uri().path() != "/logout"
}

fn path_and_query(uri: &Uri) -> &str {
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

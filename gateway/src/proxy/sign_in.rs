//! `/auth/v1`, forwarded to the identity server. Ambiguous requests (a repeated parameter, a path
//! that changes when it is resolved) are rejected, so that the gateway counts the same operation
//! that the identity server executes. Errors have the format of the identity server's client. The
//! sessions of our own pages are in a cookie (`session.rs`).

use std::collections::HashSet;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use url::form_urlencoded;

use crate::bodies::BufferedBody;
use crate::caller::{Caller, network_text};
use crate::error_response::RETRY_SOON;
use crate::proxy::device_cookie::DeviceCookie;
use crate::proxy::earlier_session::EarlierSession;
use crate::proxy::session::{self, Operation, Transport, Unreadable, ends_session};
use crate::proxy::{Proxy, ProxyError, path_and_query};
use crate::rate_limits::RetryAfter;

/// A sign-in is a few kilobytes; larger bodies are rejected.
const BODY_BYTES_MAX: usize = 1024 * 1024;
/// With this header an error's `code` is a text.
const API_VERSION: HeaderName = HeaderName::from_static("x-supabase-api-version");
const ERROR_CODE: HeaderName = HeaderName::from_static("x-sb-error-code");

pub(crate) async fn auth(
    State(proxy): State<Arc<Proxy>>,
    Extension(caller): Extension<Caller>,
    mut request: Request,
) -> Response {
    let devices = DeviceCookie::new(&proxy.public);
    devices.pass_on(request.headers_mut());
    let code_as_text = request.headers().contains_key(API_VERSION);
    let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
    let ambiguity = if !is_plain(path) {
        Some("The path must be plain")
    } else if has_repeated(query) {
        Some("Each query parameter may be given only once")
    } else {
        None
    };
    if let Some(sentence) = ambiguity {
        return identity_error(
            StatusCode::BAD_REQUEST,
            "validation_failed",
            sentence,
            code_as_text,
        );
    }
    if is_for_administrators(path) && !proxy.identity_admin {
        return (StatusCode::NOT_FOUND, "404 page not found").into_response();
    }
    let limit = SignInLimit::for_request(request.method(), path, query);
    let checked = match limit {
        SignInLimit::None => Ok(()),
        SignInLimit::Refresh => proxy.limits.check_refresh(caller.address),
        SignInLimit::SignIn => proxy.limits.check_sign_in(caller.address),
    };
    if let Err(retry_after) = checked {
        let network = network_text(caller.address);
        // The same words as in the identity server's log of account security.
        tracing::info!(
            target: "security",
            kind = "sign_in",
            outcome = "limited",
            method = "nothing",
            account = "-",
            network,
            "account security"
        );
        return too_many_requests(retry_after, code_as_text);
    }
    let answered = match proxy.sessions.transport(request.method(), request.headers()) {
        Transport::Rejected(sentence) => {
            let (status, code) = (StatusCode::FORBIDDEN, "validation_failed");
            return identity_error(status, code, sentence, code_as_text);
        }
        Transport::Plain => {
            let url = format!("{}{}", proxy.identity, path_and_query(request.uri()));
            proxy.forward(&caller, (request, BODY_BYTES_MAX), url).await
        }
        Transport::Cookie => {
            let refreshes = limit == SignInLimit::Refresh;
            let operation = Operation::of(request.method(), path, query, refreshes);
            Ok(by_cookie(&proxy, &caller, request, (operation, code_as_text)).await)
        }
    };
    let mut answer =
        answered.map_or_else(|error| to_identity_error(error, code_as_text), not_stored);
    devices.keep(&mut answer);
    answer
}

/// Forwards a request of our own pages, whose refresh token is in the cookie.
async fn by_cookie(
    proxy: &Arc<Proxy>,
    caller: &Caller,
    request: Request,
    (operation, code_as_text): (Operation, bool),
) -> Response {
    let answered = exchange(proxy, caller, request, operation, code_as_text).await;
    let (mut answer, cookie) = answered.unwrap_or_else(|error| {
        // Without an answer to a refresh, the session may go on.
        (to_identity_error(error, code_as_text), None)
    });
    // Signing out ends with the cookie, whatever the server says.
    let signs_out = operation == Operation::SignOut;
    let cookie = if signs_out { proxy.sessions.cleared() } else { cookie };
    let headers = answer.headers_mut();
    headers.extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    not_stored(answer)
}

/// The answer for the page, with the cookie to set.
async fn exchange(
    proxy: &Arc<Proxy>,
    caller: &Caller,
    request: Request,
    operation: Operation,
    code_as_text: bool,
) -> Result<(Response, Option<HeaderValue>), ProxyError> {
    let url = format!("{}{}", proxy.identity, path_and_query(request.uri()));
    let (mut parts, body) = request.into_parts();
    // The permit is released when the answer has been read.
    let BufferedBody { mut bytes, permit: _permit } =
        proxy.bodies.read(caller.address, body, BODY_BYTES_MAX).await?;
    if operation == Operation::Refresh {
        let Some(body) = proxy.sessions.refresh_body(&parts.headers, bytes) else {
            let answer = identity_error(
                StatusCode::BAD_REQUEST,
                "refresh_token_not_found",
                "Invalid Refresh Token: Refresh Token Not Found",
                code_as_text,
            );
            return Ok((answer, proxy.sessions.cleared()));
        };
        bytes = body;
    }
    let earlier = EarlierSession::of(proxy.sessions.token(&parts.headers), &parts.headers)
        .filter(|_| operation == Operation::Other);
    session::remove_transport(&mut parts.headers);
    let answer = proxy.send(caller, (parts, bytes), url).await?;
    let (mut parts, body) = answer.into_parts();
    session::check_head(&parts.headers).map_err(unreadable)?;
    let body = axum::body::to_bytes(body, BODY_BYTES_MAX).await;
    let body = body.map_err(|_broken_off| ProxyError::Unreachable)?;
    let (body, cookie) = if parts.status.is_success() {
        let (body, cookie) = proxy.sessions.take_session(body).map_err(unreadable)?;
        if let Some(earlier) = earlier.filter(|_| cookie.is_some()) {
            earlier.end_behind(proxy.clone(), caller.clone(), &body);
        }
        (body, cookie)
    } else {
        let ended = operation == Operation::Refresh && ends_session(parts.status, &body);
        (body, ended.then(|| proxy.sessions.cleared()).flatten())
    };
    // They described the body as it was.
    parts.headers.remove(header::ETAG);
    Ok((Response::from_parts(parts, Body::from(body)), cookie))
}

fn unreadable(Unreadable(what): Unreadable) -> ProxyError {
    tracing::error!(what, "the identity server's answer was not passed on to the page");
    ProxyError::Unreachable
}

fn not_stored(mut answer: Response) -> Response {
    let headers = answer.headers_mut();
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    answer
}

/// Whether a path is one of the calls for administrators, which need a service key.
fn is_for_administrators(path: &str) -> bool {
    path == "/invite" || path == "/admin" || path.starts_with("/admin/")
}

/// The rate limit that a request counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignInLimit {
    /// No limit: it reads, or ends a session.
    None,
    /// It refreshes a session, as every open page does from time to time, and can't be used to
    /// guess.
    Refresh,
    /// It can be used to guess or to flood.
    SignIn,
}

impl SignInLimit {
    /// Everything not known to be harmless counts as a sign-in.
    fn for_request(method: &Method, path: &str, query: &str) -> Self {
        // These begin and end a sign-in at another provider, and write rows.
        if matches!(path, "/authorize" | "/callback" | "/user/identities/authorize") {
            return Self::SignIn;
        }
        if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) || path == "/logout" {
            return Self::None;
        }
        let mut grants = form_urlencoded::parse(query.as_bytes())
            .filter_map(|(name, value)| (name == "grant_type").then_some(value));
        let refreshes = grants.next().is_some_and(|grant| grant == "refresh_token");
        if path == "/token" && refreshes && grants.next().is_none() {
            return Self::Refresh;
        }
        Self::SignIn
    }
}

/// Whether a parameter is repeated, also in different escapings: some servers take the first value
/// and others the last.
fn has_repeated(query: &str) -> bool {
    let mut names = HashSet::new();
    form_urlencoded::parse(query.as_bytes()).any(|(name, _)| !names.insert(name))
}

/// Whether a path is unambiguous: nothing is escaped and no segment is `.` or `..`. No path of the
/// identity contract needs more.
fn is_plain(path: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    path.split('/').all(|part| part != "." && part != ".." && part.bytes().all(plain))
}

fn to_identity_error(error: ProxyError, code_as_text: bool) -> Response {
    let (status, code, sentence) = match error {
        ProxyError::TooLarge => {
            (StatusCode::PAYLOAD_TOO_LARGE, "request_entity_too_large", "The request is too large.")
        }
        ProxyError::Unreachable | ProxyError::OverBudget => (
            StatusCode::SERVICE_UNAVAILABLE,
            "service_unavailable",
            "Signing in is not available right now. Please try again.",
        ),
        ProxyError::RequestTimeout => (
            StatusCode::REQUEST_TIMEOUT,
            "request_timeout",
            "The request took too long to arrive. Please try again.",
        ),
        ProxyError::UpstreamTimeout => (
            StatusCode::GATEWAY_TIMEOUT,
            "request_timeout",
            "Signing in took too long. Please try again.",
        ),
    };
    let mut answer = identity_error(status, code, sentence, code_as_text);
    if matches!(error, ProxyError::OverBudget) {
        answer.headers_mut().insert(header::RETRY_AFTER, RETRY_SOON);
    }
    answer
}

fn too_many_requests(retry_after: RetryAfter, code_as_text: bool) -> Response {
    let sentence = "That was a lot at once. Please wait a little and try again.";
    let status = StatusCode::TOO_MANY_REQUESTS;
    let mut answer = identity_error(status, "over_request_rate_limit", sentence, code_as_text);
    answer.headers_mut().insert(header::RETRY_AFTER, retry_after.header());
    answer
}

/// An error in the identity server's format.
fn identity_error(status: StatusCode, code: &str, sentence: &str, code_as_text: bool) -> Response {
    let body = if code_as_text {
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

#[cfg(test)]
mod tests {
    use super::{SignInLimit, has_repeated, is_plain};
    use http::Method;

    #[test]
    fn only_a_refresh_and_a_sign_out_are_no_sign_in() {
        let post = |path: &str, query: &str| SignInLimit::for_request(&Method::POST, path, query);
        assert_eq!(post("/token", "grant_type=refresh_token"), SignInLimit::Refresh);
        assert_eq!(post("/token", "x=1&grant%5Ftype=refresh%5Ftoken"), SignInLimit::Refresh);
        assert_eq!(post("/logout", "scope=global"), SignInLimit::None);
        for (path, query) in [
            ("/token", ""),
            ("/token", "grant_type=password"),
            ("/token", "grant_type=refresh_token&grant_type=password"),
            ("/token", "grant_type=refresh_token&grant%5ftype=refresh_token"),
            ("/token/", "grant_type=refresh_token"),
            ("//token", "grant_type=refresh_token"),
            ("/signup", "grant_type=refresh_token"),
            ("/recover", "grant_type=refresh_token"),
            ("/logout/", ""),
        ] {
            assert_eq!(post(path, query), SignInLimit::SignIn, "{path}?{query}");
        }
        assert_eq!(SignInLimit::for_request(&Method::PUT, "/user", ""), SignInLimit::SignIn);
        assert_eq!(SignInLimit::for_request(&Method::GET, "/user", ""), SignInLimit::None);
    }

    #[test]
    fn a_repeated_parameter_is_found_in_any_escaping() {
        assert!(!has_repeated("a=1&b=1&&c"));
        for twice in ["a=1&a=2", "a&a", "grant_type=x&grant%5ftype=y", "a+b=1&a%20b=2"] {
            assert!(has_repeated(twice), "{twice}");
        }
    }

    #[test]
    fn a_plain_path_leads_nowhere_else() {
        for good in ["/", "/token", "/.well-known/jwks.json", "/user/identities/0a-1b", "/token/"] {
            assert!(is_plain(good), "{good}");
        }
        let escaped = ["/%2e%2e/x", "/.%2E/x", "/a%2fb", "/a%5cb", "/%74oken"];
        for wrong in ["/../x", "/./x", "/x/..", "/..\\x", "/a\\b"].into_iter().chain(escaped) {
            assert!(!is_plain(wrong), "{wrong}");
        }
    }
}

//! /auth/v1, passed on to the identity server. What could be read in two ways (a parameter that is
//! given twice, a path that leads elsewhere once it is resolved) is refused here, so that what the
//! gateway counts is what the identity server does. Errors have the form that its client
//! understands.

use std::collections::HashSet;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use url::form_urlencoded;

use crate::edge::Caller;
use crate::limits::Wait;
use crate::proxy::{Broken, Proxy, SOON, path_and_query};

/// A sign-in is a few kilobytes; more is refused.
const BODY_BYTES_MAX: usize = 1024 * 1024;
/// The version of the identity contract in which an error's code is a word.
const API_VERSION: HeaderName = HeaderName::from_static("x-supabase-api-version");
const ERROR_CODE: HeaderName = HeaderName::from_static("x-sb-error-code");

pub(crate) async fn auth(
    State(proxy): State<Arc<Proxy>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let words = request.headers().contains_key(API_VERSION);
    let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
    let unclear = if !is_plain(path) {
        Some("The path must be plain")
    } else if has_repeated(query) {
        Some("Each query parameter may be given only once")
    } else {
        None
    };
    if let Some(sentence) = unclear {
        return identity_error(StatusCode::BAD_REQUEST, "validation_failed", sentence, words);
    }
    let within = match Counts::of(request.method(), path, query) {
        Counts::Nothing => Ok(()),
        Counts::Refresh => proxy.limits.of_refresh(caller.address),
        Counts::SignIn => proxy.limits.of_sign_in(caller.address),
    };
    if let Err(wait) = within {
        return too_many(wait, words);
    }
    let url = format!("{}{}", proxy.identity, path_and_query(request.uri()));
    match proxy.pass(&caller, (request, BODY_BYTES_MAX), url).await {
        Ok(mut answer) => {
            answer
                .headers_mut()
                .entry(header::CACHE_CONTROL)
                .or_insert(HeaderValue::from_static("no-store"));
            answer
        }
        Err(broken) => in_identitys_form(broken, words),
    }
}

/// Which limit a request counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    /// It reads, or ends a session.
    Nothing,
    /// It renews a session, as every open page does once in a while, and cannot be used to guess.
    Refresh,
    /// It can be used to guess or to flood.
    SignIn,
}

impl Counts {
    /// Whatever is not known to be harmless counts as a sign-in.
    fn of(method: &Method, path: &str, query: &str) -> Self {
        if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) || path == "/logout" {
            return Self::Nothing;
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

/// Whether a parameter is given twice, in whichever spelling: of those one server takes the first
/// and another the last.
fn has_repeated(query: &str) -> bool {
    let mut names = HashSet::new();
    form_urlencoded::parse(query.as_bytes()).any(|(name, _)| !names.insert(name))
}

/// Whether a path means the same to everybody: nothing in it is escaped and no part of it leads
/// upwards. No path of the identity contract needs more.
fn is_plain(path: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    path.split('/').all(|part| part != "." && part != ".." && part.bytes().all(plain))
}

fn in_identitys_form(broken: Broken, words: bool) -> Response {
    let (status, code, sentence) = match broken {
        Broken::TooLarge => {
            (StatusCode::PAYLOAD_TOO_LARGE, "request_entity_too_large", "The request is too large.")
        }
        Broken::Unreachable | Broken::NoRoom => (
            StatusCode::SERVICE_UNAVAILABLE,
            "service_unavailable",
            "Signing in is not available right now. Please try again.",
        ),
        Broken::NotSent => (
            StatusCode::REQUEST_TIMEOUT,
            "request_timeout",
            "The request took too long to arrive. Please try again.",
        ),
        Broken::TooSlow => (
            StatusCode::GATEWAY_TIMEOUT,
            "request_timeout",
            "Signing in took too long. Please try again.",
        ),
    };
    let mut answer = identity_error(status, code, sentence, words);
    if matches!(broken, Broken::NoRoom) {
        answer.headers_mut().insert(header::RETRY_AFTER, SOON);
    }
    answer
}

fn too_many(wait: Wait, words: bool) -> Response {
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

#[cfg(test)]
mod tests {
    use super::{Counts, has_repeated, is_plain};
    use http::Method;

    #[test]
    fn only_a_refresh_and_a_sign_out_are_no_sign_in() {
        let post = |path: &str, query: &str| Counts::of(&Method::POST, path, query);
        assert_eq!(post("/token", "grant_type=refresh_token"), Counts::Refresh);
        assert_eq!(post("/token", "x=1&grant%5Ftype=refresh%5Ftoken"), Counts::Refresh);
        assert_eq!(post("/logout", "scope=global"), Counts::Nothing);
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
            assert_eq!(post(path, query), Counts::SignIn, "{path}?{query}");
        }
        assert_eq!(Counts::of(&Method::PUT, "/user", ""), Counts::SignIn);
        assert_eq!(Counts::of(&Method::GET, "/user", ""), Counts::Nothing);
    }

    #[test]
    fn a_parameter_is_repeated_in_whichever_spelling() {
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

//! The session of our own pages. The identity server's refresh token stays in a cookie that no
//! script can read; the page gets a placeholder in its place and an access token of at most ten
//! minutes. A page asks for this by the header `X-Session-Transport: cookie`, which a page of
//! another site cannot send without a preflight. Requests without it keep the plain contract. The
//! identity server behind notices no difference, whether it is ours or a hosted one.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use serde_json::{Map, Value};
use url::form_urlencoded;

use crate::site_cookie::{FETCH_SITE, SiteCookie, origin};

/// How a page says that its session is in the cookie.
pub(crate) const TRANSPORT: HeaderName = HeaderName::from_static("x-session-transport");
/// The cookie's name, to which the port is added where practices share a host.
const COOKIE: &str = "session";
/// What a page has in place of its refresh token. It is no secret.
pub(crate) const PLACEHOLDER: &str = "kept-in-a-cookie";
/// How long a page may use an access token, whatever the identity server says.
const ACCESS_SECONDS_MAX: u64 = 600;
/// How long the cookie is kept after a sign-in or a refresh. The identity server ends sessions
/// earlier, by its own clock.
const COOKIE_SECONDS_MAX: u32 = 30 * 24 * 3600;
/// Browsers drop longer cookies.
const TOKEN_CHARS_MAX: usize = 3072;
/// Errors after which a refresh token is of no use any more. The last one is what servers say that
/// have no error codes.
const FINAL_ERRORS: &[&str] =
    &["user_banned", "user_not_found", "validation_failed", "invalid_grant"];
const FINAL_PREFIXES: &[&str] = &["refresh_token_", "session_"];

/// How a request wants its session to be handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transport {
    /// The plain contract.
    Plain,
    /// By the cookie.
    Cookie,
    /// The request may not have the cookie; the sentence says why.
    Rejected(&'static str),
}

/// What a request by the cookie does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Continues the session.
    Refresh,
    /// Ends this browser's session.
    SignOut,
    /// Raises the session that it has to a second factor.
    Raise,
    /// Anything else; an answer with a session means that one has begun.
    Other,
}

/// Why an answer of the identity server is not passed on to a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unreadable(pub(crate) &'static str);

/// The cookie of the refresh token.
#[derive(Clone, Debug)]
pub(crate) struct SessionCookie {
    cookie: SiteCookie,
    origin: String,
}

impl SessionCookie {
    /// For a site at this address. Cookies don't distinguish ports, and several practices may run
    /// on one machine over http, so there the name has the port.
    pub(crate) fn new(public: &Uri) -> Self {
        let port = public.port_u16().filter(|_| public.scheme_str() != Some("https"));
        let name = port.map_or(COOKIE.to_owned(), |port| format!("{COOKIE}-{port}"));
        let cookie = SiteCookie::new(public, &name, COOKIE_SECONDS_MAX, is_token);
        Self { cookie, origin: origin(public) }
    }

    /// How the session of a request is handled.
    pub(crate) fn transport(&self, method: &Method, headers: &HeaderMap) -> Transport {
        match headers.get(&TRANSPORT).map(HeaderValue::as_bytes) {
            None => return Transport::Plain,
            Some(b"cookie") => {}
            Some(_) => return Transport::Rejected("Unknown session transport"),
        }
        if !self.is_same_origin(headers) {
            return Transport::Rejected("This can be done on the practice's own site only.");
        }
        if !matches!(*method, Method::GET | Method::HEAD | Method::DELETE) && !is_json(headers) {
            return Transport::Rejected("The request must be JSON");
        }
        Transport::Cookie
    }

    /// Whether our own page sent the request. Browsers say so by fetch metadata, except over http
    /// from another machine and if they are old; then the origin has to be the site's, or that of
    /// the address that was called. Other programs send neither and have no cookies of others.
    fn is_same_origin(&self, headers: &HeaderMap) -> bool {
        let mut site = headers.get_all(&FETCH_SITE).iter().peekable();
        if site.peek().is_some() {
            return site.all(|site| site == "same-origin");
        }
        let host = headers.get(header::HOST).map(HeaderValue::as_bytes);
        let mut origins = headers.get_all(header::ORIGIN).iter().map(HeaderValue::as_bytes);
        origins.all(|origin| {
            let called = origin.strip_prefix(b"http://").or(origin.strip_prefix(b"https://"));
            origin == self.origin.as_bytes() || (called.is_some() && called == host)
        })
    }

    /// The refresh token of the browser's session, if it has one.
    pub(crate) fn token<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        self.cookie.read(headers)
    }

    /// The body of a refresh, with the cookie's token in place of the placeholder. `None` if the
    /// page has only the placeholder and there is no cookie. A refresh token of an older page is
    /// left as it is: its answer sets the cookie.
    pub(crate) fn refresh_body(&self, headers: &HeaderMap, body: Bytes) -> Option<Bytes> {
        let Ok(mut grant) = serde_json::from_slice::<Map<String, Value>>(&body) else {
            return Some(body);
        };
        match grant.get_mut("refresh_token") {
            Some(token) if token == PLACEHOLDER => *token = self.cookie.read(headers)?.into(),
            _ => return Some(body),
        }
        serde_json::to_vec(&grant).ok().map(Bytes::from)
    }

    /// The answer as the page gets it, with the cookie to set. An answer without a session is
    /// returned unchanged.
    pub(crate) fn take_session(
        &self,
        body: Bytes,
    ) -> Result<(Bytes, Option<HeaderValue>), Unreadable> {
        let Ok(mut answer) = serde_json::from_slice::<Map<String, Value>>(&body) else {
            // What is no object has no session.
            return Ok((body, None));
        };
        let Some(token) = answer.get_mut("refresh_token") else { return Ok((body, None)) };
        let cookie = token.as_str().and_then(|token| self.cookie.set(token));
        let cookie = cookie.ok_or(Unreadable("a refresh token that fits into no cookie"))?;
        *token = PLACEHOLDER.into();
        // Tokens of another provider's API, which no page of ours needs.
        answer.remove("provider_token");
        answer.remove("provider_refresh_token");
        // The page computes the end by its own clock, which may be wrong.
        answer.remove("expires_at");
        let seconds = answer.get("expires_in").and_then(Value::as_u64);
        let seconds = seconds.map_or(ACCESS_SECONDS_MAX, |seconds| seconds.min(ACCESS_SECONDS_MAX));
        answer.insert("expires_in".to_owned(), seconds.into());
        let body = serde_json::to_vec(&answer).map_err(|_error| Unreadable("no JSON"))?;
        Ok((body.into(), Some(cookie)))
    }

    /// The `Set-Cookie` header that removes the cookie.
    pub(crate) fn cleared(&self) -> Option<HeaderValue> {
        self.cookie.cleared()
    }
}

/// Removes the headers that the identity server must not get: a compressed answer could not be
/// read here.
pub(crate) fn remove_transport(headers: &mut HeaderMap) {
    headers.remove(&TRANSPORT);
    headers.remove(header::ACCEPT_ENCODING);
}

/// Whether an answer can be read, and says everything in its body.
pub(crate) fn check_head(headers: &HeaderMap) -> Result<(), Unreadable> {
    let encoding = headers.get(header::CONTENT_ENCODING);
    if encoding.is_some_and(|encoding| encoding != "identity") {
        return Err(Unreadable("a compressed answer"));
    }
    let location = headers.get(header::LOCATION).map(HeaderValue::as_bytes).unwrap_or_default();
    if location.windows(14).any(|part| part == b"refresh_token=") {
        return Err(Unreadable("a redirect with a session"));
    }
    Ok(())
}

/// Whether an answer to a refresh says that the session has ended.
pub(crate) fn ends_session(status: StatusCode, body: &[u8]) -> bool {
    let refused = [400, 401, 403, 404, 422].contains(&status.as_u16());
    let Ok(error) = serde_json::from_slice::<Map<String, Value>>(body) else { return false };
    let mut codes = ["code", "error_code", "error"]
        .into_iter()
        .filter_map(|name| error.get(name).and_then(Value::as_str));
    refused
        && codes.any(|code| {
            FINAL_ERRORS.contains(&code)
                || FINAL_PREFIXES.iter().any(|prefix| code.starts_with(prefix))
        })
}

impl Operation {
    /// What a request by the cookie does; `refreshes` is what its rate limit has found.
    pub(crate) fn of(method: &Method, path: &str, query: &str, refreshes: bool) -> Self {
        if refreshes {
            return Self::Refresh;
        }
        let scope = form_urlencoded::parse(query.as_bytes())
            .find_map(|(name, value)| (name == "scope").then_some(value));
        let ends = matches!(scope.as_deref(), None | Some("global" | "local"));
        if method == Method::POST && path == "/logout" && ends {
            Self::SignOut
        } else if path.starts_with("/factors/") {
            Self::Raise
        } else {
            Self::Other
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

/// Whether a token can stand in a cookie: RFC 6265's `cookie-octet`.
fn is_token(text: &str) -> bool {
    let octet = |byte: u8| byte.is_ascii_graphic() && !b"\",;\\".contains(&byte);
    !text.is_empty() && text.len() <= TOKEN_CHARS_MAX && text.bytes().all(octet)
}

#[cfg(test)]
mod tests;

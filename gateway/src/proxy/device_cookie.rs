//! The identity server's device tokens, in a cookie that scripts cannot read and other sites cannot
//! send. With one, a browser that has signed in to an account before has limits of its own there.
//! Other clients get the same if they keep cookies, and else the limits of their network.

use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

/// The identity server's header; a client's own is not passed on.
const HEADER: HeaderName = HeaderName::from_static("x-device-token");
const SECONDS: u32 = 365 * 24 * 3600;
/// The cookie's name over https and http.
const COOKIES: [&str; 2] = ["__Host-device", "device"];
/// Tokens of five accounts are shorter.
const CHARS_MAX: usize = 512;

pub(crate) struct DeviceCookie {
    name: &'static str,
    secure: &'static str,
}

impl DeviceCookie {
    /// For a site at this address. Browsers accept the prefix `__Host-` over https only.
    pub(crate) fn new(public: &Uri) -> Self {
        if public.scheme_str() == Some("https") {
            Self { name: COOKIES[0], secure: "; Secure" }
        } else {
            Self { name: COOKIES[1], secure: "" }
        }
    }

    /// Replaces the header by the cookie's tokens.
    pub(crate) fn pass_on(&self, headers: &mut HeaderMap) {
        let tokens = self.read(headers);
        headers.remove(HEADER);
        if let Some(tokens) = tokens {
            headers.insert(HEADER, tokens);
        }
    }

    /// Replaces the response's header by a cookie.
    pub(crate) fn keep(&self, response: &mut Response) {
        let Some(tokens) = response.headers_mut().remove(HEADER) else { return };
        let Some(tokens) = tokens.to_str().ok().filter(|tokens| is_tokens(tokens)) else { return };
        let Self { name, secure } = self;
        let cookie = format!(
            "{name}={tokens}; Path=/; Max-Age={SECONDS}; HttpOnly; SameSite=Strict{secure}"
        );
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }

    fn read(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let lists = headers.get_all(header::COOKIE).iter();
        let mut pairs = lists.filter_map(|list| list.to_str().ok()).flat_map(|it| it.split(';'));
        let tokens = pairs.find_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == self.name).then_some(value)
        })?;
        is_tokens(tokens).then(|| HeaderValue::from_str(tokens).ok()).flatten()
    }
}

fn is_tokens(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !text.is_empty() && text.len() <= CHARS_MAX && text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::{DeviceCookie, HEADER};
    use axum::body::Body;
    use axum::response::Response;
    use http::{HeaderMap, HeaderValue, header};

    fn https() -> DeviceCookie {
        DeviceCookie::new(&"https://sukoon.example".parse().unwrap())
    }

    #[test]
    fn the_cookie_is_passed_on_and_a_clients_own_header_is_not() {
        let mut headers = HeaderMap::new();
        headers.insert(HEADER, HeaderValue::from_static("forged"));
        https().pass_on(&mut headers);
        assert_eq!(headers.get(HEADER), None);
        headers.insert(header::COOKIE, HeaderValue::from_static("a=1; __Host-device=x.y-_1"));
        https().pass_on(&mut headers);
        assert_eq!(headers.get(HEADER).unwrap(), "x.y-_1");
        for wrong in ["device=x", "__Host-device=", "__Host-device=a b", "__Host-devices=x"] {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, HeaderValue::from_str(wrong).unwrap());
            https().pass_on(&mut headers);
            assert_eq!(headers.get(HEADER), None, "{wrong}");
        }
    }

    #[test]
    fn the_response_has_a_cookie_that_scripts_cannot_read() {
        let mut response = Response::new(Body::empty());
        response.headers_mut().insert(HEADER, HeaderValue::from_static("x.y"));
        https().keep(&mut response);
        assert_eq!(response.headers().get(HEADER), None);
        assert_eq!(
            response.headers().get(header::SET_COOKIE).unwrap(),
            "__Host-device=x.y; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict; Secure"
        );
        let mut response = Response::new(Body::empty());
        response.headers_mut().insert(HEADER, HeaderValue::from_static("x; Domain=evil"));
        https().keep(&mut response);
        assert!(response.headers().is_empty());
    }
}

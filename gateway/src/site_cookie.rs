//! Cookies of our own pages that no script can read and no other site can send.

use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use kernel::hex;
use sha2::{Digest as _, Sha256};

/// Fetch metadata: where a request was made. Only browsers set it, and no script can.
pub(crate) const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// One such cookie as this site sets it.
#[derive(Clone, Debug)]
pub(crate) struct SiteCookie {
    name: String,
    secure: &'static str,
    max_seconds: u32,
    /// Whether a value can stand in a cookie without changing it.
    is_value: fn(&str) -> bool,
}

impl SiteCookie {
    /// For a site at this address. The prefix `__Host-` prevents other hosts of the same domain
    /// from setting the cookie, but browsers accept it over https only.
    pub(crate) fn new(
        public: &Uri,
        name: &str,
        max_seconds: u32,
        is_value: fn(&str) -> bool,
    ) -> Self {
        let https = public.scheme_str() == Some("https");
        let (prefix, secure) = if https { ("__Host-", "; Secure") } else { ("", "") };
        Self { name: format!("{prefix}{name}"), secure, max_seconds, is_value }
    }

    /// The value in a request's cookies.
    pub(crate) fn read<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        let lists = headers.get_all(header::COOKIE).iter();
        let mut pairs = lists.filter_map(|list| list.to_str().ok()).flat_map(|it| it.split(';'));
        let value = pairs.find_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == self.name).then_some(value)
        })?;
        (self.is_value)(value).then_some(value)
    }

    /// The `Set-Cookie` header with a value; `None` if the value has characters that could change
    /// the cookie.
    pub(crate) fn set(&self, value: &str) -> Option<HeaderValue> {
        (self.is_value)(value).then(|| self.cookie(value, self.max_seconds)).flatten()
    }

    /// The `Set-Cookie` header that removes the cookie.
    pub(crate) fn cleared(&self) -> Option<HeaderValue> {
        self.cookie("", 0)
    }

    fn cookie(&self, value: &str, seconds: u32) -> Option<HeaderValue> {
        let Self { name, secure, .. } = self;
        let cookie =
            format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
        HeaderValue::from_str(&cookie).ok()
    }
}

/// Names of the cookie with the identity server's device tokens, over https and http.
const DEVICE_COOKIES: [&str; 2] = ["__Host-device", "device"];
/// Enough to tell devices apart.
const FINGERPRINT_DIGITS: usize = 32;

/// A fingerprint of the device tokens among a request's cookies. They are secrets, so no service
/// but the identity server gets them.
pub(crate) fn device_fingerprint(cookies: &HeaderValue) -> Option<String> {
    let pairs = cookies.to_str().ok()?.split(';').filter_map(|pair| pair.trim().split_once('='));
    let (_, tokens) = pairs.into_iter().find(|(name, _)| DEVICE_COOKIES.contains(name))?;
    Some(format!("{:.FINGERPRINT_DIGITS$}", hex::encode(Sha256::digest(tokens))))
}

/// Scheme, host and port; a default port is left out.
pub(crate) fn origin(public: &Uri) -> String {
    let scheme = public.scheme_str().unwrap_or("http");
    let host = public.host().unwrap_or_default().to_ascii_lowercase();
    match (scheme, public.port_u16()) {
        ("https", Some(443)) | ("http", Some(80)) | (_, None) => format!("{scheme}://{host}"),
        (_, Some(port)) => format!("{scheme}://{host}:{port}"),
    }
}

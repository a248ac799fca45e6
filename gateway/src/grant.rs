//! The admin panel's grant between browser and reviews. In the browser it is a cookie that no
//! script can read and no other site can send; behind the gateway it is metadata of the staff calls
//! of reviews, and of no other calls.

use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};

use crate::site_cookie::{FETCH_SITE, SiteCookie, origin};

/// Metadata names of the grant and of the caller's network address.
pub(crate) const GRANT: HeaderName = HeaderName::from_static("x-moderation-grant");
pub(crate) const ADDRESS: HeaderName = HeaderName::from_static("x-caller-address");
/// The cookie's name.
const COOKIE: &str = "admin";
/// Maximum lifetime of the cookie. Reviews expires the grant earlier by its own clock.
const SECONDS_MAX: u32 = 30 * 60;
/// Longer than any grant.
const CHARS_MAX: usize = 128;

/// Metadata of a call of the panel, set by the authorization and forwarded with the call.
#[derive(Clone, Debug, Default)]
pub(crate) struct PanelMetadata {
    /// The grant of the caller's cookie.
    pub(crate) grant: Option<HeaderValue>,
    /// The caller's network address, if the service limits attempts by it.
    pub(crate) address: Option<HeaderValue>,
}

/// The cookie as this site sets it.
#[derive(Clone, Debug)]
pub(crate) struct GrantCookie {
    cookie: SiteCookie,
    /// The site's origin, as browsers write it.
    origin: String,
}

impl GrantCookie {
    /// For a site at this address.
    pub(crate) fn new(public: &Uri) -> Self {
        let cookie = SiteCookie::new(public, COOKIE, SECONDS_MAX, is_grant);
        Self { cookie, origin: origin(public) }
    }

    /// The grant in a request's cookies.
    pub(crate) fn read(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        self.cookie.read(headers).and_then(|grant| HeaderValue::from_str(grant).ok())
    }

    /// The `Set-Cookie` header with a grant; `None` if the grant has characters that could change
    /// the cookie.
    pub(crate) fn set(&self, grant: &str) -> Option<HeaderValue> {
        self.cookie.set(grant)
    }

    /// The `Set-Cookie` header that removes the cookie.
    pub(crate) fn cleared(&self) -> Option<HeaderValue> {
        self.cookie.cleared()
    }

    /// Whether a request comes from our own pages, or from no page. Another site can't forge these
    /// headers in a browser, and other programs don't have the cookies of others.
    pub(crate) fn is_same_origin(&self, headers: &HeaderMap) -> bool {
        let site = headers.get_all(&FETCH_SITE).iter();
        let origin = headers.get_all(header::ORIGIN).iter();
        site.into_iter().all(|site| site == "same-origin" || site == "none")
            && origin.into_iter().all(|origin| origin.as_bytes() == self.origin.as_bytes())
    }
}

fn is_grant(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    !text.is_empty() && text.len() <= CHARS_MAX && text.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::{GrantCookie, HeaderMap, HeaderValue, header};

    fn of(public: &str) -> GrantCookie {
        GrantCookie::new(&public.parse().unwrap())
    }

    fn with(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn the_cookie_is_closed_to_scripts_and_to_other_sites() {
        assert_eq!(
            of("https://sukoon.example").set("abc-_1").unwrap(),
            "__Host-admin=abc-_1; Path=/; Max-Age=1800; HttpOnly; SameSite=Strict; Secure"
        );
        assert_eq!(
            of("http://127.0.0.1:8080").cleared().unwrap(),
            "admin=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"
        );
        assert_eq!(of("http://127.0.0.1:8080").set("a; Domain=example"), None);
        assert_eq!(of("http://127.0.0.1:8080").set(""), None);
    }

    #[test]
    fn only_our_own_cookie_is_read() {
        let read = |list: &str| of("https://a.example").read(&with(header::COOKIE, list));
        let grant = Some(HeaderValue::from_static("g1"));
        assert_eq!(read("x=1; __Host-admin=g1;y=2"), grant);
        for none in ["admin=g1", "__Host-admin=", "__Host-admin=a b", "__Host-administrator=g1"] {
            assert_eq!(read(none), None, "{none}");
        }
        assert_eq!(of("http://a.example").read(&with(header::COOKIE, "admin=g1")), grant);
    }

    #[test]
    fn other_sites_are_distinguished() {
        let cookie = of("https://Sukoon.example:443/");
        let from = |name: &'static str, value: &str| {
            cookie.is_same_origin(&with(header::HeaderName::from_static(name), value))
        };
        assert!(cookie.is_same_origin(&HeaderMap::new()));
        assert!(from("origin", "https://sukoon.example"));
        assert!(from("sec-fetch-site", "same-origin") && from("sec-fetch-site", "none"));
        for other in ["https://evil.example", "http://sukoon.example", "null", ""] {
            assert!(!from("origin", other), "{other}");
        }
        for other in ["cross-site", "same-site", ""] {
            assert!(!from("sec-fetch-site", other), "{other}");
        }
        assert!(
            of("http://127.0.0.1:8080")
                .is_same_origin(&with(header::ORIGIN, "http://127.0.0.1:8080"))
        );
    }
}

//! Files that are compiled in, and the headers of pages and files.

use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const CSS: &str = "text/css; charset=utf-8";
pub(crate) const SCRIPT: &str = "text/javascript; charset=utf-8";
pub(crate) const SVG: &str = "image/svg+xml";

/// The content policy of the sandbox's own pages: no inline code, nothing from other origins.
const STRICT: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'";

/// The content policy of the checkout. It submits its answer to the website's `callback_url`, and
/// browsers apply `form-action` to the redirects of that page too.
const CHECKOUT: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'";

/// The content policy of a payment link's page, which opens the checkout as a website does: its
/// frame, its styles, its script and its beacon have other origins.
const LINK: &str = "default-src 'none'; script-src 'self' {risk}; style-src 'self' \
    'unsafe-inline'; img-src 'self' data:; connect-src 'self' {risk}; frame-src {frame}; \
    base-uri 'none'";

/// The content policy of the inbox. A mail has its own styles and pictures. It is shown in a frame
/// that inherits this policy, and its scripts stay forbidden.
const WITH_MAILS: &str = "default-src 'none'; script-src 'self'; \
    style-src 'self' 'unsafe-inline'; img-src * data:; font-src * data:; connect-src 'self'; \
    frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/// A file that changes only when the program changes.
pub(crate) fn file(kind: &'static str, body: impl Into<String>) -> Response {
    let headers = [(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-cache"), NO_SNIFF];
    (headers, body.into()).into_response()
}

/// Lets pages of other origins load a file.
pub(crate) fn cross_origin(mut response: Response) -> Response {
    let allowed = HeaderValue::from_static("cross-origin");
    response.headers_mut().insert("cross-origin-resource-policy", allowed);
    response
}

/// A page of the sandbox.
pub(crate) fn page(body: impl Into<String>) -> Response {
    with_policy(body.into(), STRICT)
}

/// A page that other sites show in a frame, and that frames pages of another origin.
pub(crate) fn framed_page(body: impl Into<String>, frame_url: &str) -> Response {
    with_policy(body.into(), &format!("{STRICT}; frame-src {frame_url}"))
}

/// The page of the checkout.
pub(crate) fn checkout_page(body: impl Into<String>) -> Response {
    with_policy(body.into(), CHECKOUT)
}

/// The page of a payment link.
pub(crate) fn link_page(body: impl Into<String>, frame_url: &str) -> Response {
    let policy = LINK.replace("{frame}", frame_url).replace("{risk}", "http://*.localhost:*");
    with_policy(body.into(), &policy)
}

/// The page that shows mails.
pub(crate) fn mail_page(body: impl Into<String>) -> Response {
    with_policy(body.into(), WITH_MAILS)
}

const NO_SNIFF: (HeaderName, &str) = (header::X_CONTENT_TYPE_OPTIONS, "nosniff");

fn with_policy(body: String, policy: &str) -> Response {
    let mut response = file(HTML, body);
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(policy) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// Escapes a text for HTML elements and attributes.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

/// Formats paise as rupees with Indian digit grouping. Paise are left out when they are zero.
pub(crate) fn rupees(paise: i64) -> String {
    let whole = (paise / 100).to_string();
    let (head, tail) = whole.split_at(whole.len().saturating_sub(3));
    let mut grouped = String::new();
    for (at, digit) in head.chars().enumerate() {
        if at > 0 && (head.len() - at).is_multiple_of(2) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if !grouped.is_empty() {
        grouped.push(',');
    }
    match paise % 100 {
        0 => format!("₹{grouped}{tail}"),
        rest => format!("₹{grouped}{tail}.{rest:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::rupees;

    #[test]
    fn amounts_are_grouped_as_in_india() {
        assert_eq!(rupees(50_000), "₹500");
        assert_eq!(rupees(110_000), "₹1,100");
        assert_eq!(rupees(12_345_678), "₹1,23,456.78");
        assert_eq!(rupees(105), "₹1.05");
    }
}

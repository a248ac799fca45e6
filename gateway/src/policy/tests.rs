//! The policies as they are sent, word for word.

use super::{Document, Policies, PolicyParts};
use http::HeaderMap;

fn sent(document: Document, https: bool) -> HeaderMap {
    let parts = PolicyParts {
        script_hashes: &["sha256-abc=".to_owned()],
        checkout_origins: &["http://127.0.0.1:8090".to_owned()],
        https,
    };
    let mut headers = HeaderMap::new();
    Policies::new(&parts).unwrap().apply(&mut headers, document);
    headers
}

#[test]
fn an_ordinary_page_runs_only_our_own_files() {
    let headers = sent(Document::Ordinary, false);
    assert_eq!(
        headers["content-security-policy"],
        "default-src 'none'; script-src 'self' 'sha256-abc='; style-src 'self'; \
         img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
         object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    );
    assert_eq!(headers["cross-origin-opener-policy"], "same-origin");
    assert!(headers["permissions-policy"].to_str().unwrap().ends_with("payment=()"));
    assert!(!headers.contains_key("strict-transport-security"));
}

#[test]
fn only_the_booking_document_may_use_the_provider() {
    let headers = sent(Document::Booking, false);
    assert_eq!(
        headers["content-security-policy"],
        "default-src 'none'; script-src 'self' 'sha256-abc=' http://127.0.0.1:8090; \
         style-src 'self'; img-src 'self' data: http://127.0.0.1:8090; font-src 'self'; \
         connect-src 'self' http://127.0.0.1:8090; manifest-src 'self'; object-src 'none'; \
         base-uri 'none'; form-action 'self' http://127.0.0.1:8090; frame-ancestors 'none'; \
         frame-src http://127.0.0.1:8090"
    );
    assert_eq!(headers["cross-origin-opener-policy"], "same-origin-allow-popups");
}

#[test]
fn https_is_insisted_on_only_where_it_is_used() {
    let headers = sent(Document::Ordinary, true);
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.ends_with("; upgrade-insecure-requests"));
    assert!(headers["strict-transport-security"].to_str().unwrap().starts_with("max-age=63072000"));
}

#[test]
fn a_picture_keeps_its_own_stricter_policy() {
    let strict = "default-src 'none'; sandbox";
    let parts = PolicyParts { script_hashes: &[], checkout_origins: &[], https: false };
    let policies = Policies::new(&parts).unwrap();
    let applied = |document| {
        let mut headers = HeaderMap::new();
        headers.insert("content-security-policy", strict.parse().unwrap());
        policies.apply(&mut headers, document);
        headers
    };
    let picture = applied(Document::Picture);
    assert_eq!(picture["content-security-policy"], strict);
    assert_eq!(picture["x-content-type-options"], "nosniff");
    assert_ne!(applied(Document::Ordinary)["content-security-policy"], strict);
}

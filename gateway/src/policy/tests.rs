//! The policies, exactly as they are sent.

use super::{Document, Policies, PolicyParts};
use crate::web_files::csp::CspSources;
use http::HeaderMap;

fn sent(document: Document, https: bool) -> HeaderMap {
    sent_with(document, https, CspSources::default())
}

fn sent_with(document: Document, https: bool, allowed: CspSources) -> HeaderMap {
    let script_hashes = vec!["sha256-abc=".to_owned()];
    let parts = PolicyParts {
        allowed: &CspSources { script_hashes, ..allowed },
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
         img-src 'self' data:; media-src 'self'; font-src 'self'; connect-src 'self'; \
         manifest-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; \
         frame-ancestors 'none'"
    );
    assert_eq!(headers["cross-origin-opener-policy"], "same-origin");
    let permissions = headers["permissions-policy"].to_str().unwrap();
    let passkeys = "publickey-credentials-create=(self), publickey-credentials-get=(self)";
    assert!(permissions.ends_with(&format!("payment=(), {passkeys}")), "{permissions}");
    assert!(!headers.contains_key("strict-transport-security"));
}

#[test]
fn only_the_booking_document_may_use_the_provider() {
    let headers = sent(Document::Booking, false);
    assert_eq!(
        headers["content-security-policy"],
        "default-src 'none'; script-src 'self' 'sha256-abc=' http://127.0.0.1:8090; \
         style-src 'self' 'unsafe-inline'; img-src 'self' data: http://127.0.0.1:8090; \
         media-src 'self'; \
         font-src 'self'; connect-src 'self' http://127.0.0.1:8090; manifest-src 'self'; \
         object-src 'none'; base-uri 'none'; form-action 'self' http://127.0.0.1:8090; \
         frame-ancestors 'none'; frame-src http://127.0.0.1:8090; \
         report-uri /policy-reports"
    );
    assert_eq!(headers["cross-origin-opener-policy"], "same-origin-allow-popups");
    let permissions = headers["permissions-policy"].to_str().unwrap();
    let frames = r#"(self "http://127.0.0.1:8090")"#;
    let passkeys =
        format!("publickey-credentials-create=(self), publickey-credentials-get={frames}");
    let end = format!("payment={frames}, {passkeys}");
    assert!(permissions.ends_with(&end) && permissions.contains("camera=()"), "{permissions}");
}

#[test]
fn external_media_are_allowed_on_ordinary_pages_only() {
    let allowed = || CspSources {
        media_origins: vec!["https://media.example".to_owned()],
        image_origins: vec!["https://images.example".to_owned()],
        ..CspSources::default()
    };
    let ordinary = sent_with(Document::Ordinary, false, allowed());
    let ordinary = ordinary["content-security-policy"].to_str().unwrap();
    let shown = "; img-src 'self' data: https://images.example; \
                 media-src 'self' https://media.example; ";
    assert!(ordinary.contains(shown), "{ordinary}");
    assert_eq!(ordinary.matches("images.example").count(), 1);
    assert_eq!(ordinary.matches("media.example").count(), 1);
    let booking = sent_with(Document::Booking, false, allowed());
    let booking = booking["content-security-policy"].to_str().unwrap();
    assert!(!booking.contains("images.example") && !booking.contains("media.example"), "{booking}");
}

#[test]
fn a_video_may_use_fullscreen_but_not_autoplay() {
    let headers = sent(Document::Ordinary, false);
    let permissions = headers["permissions-policy"].to_str().unwrap();
    assert!(permissions.contains("autoplay=()"), "{permissions}");
    for own in ["fullscreen", "picture-in-picture"] {
        assert!(!permissions.contains(own), "{permissions}");
    }
}

#[test]
fn https_is_enforced_only_where_it_is_used() {
    let headers = sent(Document::Ordinary, true);
    let policy = headers["content-security-policy"].to_str().unwrap();
    assert!(policy.ends_with("; upgrade-insecure-requests"));
    let https_only = "max-age=63072000; includeSubDomains; preload";
    assert_eq!(headers["strict-transport-security"], https_only);
}

#[test]
fn only_what_other_sites_load_has_the_cross_origin_policy() {
    let policy = "cross-origin-resource-policy";
    for shared in [Document::Shared, Document::Widget] {
        assert_eq!(sent(shared, true)[policy], "cross-origin");
    }
    for other in [Document::Ordinary, Document::Booking, Document::Picture] {
        assert_eq!(sent(other, true)[policy], "same-origin");
    }
}

#[test]
fn a_picture_keeps_its_own_stricter_policy() {
    let strict = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox";
    let parts =
        PolicyParts { allowed: &CspSources::default(), checkout_origins: &[], https: false };
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

#[test]
fn only_the_widget_may_be_framed_and_only_by_the_listed_origins() {
    let listed = || CspSources {
        frame_ancestors: vec![
            "https://site.example".to_owned(),
            "http://localhost:8081".to_owned(),
        ],
        ..CspSources::default()
    };
    let widget = sent_with(Document::Widget, false, listed());
    assert_eq!(
        widget["content-security-policy"],
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; \
         frame-ancestors https://site.example http://localhost:8081"
    );
    for other in [Document::Ordinary, Document::Booking, Document::Shared] {
        let policy = sent_with(other, false, listed());
        let policy = policy["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!policy.contains("site.example"), "{policy}");
    }
    let unlisted = sent(Document::Widget, true);
    let unlisted = unlisted["content-security-policy"].to_str().unwrap();
    assert!(unlisted.ends_with("frame-ancestors 'none'; upgrade-insecure-requests"), "{unlisted}");
}

#[test]
fn only_the_listed_widgets_are_framed_and_nothing_without_a_list() {
    let listed = || CspSources {
        frame_origins: vec!["https://calendly.example".to_owned()],
        ..CspSources::default()
    };
    let policy = |document, allowed| {
        let sent = sent_with(document, false, allowed);
        sent["content-security-policy"].to_str().unwrap().to_owned()
    };
    let page = policy(Document::Ordinary, listed());
    assert!(page.contains("; frame-src https://calendly.example"), "{page}");
    for (document, allowed) in [
        (Document::Ordinary, CspSources::default()),
        (Document::Booking, listed()),
        (Document::Widget, listed()),
    ] {
        let policy = policy(document, allowed);
        assert!(!policy.contains("calendly.example"), "{policy}");
    }
}

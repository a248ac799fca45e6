//! Required files of a build, and the paths that it is served at.

use super::{
    CspFile, SiteError, WebFile, WebFiles, content_type_of, route_of, service_id, validate,
    with_origin,
};
use kernel::Id;
use kernel::id::Review;
use std::path::Path;

#[test]
fn documents_are_served_at_their_folders_path() {
    assert_eq!(route_of("/index.html"), "/");
    assert_eq!(route_of("/about/index.html"), "/about");
    assert_eq!(route_of("/service/energy-healing/index.html"), "/service/energy-healing");
    assert_eq!(route_of("/about.html"), "/about");
}

#[test]
fn only_one_path_segment_is_a_service_id() {
    assert_eq!(service_id("/service/energy-healing"), Some("energy-healing"));
    assert_eq!(service_id("/services/energy-healing"), Some("energy-healing"));
    for none in ["/services", "/service/", "/services/a/b", "/about"] {
        assert_eq!(service_id(none), None, "{none}");
    }
}

fn listed(hash: &str, media: &str, image: &str) -> CspFile {
    CspFile {
        script_hashes: vec![hash.to_owned()],
        media_origins: vec![media.to_owned()],
        image_origins: vec![image.to_owned()],
    }
}

const HASH: &str = "'sha256-ab+/='";
const MEDIA: &str = "https://media.example:8443";
const IMAGES: &str = "https://images.example";

#[test]
fn hashes_and_origins_are_taken_over() {
    let allowed = validate(listed(HASH, MEDIA, IMAGES)).unwrap();
    assert_eq!(allowed.script_hashes, ["sha256-ab+/="]);
    assert_eq!(
        (allowed.media_origins, allowed.image_origins),
        (vec![MEDIA.to_owned()], vec![IMAGES.to_owned()],)
    );
}

#[test]
fn a_hash_cannot_smuggle_a_directive() {
    for wrong in ["sha256-a' 'unsafe-inline", "unsafe-inline", "sha256-", "sha256-a; img-src *"] {
        let checked = validate(listed(wrong, MEDIA, IMAGES));
        assert!(matches!(checked, Err(SiteError::Malformed { .. })), "{wrong}");
    }
}

#[test]
fn an_origin_cannot_smuggle_a_directive_or_allow_more_than_one_host() {
    for wrong in [
        "https://a; script-src *",
        "'unsafe-inline'",
        "https://*.example",
        "https://",
        "https://a/b",
        "http://a.example",
        "*",
        "",
    ] {
        for list in [listed(HASH, wrong, IMAGES), listed(HASH, MEDIA, wrong)] {
            assert!(matches!(validate(list), Err(SiteError::Malformed { .. })), "{wrong}");
        }
    }
}

#[test]
fn older_builds_name_no_origins() {
    let list = serde_json::from_str(r#"{"scriptHashes": ["sha256-ab"]}"#).unwrap();
    let allowed = validate(list).unwrap();
    assert!(allowed.media_origins.is_empty() && allowed.image_origins.is_empty());
}

#[test]
fn the_sites_origin_replaces_the_builds_placeholder() {
    let read = |name: &str| {
        let text = "a https://site.invalid/x \"https://site.invalid\"";
        WebFile::new(name, text.as_bytes().to_vec(), "https://sukoon.example")
    };
    let there = "a https://sukoon.example/x \"https://sukoon.example\"";
    for name in ["/index.html", "/sitemap.xml", "/robots.txt"] {
        assert_eq!(read(name).bytes, there, "{name}");
    }
    // The ETag is computed from the content as sent.
    let other = WebFile::new("/index.html", b"a".to_vec(), "https://other.example");
    assert_ne!(read("/index.html").tag, other.tag);
    assert_ne!(read("/assets/app.js").bytes, there);
    // Binary content is not changed.
    assert_eq!(with_origin(vec![0xff, 0x00], "https://sukoon.example"), [0xff, 0x00]);
}

#[test]
fn a_reviews_document_has_its_own_address() {
    let text = "<a href=\"https://site.invalid/reviews/rvw_00000000000000000000000000000000\">";
    let document = WebFile::new("/review.html", text.into(), "https://sukoon.example");
    let id: Id<Review> = "rvw_0198c0de000070008000000000000001".parse().unwrap();
    let own = document.for_review(id);
    assert_eq!(own.bytes, format!("<a href=\"https://sukoon.example/reviews/{id}\">"));
    assert_eq!(
        (own.content_type, own.compressible),
        (document.content_type, document.compressible)
    );
    // Each review has its own ETag, so a cached document is never used for another review.
    assert_ne!(own.tag, document.tag);
    // Older builds have no address in it.
    let older = WebFile::new("/review.html", b"<h1>".to_vec(), "");
    assert_eq!(older.for_review(id).bytes, older.bytes);
}

#[test]
fn compressed_formats_are_not_compressed_again() {
    let long = |name: &str| WebFile::new(name, vec![b'a'; 5000], "");
    for name in ["/x.html", "/x.vtt", "/x.xml", "/x.svg", "/x.txt", "/x.json"] {
        let file = long(name);
        assert!(file.compressed().is_some() && file.compressible, "{name}");
        assert!(file.tag.to_str().unwrap().starts_with("W/\""), "{name}");
    }
    let packed = ["/x.mp4", "/x.webm", "/x.png", "/x.jpg", "/x.webp", "/x.avif", "/x.woff2"];
    let other = ["/x.mov", "/x.m4v", "/x.gif", "/x.ico", "/x.MP4", "/x.zip", "/x.thing", "/x"];
    for name in packed.into_iter().chain(other) {
        let file = long(name);
        assert!(file.compressed().is_none() && !file.compressible, "{name}");
        assert!(file.tag.to_str().unwrap().starts_with('"'), "{name}");
    }
}

#[test]
fn the_content_type_follows_from_the_name() {
    for (name, content_type) in [
        ("/media/a.mp4", "video/mp4"),
        ("/media/a.webm", "video/webm"),
        ("/media/a.vtt", "text/vtt; charset=utf-8"),
        ("/cards/a.png", "image/png"),
        ("/a.jpg", "image/jpeg"),
        ("/a.jpeg", "image/jpeg"),
        ("/a.webp", "image/webp"),
        ("/a.avif", "image/avif"),
        ("/sitemap.xml", "application/xml; charset=utf-8"),
        ("/robots.txt", "text/plain; charset=utf-8"),
        ("/media/a.m4v", "video/mp4"),
        ("/media/a.mov", "video/quicktime"),
        ("/media/IMG 0001.MP4", "video/mp4"),
        ("/media/Portrait.JPG", "image/jpeg"),
        ("/media/a.Vtt", "text/vtt; charset=utf-8"),
        ("/unknown.thing", "application/octet-stream"),
    ] {
        assert_eq!(content_type_of(name), content_type, "{name}");
    }
}

#[test]
fn without_a_built_site_the_start_says_so() {
    let error = WebFiles::load(Path::new("no-such-folder"), "").unwrap_err().to_string();
    assert!(error.contains("\"no-such-folder\" holds no built site"), "{error}");
}

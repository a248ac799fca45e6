//! Content types, the site's origin in documents, and compression.

use super::{WebFile, content_type_of, with_origin};
use kernel::Id;
use kernel::id::Review;

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

//! One file of the built site, with what its response needs. The build does not know the site's
//! address; its placeholder is replaced here, so that one build serves every address.

use std::io::Write as _;
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::HeaderValue;
use kernel::Id;
use kernel::id::Review;

use crate::etag::{strong_etag, weak_etag};

/// Compression doesn't make smaller files smaller.
const COMPRESS_FROM_BYTES: usize = 1024;
/// The build's placeholder for the site's origin.
const BUILD_ORIGIN: &str = "https://site.invalid";
/// The build's placeholder for a review's id.
const BUILD_REVIEW: &str = "rvw_00000000000000000000000000000000";
/// Prefixes of content types that are compressed with gzip. All others are sent as they are, in
/// ranges: most are compressed formats.
const COMPRESSIBLE: &[&str] =
    &["text/", "application/json", "application/manifest+json", "application/xml", "image/svg+xml"];

/// One file with everything that its response needs.
#[derive(Debug)]
pub(crate) struct WebFile {
    pub(crate) bytes: Bytes,
    pub(crate) content_type: &'static str,
    pub(crate) tag: HeaderValue,
    /// Whether it may be sent as gzip. Other files are always sent as the same bytes, so ranges of
    /// them can be served.
    pub(crate) compressible: bool,
    compressed: OnceLock<Option<Bytes>>,
}

impl WebFile {
    /// A file of the build, at the site's origin.
    pub(crate) fn new(name: &str, bytes: Vec<u8>, origin: &str) -> Self {
        let content_type = content_type_of(name);
        let bytes =
            Bytes::from(if contains_origin(name) { with_origin(bytes, origin) } else { bytes });
        let compressible = COMPRESSIBLE.iter().any(|start| content_type.starts_with(start));
        let tag = if compressible { weak_etag(&bytes) } else { strong_etag(&bytes) };
        Self { bytes, content_type, tag, compressible, compressed: OnceLock::new() }
    }

    /// A document that was rendered for one response.
    pub(crate) fn document(bytes: Bytes) -> Self {
        let (content_type, tag) = (content_type_of("html"), weak_etag(&bytes));
        Self { bytes, content_type, tag, compressible: true, compressed: OnceLock::new() }
    }

    /// The document with the review's id in its own address. The type guarantees that only an id is
    /// inserted.
    pub(crate) fn for_review(&self, id: Id<Review>) -> Self {
        let text = String::from_utf8_lossy(&self.bytes).replace(BUILD_REVIEW, &id.to_string());
        Self::document(Bytes::from(text))
    }

    /// The file as gzip, compressed on first use; `None` if that isn't smaller.
    pub(crate) fn compressed(&self) -> Option<Bytes> {
        let make = || {
            if !self.compressible || self.bytes.len() < COMPRESS_FROM_BYTES {
                return None;
            }
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&self.bytes).ok()?;
            let bytes = encoder.finish().ok()?;
            (bytes.len() < self.bytes.len()).then(|| Bytes::from(bytes))
        };
        self.compressed.get_or_init(make).clone()
    }
}

/// Whether files of this type may contain the site's origin.
fn contains_origin(name: &str) -> bool {
    [".html", ".xml", ".txt"].iter().any(|end| name.ends_with(end))
}

/// Replaces the build's placeholder with the site's origin.
fn with_origin(bytes: Vec<u8>, origin: &str) -> Vec<u8> {
    match String::from_utf8(bytes) {
        Ok(text) => text.replace(BUILD_ORIGIN, origin).into_bytes(),
        Err(other) => other.into_bytes(),
    }
}

fn content_type_of(name: &str) -> &'static str {
    // Cameras and older systems write extensions in capitals.
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match ending.as_str() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "txt" => "text/plain; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "xml" => "application/xml; charset=utf-8",
        "vtt" => "text/vtt; charset=utf-8",
        "svg" => "image/svg+xml; charset=utf-8",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "mp4" | "m4v" => "video/mp4",
        "webm" => "video/webm",
        "mov" => "video/quicktime",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests;

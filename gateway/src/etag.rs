//! ETags, which are made from the content, and the checks of `If-Match` and `If-None-Match` (RFC
//! 9110, 13.1).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use sha2::{Digest as _, Sha256};

/// A weak ETag, because the same content is sent compressed or not.
pub(crate) fn weak_etag(bytes: &Bytes) -> HeaderValue {
    etag("W/", bytes)
}

/// A strong ETag, for content that is always sent as the same bytes.
pub(crate) fn strong_etag(bytes: &Bytes) -> HeaderValue {
    etag("", bytes)
}

fn etag(start: &str, bytes: &Bytes) -> HeaderValue {
    let digest = Sha256::digest(bytes);
    let short = digest.get(..16).unwrap_or(&digest);
    let text = format!("{start}\"{}\"", URL_SAFE_NO_PAD.encode(short));
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("W/\"\""))
}

/// Whether the request's If-None-Match contains the ETag, or takes any.
pub(crate) fn matches_etag(request_headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let Ok(tag) = tag.to_str() else { return false };
    let opaque = tag.trim_start_matches("W/");
    listed(request_headers, header::IF_NONE_MATCH)
        .any(|one| one == "*" || one.trim_start_matches("W/") == opaque)
}

/// Whether the request is for another content only: it has If-Match, and not with this strong ETag.
pub(crate) fn is_for_another(request_headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let same = |one: &str| one == "*" || (one.starts_with('"') && one.as_bytes() == tag.as_bytes());
    request_headers.contains_key(header::IF_MATCH)
        && !listed(request_headers, header::IF_MATCH).any(same)
}

/// The ETags of a header, which may have several lines.
fn listed(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(name).into_iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}

//! ETags, which are made from the content, and the check of `If-None-Match`.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};
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

/// Whether the request's If-None-Match contains the ETag.
pub(crate) fn matches_etag(request_headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let (Some(known), Ok(tag)) = (request_headers.get(header::IF_NONE_MATCH), tag.to_str()) else {
        return false;
    };
    let opaque = tag.trim_start_matches("W/");
    known.to_str().is_ok_and(|known| {
        known.split(',').any(|one| one.trim().trim_start_matches("W/") == opaque)
    })
}

//! The site's pages and files: the right page with the right status for every path, and caching
//! that never shows an old page.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use kernel::Id;
use kernel::id::Review;

use crate::access::has_already;
use crate::booking_links;
use crate::edge::Caller;
use crate::error_form;
use crate::policy::Document;
use crate::ranges::{Wanted, wanted};
use crate::review_page::readers_now;
use crate::routes::readable;
use crate::rpc::{Known, ReviewLookup};
use crate::web_files::{WebFile, WebFiles, review_id, service_id};

/// The one document that may load the payment provider's checkout.
const BOOKING: &str = "/booking-flow";
/// Below this are the pictures that previews of shared links show.
const CARDS: &str = "/cards/";
/// Names under /assets/ hold a hash of their content.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Icons and the like keep their names, and change rarely.
const SHORT: HeaderValue = HeaderValue::from_static("public, max-age=3600");
/// A page may be kept but is asked for again each time.
const FRESH: HeaderValue = HeaderValue::from_static("no-cache");

/// How many headers an answer has room for from the beginning; the edge adds some.
const HEADERS_ROOM: usize = 16;

/// The site, and who knows which reviews there are.
pub(crate) struct Site {
    pub(crate) files: Arc<WebFiles>,
    pub(crate) reviews: ReviewLookup,
}

pub(crate) async fn serve(
    State(site): State<Arc<Site>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return error_form::method_not_allowed("GET, HEAD", &caller.reference);
    }
    let path = request.uri().path();
    let asked = request.headers();
    let files = &site.files;
    if let Some(to) = booking_links::redirect(files, request.uri()) {
        return to;
    }
    if let Some(known) = known(files, path, &request) {
        return known;
    }
    if let Some(to) = canonical(files, request.uri()) {
        return to;
    }
    let review = review_id(path).and_then(|id| id.parse::<Id<Review>>().ok());
    if let (Some(id), Some(page)) = (review, &files.review) {
        let words = match site.reviews.find(id).await {
            Known::There(answer) => {
                page.words.as_ref().and_then(|words| words.of(&answer, readers_now()))
            }
            // Only an answer that says so takes a review away; without one the page itself tells.
            Known::Unknown => None,
            Known::Missing => return missing(files, path),
        };
        return sent(&words.unwrap_or_else(|| page.found.of_review(id)), asked, FRESH);
    }
    missing(files, path)
}

/// A page or a file that is always the same; for this nobody has to be asked.
pub(crate) fn known<B>(
    files: &WebFiles,
    path: &str,
    request: &http::Request<B>,
) -> Option<Response> {
    let asked = request.headers();
    if let Some(page) = files.page(path) {
        let mut answer = sent(page, asked, FRESH);
        if path == BOOKING {
            answer.extensions_mut().insert(Document::Booking);
        }
        return Some(answer);
    }
    let file = files.file(path)?;
    let cache = if path.starts_with("/assets/") { IMMUTABLE } else { SHORT };
    let mut answer = if file.packable {
        sent(file, asked, cache)
    } else {
        sent_in_parts(file, request.method(), asked, cache)
    };
    if path.starts_with(CARDS) {
        answer.extensions_mut().insert(Document::Card);
    }
    Some(answer)
}

/// A known page with a slash behind it moves to its one address. Only known pages do: a redirect
/// to whatever was asked for could be made to lead to another site.
fn canonical(site: &WebFiles, uri: &Uri) -> Option<Response> {
    let path = uri.path().strip_suffix('/')?;
    let is_review = review_id(path).is_some_and(|id| id.parse::<Id<Review>>().is_ok());
    if site.page(path).is_none() && !is_review {
        return None;
    }
    let to = uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    let to = HeaderValue::from_str(&to).ok()?;
    Some((StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, to)]).into_response())
}

fn missing(site: &WebFiles, path: &str) -> Response {
    tracing::info!(path = readable(path), "no such page");
    let page = match (service_id(path), &site.service_not_found, review_id(path), &site.review) {
        (Some(_), Some(page), ..) => page,
        (.., Some(_), Some(page)) => &page.missing,
        _ => &site.not_found,
    };
    let mut answer = sent(page, &HeaderMap::new(), FRESH);
    *answer.status_mut() = StatusCode::NOT_FOUND;
    answer.headers_mut().remove(header::ETAG);
    answer
}

fn sent(file: &WebFile, asked: &HeaderMap, cache: HeaderValue) -> Response {
    let mut headers = HeaderMap::with_capacity(HEADERS_ROOM);
    headers.insert(header::CACHE_CONTROL, cache);
    headers.insert(header::ETAG, file.tag.clone());
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if has_already(asked, &file.tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
    let small = takes_gzip(asked).then(|| file.compressed()).flatten();
    if small.is_some() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    let bytes = small.unwrap_or_else(|| file.bytes.clone());
    (headers, Body::from(bytes)).into_response()
}

/// A file that is never compressed, or the part of it that was asked for.
fn sent_in_parts(
    file: &WebFile,
    method: &Method,
    asked: &HeaderMap,
    cache: HeaderValue,
) -> Response {
    let mut headers = HeaderMap::new();
    headers.insert(header::CACHE_CONTROL, cache);
    headers.insert(header::ETAG, file.tag.clone());
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    if has_already(asked, &file.tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let length = file.bytes.len();
    let (status, body, place) = match wanted(method, asked, length, &file.tag) {
        Wanted::Whole => (StatusCode::OK, file.bytes.clone(), None),
        Wanted::Part(part) => {
            let last = part.end.saturating_sub(1);
            let place = format!("bytes {}-{last}/{length}", part.start);
            (StatusCode::PARTIAL_CONTENT, file.bytes.slice(part), Some(place))
        }
        Wanted::Beyond => {
            let place = format!("bytes */{length}");
            (StatusCode::RANGE_NOT_SATISFIABLE, Bytes::new(), Some(place))
        }
    };
    if let Some(place) = place.and_then(|place| HeaderValue::from_str(&place).ok()) {
        headers.insert(header::CONTENT_RANGE, place);
    }
    if status != StatusCode::RANGE_NOT_SATISFIABLE {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
    }
    (status, headers, Body::from(body)).into_response()
}

fn takes_gzip(asked: &HeaderMap) -> bool {
    let Some(list) = asked.get(header::ACCEPT_ENCODING).and_then(|list| list.to_str().ok()) else {
        return false;
    };
    list.split(',').any(|one| {
        let (name, quality) = one.split_once(';').unwrap_or((one, ""));
        let refused =
            matches!(quality.trim().trim_start_matches("q="), "0" | "0.0" | "0.00" | "0.000");
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

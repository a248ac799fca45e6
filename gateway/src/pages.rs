//! The site's pages and files: each path's page with its status, and cache headers with which no
//! outdated page is shown.

mod ranges;

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use kernel::Id;
use kernel::id::Review;
use runtime::Revised;

use crate::caller::Caller;
use crate::error_response;
use crate::etag::{is_for_another, matches_etag};
use crate::pages::ranges::{RequestedRange, parse_range};
use crate::policy::Document;
use crate::routes::sanitized_path;
use crate::upstream::{ReviewLookup, ReviewLookupResult};
use crate::web_files::file::WebFile;
use crate::web_files::review_page::wall_clock;
use crate::web_files::{WebFiles, review_id, service_id};

/// The one document that may load the payment provider's checkout.
const BOOKING: &str = "/booking-flow";
/// The one document that other sites may frame.
const WIDGET: &str = "/embed/book";
/// The script that puts the widget on a page of another site.
const WIDGET_SCRIPT: &str = "/embed.js";
/// Folder of the pictures in previews of shared links.
const CARDS: &str = "/cards/";
/// Files in /assets/ have a hash of their content in their name.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Icons and similar files keep their names and change rarely.
const ONE_HOUR: HeaderValue = HeaderValue::from_static("public, max-age=3600");
/// The widget's script keeps its name on other sites for ever, and a mended one has to reach them
/// soon.
const FIVE_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");
/// A page may be cached but is revalidated each time.
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");

/// Initial capacity for headers; the middleware adds some.
const HEADERS_CAPACITY: usize = 16;

/// The site's files, and the lookup of reviews.
pub(crate) struct SiteState {
    pub(crate) files: Revised<WebFiles>,
    pub(crate) reviews: ReviewLookup,
}

pub(crate) async fn serve(
    State(site): State<Arc<SiteState>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return error_response::method_not_allowed("GET, HEAD", &caller.reference);
    }
    let path = request.uri().path();
    let request_headers = request.headers();
    let files = site.files.get();
    let files = &*files;
    if let Some(answer) = serve_static(files, path, &request) {
        return answer;
    }
    if let Some(to) = redirect_to_canonical(files, request.uri()) {
        return to;
    }
    let review = review_id(path).and_then(|id| id.parse::<Id<Review>>().ok());
    if let (Some(id), Some(page)) = (review, &files.review) {
        let rendered = match site.reviews.find(id).await {
            ReviewLookupResult::Found(found) => page
                .template
                .as_ref()
                .and_then(|template| template.render(&found.review, &found.json, wall_clock())),
            // Only an explicit NOT_FOUND gives 404; without a response the page itself looks the
            // review up.
            ReviewLookupResult::Unavailable => None,
            ReviewLookupResult::Missing => return not_found_response(files, path),
        };
        return file_response(
            &rendered.unwrap_or_else(|| page.found.for_review(id)),
            request_headers,
            REVALIDATE,
        );
    }
    not_found_response(files, path)
}

/// A static page or file, served without a backend.
pub(crate) fn serve_static<B>(
    files: &WebFiles,
    path: &str,
    request: &http::Request<B>,
) -> Option<Response> {
    let request_headers = request.headers();
    if let Some(page) = files.page(path) {
        let mut answer = file_response(page, request_headers, REVALIDATE);
        match path {
            BOOKING => drop(answer.extensions_mut().insert(Document::Booking)),
            WIDGET => drop(answer.extensions_mut().insert(Document::Widget)),
            _ => {}
        }
        return Some(answer);
    }
    let file = files.file(path)?;
    let cache = match path {
        WIDGET_SCRIPT => FIVE_MINUTES,
        path if path.starts_with("/assets/") => IMMUTABLE,
        _ => ONE_HOUR,
    };
    let mut answer = if file.compressible {
        file_response(file, request_headers, cache)
    } else {
        range_response(file, request.method(), request_headers, cache)
    };
    if path.starts_with(CARDS) || path == WIDGET_SCRIPT {
        answer.extensions_mut().insert(Document::Shared);
    }
    Some(answer)
}

/// Redirects a known page with a trailing slash to its canonical path. Only known pages: a redirect
/// to an arbitrary path could lead to another site.
fn redirect_to_canonical(site: &WebFiles, uri: &Uri) -> Option<Response> {
    let path = uri.path().strip_suffix('/')?;
    let is_review = review_id(path).is_some_and(|id| id.parse::<Id<Review>>().is_ok());
    if site.page(path).is_none() && !is_review {
        return None;
    }
    let to = uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    let to = HeaderValue::from_str(&to).ok()?;
    Some((StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, to)]).into_response())
}

fn not_found_response(site: &WebFiles, path: &str) -> Response {
    tracing::info!(path = sanitized_path(path), "no such page");
    let page = match (service_id(path), &site.service_not_found, review_id(path), &site.review) {
        (Some(_), Some(page), ..) => page,
        (.., Some(_), Some(page)) => &page.missing,
        _ => &site.not_found,
    };
    let mut answer = file_response(page, &HeaderMap::new(), REVALIDATE);
    let is_gone = service_id(path).is_some_and(|id| site.is_gone(id));
    *answer.status_mut() = if is_gone { StatusCode::GONE } else { StatusCode::NOT_FOUND };
    answer.headers_mut().remove(header::ETAG);
    answer
}

fn file_response(file: &WebFile, request_headers: &HeaderMap, cache: HeaderValue) -> Response {
    let mut headers = HeaderMap::with_capacity(HEADERS_CAPACITY);
    headers.insert(header::CACHE_CONTROL, cache);
    headers.insert(header::ETAG, file.tag.clone());
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if matches_etag(request_headers, &file.tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    let compressed = accepts_gzip(request_headers).then(|| file.compressed()).flatten();
    if compressed.is_some() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    let bytes = compressed.unwrap_or_else(|| file.bytes.clone());
    (headers, Body::from(bytes)).into_response()
}

/// A file that is never compressed, or the requested range of it.
fn range_response(
    file: &WebFile,
    method: &Method,
    request_headers: &HeaderMap,
    cache: HeaderValue,
) -> Response {
    let mut headers = HeaderMap::new();
    headers.insert(header::CACHE_CONTROL, cache);
    headers.insert(header::ETAG, file.tag.clone());
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    // A download that goes on must not mix the bytes of two files.
    if is_for_another(request_headers, &file.tag) {
        return (StatusCode::PRECONDITION_FAILED, headers).into_response();
    }
    if matches_etag(request_headers, &file.tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let length = file.bytes.len();
    let (status, body, content_range) =
        match parse_range(method, request_headers, length, &file.tag) {
            RequestedRange::Whole => (StatusCode::OK, file.bytes.clone(), None),
            RequestedRange::Part(part) => {
                let last = part.end.saturating_sub(1);
                let content_range = format!("bytes {}-{last}/{length}", part.start);
                (StatusCode::PARTIAL_CONTENT, file.bytes.slice(part), Some(content_range))
            }
            RequestedRange::Unsatisfiable => {
                let content_range = format!("bytes */{length}");
                (StatusCode::RANGE_NOT_SATISFIABLE, Bytes::new(), Some(content_range))
            }
        };
    if let Some(content_range) =
        content_range.and_then(|content_range| HeaderValue::from_str(&content_range).ok())
    {
        headers.insert(header::CONTENT_RANGE, content_range);
    }
    if status != StatusCode::RANGE_NOT_SATISFIABLE {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    }
    (status, headers, Body::from(body)).into_response()
}

fn accepts_gzip(request_headers: &HeaderMap) -> bool {
    let Some(list) =
        request_headers.get(header::ACCEPT_ENCODING).and_then(|list| list.to_str().ok())
    else {
        return false;
    };
    list.split(',').any(|one| {
        let (name, quality) = one.split_once(';').unwrap_or((one, ""));
        let refused =
            matches!(quality.trim().trim_start_matches("q="), "0" | "0.0" | "0.00" | "0.000");
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

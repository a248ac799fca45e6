//! The site's pages and files: the right page with the right status for every path, and caching
//! that never shows an old page.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use kernel::Id;
use kernel::id::Review;

use crate::access::has_already;
use crate::edge::Caller;
use crate::error_form;
use crate::policy::Document;
use crate::routes::readable;
use crate::rpc::ReviewLookup;
use crate::web_files::{WebFile, WebFiles, review_id, service_id};

/// The one document that may load the payment provider's checkout.
const BOOKING: &str = "/booking-flow";
/// Names under /assets/ hold a hash of their content.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Icons and the like keep their names, and change rarely.
const SHORT: HeaderValue = HeaderValue::from_static("public, max-age=3600");
/// A page may be kept but is asked for again each time.
const FRESH: HeaderValue = HeaderValue::from_static("no-cache");

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
    if let Some(page) = files.page(path) {
        let mut answer = sent(page, asked, FRESH);
        if path == BOOKING {
            answer.extensions_mut().insert(Document::Booking);
        }
        return answer;
    }
    if let Some(file) = files.file(path) {
        return sent(file, asked, if path.starts_with("/assets/") { IMMUTABLE } else { SHORT });
    }
    if let Some(to) = canonical(files, request.uri()) {
        return to;
    }
    if let (Some(id), Some(page)) = (review_id(path), &files.review) {
        // Only an answer that says so takes a review away; without one the page itself will tell.
        let exists = match id.parse() {
            Ok(id) => site.reviews.exists(id).await,
            Err(_other) => Some(false),
        };
        if exists != Some(false) {
            return sent(&page.found, asked, FRESH);
        }
    }
    missing(files, path)
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
    let mut headers = HeaderMap::new();
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

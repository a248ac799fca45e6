//! The site's pages and files: the right page with the right status for every path, and caching
//! that never shows an old page.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use connectrpc::ErrorCode;
use http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};

use crate::access::has_already;
use crate::edge::Caller;
use crate::error_form;
use crate::policy::BookingDocument;
use crate::routes::readable;
use crate::web_files::{WebFile, WebFiles, service_id};

/// The one document that may load the payment provider's checkout.
const BOOKING: &str = "/booking-flow";
/// Names under /assets/ hold a hash of their content.
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// Icons and the like keep their names, and change rarely.
const SHORT: HeaderValue = HeaderValue::from_static("public, max-age=3600");
/// A page may be kept but is asked for again each time.
const FRESH: HeaderValue = HeaderValue::from_static("no-cache");

pub(crate) async fn serve(
    State(site): State<Arc<WebFiles>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let sentence = "The request's method is not offered here.";
        let error = error_form::refusal(ErrorCode::Unimplemented, "METHOD_NOT_ALLOWED", sentence);
        let status = StatusCode::METHOD_NOT_ALLOWED;
        let mut answer = error_form::http_answer(status, &error, &caller.reference);
        answer.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        return answer;
    }
    let path = request.uri().path();
    let asked = request.headers();
    if let Some(page) = site.page(path) {
        let mut answer = sent(page, asked, FRESH);
        if path == BOOKING {
            answer.extensions_mut().insert(BookingDocument);
        }
        return answer;
    }
    if let Some(file) = site.file(path) {
        return sent(file, asked, if path.starts_with("/assets/") { IMMUTABLE } else { SHORT });
    }
    if let Some(to) = canonical(&site, request.uri()) {
        return to;
    }
    missing(&site, path)
}

/// A known page with a slash behind it moves to its one address. Only known pages do: a redirect
/// to whatever was asked for could be made to lead to another site.
fn canonical(site: &WebFiles, uri: &Uri) -> Option<Response> {
    let path = uri.path().strip_suffix('/')?;
    site.page(path)?;
    let to = uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
    let to = HeaderValue::from_str(&to).ok()?;
    Some((StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, to)]).into_response())
}

fn missing(site: &WebFiles, path: &str) -> Response {
    tracing::info!(path = readable(path), "no such page");
    let page = match (service_id(path), &site.service_not_found) {
        (Some(_), Some(page)) => page,
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

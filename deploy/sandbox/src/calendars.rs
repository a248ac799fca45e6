//! Calendar addresses of practitioners: each serves the file that was put there last, with its name
//! (ETag). A restart forgets them.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures::{StreamExt as _, stream};

use crate::faults::Kind;
use crate::ids;
use crate::state::SharedState;

/// The target name of faults.
const TARGET: &str = "calendars.fetch";
/// The largest file that may be put there: a calendar of many years.
const FILE_BYTES_MAX: usize = 50_000_000;
/// A response that no client should read to its end.
const HUGE_BYTES: usize = 5_000_000;

pub(crate) fn routes() -> Router<SharedState> {
    // GET is the third party's; PUT is a control for tests and demos.
    Router::new()
        .route("/calendars/{name}", get(read).put(write))
        .layer(DefaultBodyLimit::max(FILE_BYTES_MAX))
}

async fn write(
    State(app): State<SharedState>,
    Path(name): Path<String>,
    file: String,
) -> StatusCode {
    app.calendars.put(name, file);
    StatusCode::NO_CONTENT
}

async fn read(
    State(app): State<SharedState>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Response {
    let kinds = [Kind::Endless, Kind::Huge, Kind::Redirect, Kind::Hang];
    if let Some(fault) = app.faults.take(TARGET, &kinds) {
        return match fault.kind {
            Kind::Hang => hanging(),
            Kind::Huge => "x".repeat(HUGE_BYTES).into_response(),
            Kind::Redirect => {
                let to = fault.code.unwrap_or_else(|| format!("/calendars/{name}"));
                (StatusCode::FOUND, [(header::LOCATION, to)]).into_response()
            }
            _ => endless(),
        };
    }
    let Some(file) = app.calendars.get(&name) else {
        return (StatusCode::NOT_FOUND, "There is no calendar of this name.").into_response();
    };
    let tag = format!("\"{}\"", ids::fingerprint(file.as_bytes()));
    if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes()) {
        return (StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response();
    }
    let described =
        [(header::CONTENT_TYPE, "text/calendar; charset=utf-8".to_owned()), (header::ETAG, tag)];
    (described, file).into_response()
}

/// A response without an end.
fn endless() -> Response {
    let chunk = || Ok::<_, std::io::Error>(Bytes::from_static(&[b'x'; 1024]));
    Body::from_stream(stream::repeat_with(chunk)).into_response()
}

/// A response that begins and does not go on.
fn hanging() -> Response {
    let first = stream::iter([Ok::<_, std::io::Error>(Bytes::from_static(b"BEGIN"))]);
    Body::from_stream(first.chain(stream::pending())).into_response()
}

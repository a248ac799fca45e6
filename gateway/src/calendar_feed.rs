//! The secret address at which other calendars read a practitioner's sessions. The secret is in the
//! path, so the path is never logged, and no cache may keep a response.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};

use crate::caller::Caller;
use crate::error_response;
use crate::etag::{matches_etag, weak_etag};
use crate::routes::CALENDARS;
use crate::upstream::{CalendarClient, CalendarLookupResult};

/// A secret has 43 characters: 32 bytes in base64.
const SECRET_CHARS: usize = 43;
/// `Retry-After` for calendar programs.
const TRY_AGAIN_SECONDS: u64 = 120;

const NOT_FOUND: &str = "There is no calendar at this address.";
const UNAVAILABLE: &str = "This is not possible right now. Please try again in a few minutes.";

/// Serves the calendar of a secret address.
pub(crate) async fn serve(
    State(calendars): State<Arc<CalendarClient>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return error_response::method_not_allowed("GET, HEAD", &caller.reference);
    }
    let Some(secret) = secret(request.uri().path()) else { return not_found() };
    match calendars.find(secret).await {
        CalendarLookupResult::Found(content) => calendar(Bytes::from(content), &request),
        CalendarLookupResult::Missing => not_found(),
        CalendarLookupResult::Unavailable => {
            let mut answer = text_response(StatusCode::SERVICE_UNAVAILABLE, UNAVAILABLE);
            answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(TRY_AGAIN_SECONDS));
            answer
        }
    }
}

/// The calendar, or 304 when the program has it already.
fn calendar(content: Bytes, request: &Request) -> Response {
    let tag = weak_etag(&content);
    let headers = [
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache")),
    ];
    if matches_etag(request.headers(), &tag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let described = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/calendar; charset=utf-8")),
        (
            header::CONTENT_DISPOSITION,
            HeaderValue::from_static("inline; filename=\"sessions.ics\""),
        ),
    ];
    (headers, described, content).into_response()
}

fn not_found() -> Response {
    text_response(StatusCode::NOT_FOUND, NOT_FOUND)
}

fn text_response(status: StatusCode, sentence: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (status, headers, sentence).into_response()
}

/// The secret of a path, if it has the form of one. Its characters are never escaped.
fn secret(path: &str) -> Option<String> {
    let secret = path.strip_prefix(CALENDARS)?.strip_suffix(".ics")?;
    let plain = secret.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    (plain && secret.len() == SECRET_CHARS).then(|| secret.to_owned())
}

#[cfg(test)]
mod tests {
    use super::secret;

    #[test]
    fn only_what_may_be_a_secret_is_asked_about() {
        let good = "aZ-_09".repeat(8)[..43].to_owned();
        assert_eq!(secret(&format!("/calendars/{good}.ics")), Some(good.clone()));
        for wrong in [
            "/calendars/.ics".to_owned(),
            format!("/calendars/{good}"),
            format!("/calendars/{good}a.ics"),
            format!("/calendars/{}%41.ics", &good[3..]),
            format!("/calendar/{good}.ics"),
            format!("/calendars/x/{good}.ics"),
        ] {
            assert_eq!(secret(&wrong), None, "{wrong}");
        }
    }
}

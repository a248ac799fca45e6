//! How HTTP requests are recorded, by services and by the gateway alike.

use std::time::Duration;

use http::{Method, StatusCode};
use opentelemetry::StringValue;

use super::catalogue::HTTP_SERVER_REQUEST_DURATION;
use super::label::Label;

/// Records an HTTP request. `route` is the pattern that matched and never the path itself.
pub fn record_http_request(
    method: &Method,
    route: impl Into<StringValue>,
    status: StatusCode,
    took: Duration,
) {
    let method = Label::HttpMethod.of(method_name(method));
    let route: StringValue = route.into();
    let route = Label::HttpRoute.of(route);
    let code = Label::HttpStatus.of(i64::from(status.as_u16()));
    if status.is_server_error() {
        let error = Label::ErrorType.of(status.as_str().to_owned());
        HTTP_SERVER_REQUEST_DURATION.record(took, &[method, route, code, error]);
    } else {
        HTTP_SERVER_REQUEST_DURATION.record(took, &[method, route, code]);
    }
}

/// A client may send any word as a method.
fn method_name(method: &Method) -> &'static str {
    const KNOWN: [&str; 9] =
        ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "CONNECT", "PATCH", "TRACE"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("_OTHER")
}

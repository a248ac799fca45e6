//! Redirects of /book and /book-session, which have no page yet, to the booking flow with their
//! service. The target is built from the site's own ids and never from the request, so it can't be
//! an open redirect.

use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, StatusCode, Uri, header};

use crate::routes::booking_link;
use crate::web_files::WebFiles;

const SERVICES: &str = "/services";

/// The redirect of a booking link. Browsers must not cache it, because a page may come later.
pub(crate) fn redirect(site: &WebFiles, uri: &Uri) -> Option<Response> {
    booking_link(uri.path())?;
    let known = service_param(uri.query().unwrap_or_default()).and_then(|id| site.service(id));
    let to = known.map(|id| format!("/booking-flow?service={id}"));
    let to = to.and_then(|to| HeaderValue::from_str(&to).ok());
    let to = to.unwrap_or(HeaderValue::from_static(SERVICES));
    let headers =
        [(header::LOCATION, to), (header::CACHE_CONTROL, HeaderValue::from_static("no-cache"))];
    Some((StatusCode::TEMPORARY_REDIRECT, headers).into_response())
}

/// The `service` parameter as written; ids need no escaping, so an escaped value matches none.
fn service_param(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("service="))
}

#[cfg(test)]
mod tests {
    use super::service_param;

    #[test]
    fn the_service_parameter_is_found_among_others() {
        assert_eq!(service_param("service=meditation"), Some("meditation"));
        assert_eq!(service_param("auth=cancelled&service=a&service=b"), Some("a"));
        assert_eq!(service_param("xservice=a&services=b"), None);
        assert_eq!(service_param(""), None);
    }
}

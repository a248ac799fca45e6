//! Cross-origin calls: pages of the origins that `IDENTITY_CORS_ORIGINS` names may call this
//! server, and read the headers that the contract exposes. No cookie is ever accepted.

use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN,
    VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::app::App;

const METHODS: &str = "GET, POST, PUT, PATCH, DELETE";
/// The contract's, and the key that the client library sends.
const HEADERS: &str = "Accept, Authorization, Content-Type, X-Client-IP, X-Client-Info, X-JWT-AUD, \
                       x-use-cookie, X-Supabase-Api-Version, apikey";
const EXPOSED: &str = "X-Total-Count, Link, X-Supabase-Api-Version";
/// How long a browser keeps what it was told, in seconds.
const KEPT_SECONDS: &str = "600";

/// Middleware: answers preflights of allowed origins, and marks the other responses for them.
pub(crate) async fn allow(State(app): State<App>, request: Request, next: Next) -> Response {
    if app.policy.origins.is_empty() {
        return next.run(request).await;
    }
    let origin = allowed_origin(&app, request.headers());
    let is_preflight = *request.method() == Method::OPTIONS
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = match &origin {
        Some(_) if is_preflight => preflight(),
        _ => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.append(VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = origin {
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
    response
}

fn preflight() -> Response {
    let headers = [
        (ACCESS_CONTROL_ALLOW_METHODS, METHODS),
        (ACCESS_CONTROL_ALLOW_HEADERS, HEADERS),
        (ACCESS_CONTROL_MAX_AGE, KEPT_SECONDS),
    ];
    (StatusCode::NO_CONTENT, headers).into_response()
}

/// The origin of the request, if the setting names it.
fn allowed_origin(app: &App, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(ORIGIN)?;
    let text = origin.to_str().ok()?;
    let known = app.policy.origins.iter().any(|it| it.origin().ascii_serialization() == text);
    known.then(|| origin.clone())
}

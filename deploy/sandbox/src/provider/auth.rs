//! Authentication of API calls: HTTP Basic with the key and its secret. The scheme must be written
//! exactly `Basic`, as at the real provider, although HTTP ignores its case.

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::provider::errors::ApiError;
use crate::state::SharedState;

pub(crate) async fn require_key(
    State(app): State<SharedState>,
    request: Request,
    next: Next,
) -> Response {
    let given = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let pair = given.and_then(|value| value.strip_prefix("Basic "));
    let account = &app.account;
    let expected = STANDARD.encode(format!("{}:{}", account.key_id, account.key_secret));
    if pair == Some(expected.as_str()) {
        next.run(request).await
    } else {
        ApiError::wrong_key().into_response()
    }
}

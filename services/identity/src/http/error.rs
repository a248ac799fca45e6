//! Errors in the formats of the GoTrue contract. Details of internal errors never leave the
//! process.

use std::borrow::Cow;
use std::time::Duration;

use axum::Json;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use eventstore::{Retry, StoreError, new_uuid};
use runtime::status::{UNAVAILABLE_MESSAGE, chain};
use serde_json::{Value, json};

use crate::accounts::hashing::HashError;
use crate::guard::work;
use crate::providers::ProviderError;
use crate::tokens::token::TokenError;

const API_VERSION: HeaderName = HeaderName::from_static("x-supabase-api-version");
const ERROR_CODE: HeaderName = HeaderName::from_static("x-sb-error-code");
/// API versions from this date on have string error codes.
const STRING_CODES_SINCE: &str = "2024-01-01";
/// Timeout of a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// An error response.
#[derive(Debug, Clone)]
pub(crate) struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: Cow<'static, str>,
    format: ErrorFormat,
    retry_after: Option<i64>,
    challenge: Option<String>,
}

#[derive(Debug, Clone, Copy)]
enum ErrorFormat {
    Plain,
    WeakPassword(&'static str),
    /// OAuth errors have their own format in every API version.
    OAuth,
}

impl ApiError {
    pub(crate) fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        let (message, format) = (message.into(), ErrorFormat::Plain);
        Self { status, code, message, format, retry_after: None, challenge: None }
    }

    pub(crate) fn bad(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    pub(crate) fn unprocessable(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    /// The address belongs to another account.
    pub(crate) fn email_exists() -> Self {
        let message = "A user with this email address has already been registered";
        Self::unprocessable("email_exists", message)
    }

    pub(crate) fn forbidden(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, message)
    }

    /// The request is incomplete or malformed.
    pub(crate) fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::bad("validation_failed", message)
    }

    pub(crate) fn weak_password(reason: &'static str, message: &'static str) -> Self {
        let plain = Self::unprocessable("weak_password", message);
        Self { format: ErrorFormat::WeakPassword(reason), ..plain }
    }

    pub(crate) fn oauth(error: &'static str, description: impl Into<Cow<'static, str>>) -> Self {
        Self { format: ErrorFormat::OAuth, ..Self::bad(error, description) }
    }

    pub(crate) fn not_found(code: &'static str, message: &'static str) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, message)
    }

    pub(crate) fn unavailable_provider(message: &'static str) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "unexpected_failure", message)
    }

    pub(crate) fn too_many(code: &'static str, message: &'static str) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, code, message)
    }

    /// The caller is throttled; the message names the seconds to wait.
    pub(crate) fn wait(code: &'static str, seconds: i64) -> Self {
        let message =
            format!("For security purposes, you can only request this after {seconds} seconds.");
        let retry_after = Some(seconds);
        Self { retry_after, ..Self::new(StatusCode::TOO_MANY_REQUESTS, code, message) }
    }

    /// The same, which says when to try again.
    pub(crate) fn retry_after(self, seconds: i64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// The same, which offers to do work instead of waiting.
    pub(crate) fn with_challenge(self, challenge: String) -> Self {
        Self { challenge: Some(challenge), ..self }
    }

    /// All threads are busy. Client libraries repeat a request after this status.
    fn busy() -> Self {
        let message = "Request rate limit reached";
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self { retry_after: Some(1), ..Self::new(status, "over_request_rate_limit", message) }
    }

    /// Something failed that no caller can change.
    /// Whether it says that this server could not answer, and nothing about the request.
    pub(crate) fn is_ours(&self) -> bool {
        self.status.is_server_error() || self.is_conflict()
    }

    pub(crate) fn failed(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!(error = chain(error), "a request failed");
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "unexpected_failure", "Unexpected failure")
    }

    /// A dependency does not answer. The client library treats this as temporary and keeps its
    /// session.
    fn unavailable(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!(error = chain(error), "a part is not available");
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unexpected_failure", UNAVAILABLE_MESSAGE)
    }

    /// The error as a redirect carries it: OAuth's word, the code and the message.
    pub(crate) fn for_redirect(&self) -> (&'static str, &'static str, &str) {
        let denied = ["signup_disabled", "user_banned", "provider_email_needs_verification"];
        let word = match self.status.as_u16() {
            _ if denied.contains(&self.code) => "access_denied",
            400 | 422 => "invalid_request",
            401 => "unauthorized_client",
            403 => "access_denied",
            503 => "temporarily_unavailable",
            _ => "server_error",
        };
        (word, self.code, &self.message)
    }

    fn body(&self, string_codes: bool) -> Value {
        let mut body = match self.format {
            ErrorFormat::OAuth => {
                return json!({ "error": self.code, "error_description": self.message });
            }
            ErrorFormat::Plain | ErrorFormat::WeakPassword(_) if string_codes => {
                json!({ "code": self.code, "message": self.message })
            }
            ErrorFormat::Plain | ErrorFormat::WeakPassword(_) => json!({
                "code": self.status.as_u16(), "error_code": self.code, "msg": self.message,
            }),
        };
        if let (ErrorFormat::WeakPassword(reason), Some(body)) = (self.format, body.as_object_mut())
        {
            body.insert("weak_password".to_owned(), json!({ "reasons": [reason] }));
        }
        if let (true, false, Some(body)) =
            (self.status.is_server_error(), string_codes, body.as_object_mut())
        {
            body.insert("error_id".to_owned(), json!(new_uuid().simple().to_string()));
        }
        body
    }
}

impl IntoResponse for ApiError {
    /// Attaches the error to the response; [`render_errors`] writes it.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl Retry for ApiError {
    fn is_conflict(&self) -> bool {
        self.status == StatusCode::CONFLICT
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict => Self::new(
                StatusCode::CONFLICT,
                "conflict",
                "Too many concurrent requests for this account. Please try again.",
            ),
            StoreError::Refused(_) => Self::invalid("A text holds a character that cannot be kept"),
            other => Self::unavailable(&other),
        }
    }
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        StoreError::from(error).into()
    }
}

impl From<HashError> for ApiError {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy => Self::busy(),
            HashError::Failed(_) => Self::unavailable(&error),
        }
    }
}

impl From<ProviderError> for ApiError {
    /// A provider does not answer as it should; what exactly is in the log.
    fn from(error: ProviderError) -> Self {
        tracing::warn!(error = chain(&error), "a provider cannot be used");
        Self::unavailable_provider("Unable to exchange external code")
    }
}

impl From<TokenError> for ApiError {
    fn from(error: TokenError) -> Self {
        Self::unavailable(&error)
    }
}

/// Middleware: times requests out, and renders errors in the format of the caller's API version.
pub(crate) async fn render_errors(request: Request, next: Next) -> Response {
    let version = version_with_string_codes(request.headers());
    let response = match tokio::time::timeout(REQUEST_TIMEOUT, next.run(request)).await {
        Ok(response) => response,
        Err(_elapsed) => ApiError::new(
            StatusCode::GATEWAY_TIMEOUT,
            "request_timeout",
            "Processing this request timed out, please retry after a moment.",
        )
        .into_response(),
    };
    let Some(error) = response.extensions().get::<ApiError>().cloned() else { return response };
    let mut response = (error.status, Json(error.body(version.is_some()))).into_response();
    let headers = response.headers_mut();
    headers.insert(ERROR_CODE, HeaderValue::from_static(error.code));
    if let Some(seconds) = error.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(challenge) = error.challenge.and_then(|it| HeaderValue::from_str(&it).ok()) {
        headers.insert(work::HEADER, challenge);
    }
    if let Some(version) = version {
        headers.insert(API_VERSION, version);
    }
    response
}

/// The newest version that both know, if it has string error codes.
fn version_with_string_codes(headers: &HeaderMap) -> Option<HeaderValue> {
    let version = headers.get(API_VERSION)?;
    let text = version.to_str().ok()?;
    let dated = text.len() == STRING_CODES_SINCE.len()
        && text.bytes().zip(STRING_CODES_SINCE.bytes()).all(|(byte, format)| match format {
            b'-' => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    (dated && text >= STRING_CODES_SINCE).then(|| HeaderValue::from_static(STRING_CODES_SINCE))
}

//! Errors in the provider's form: `{"error": {code, description, …}}`.

use std::borrow::Cow;
use std::io;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

pub(crate) struct ApiError {
    status: StatusCode,
    code: Cow<'static, str>,
    description: Cow<'static, str>,
    field: Option<Cow<'static, str>>,
    reason: &'static str,
}

pub(crate) type Answer = Result<Json<Value>, ApiError>;

impl ApiError {
    fn new(
        status: StatusCode,
        code: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        reason: &'static str,
    ) -> Self {
        Self { status, code: code.into(), description: description.into(), field: None, reason }
    }

    /// The request is invalid; repeating it does not help.
    pub(crate) fn bad(description: &'static str) -> Self {
        let status = StatusCode::BAD_REQUEST;
        Self::new(status, "BAD_REQUEST_ERROR", description, "input_validation_failed")
    }

    pub(crate) fn bad_field(field: &'static str, description: &'static str) -> Self {
        Self { field: Some(Cow::Borrowed(field)), ..Self::bad(description) }
    }

    /// The request has a field that the API does not know. The API refuses it and does not ignore
    /// it.
    pub(crate) fn extra_field(name: &str) -> Self {
        let description = format!("{name} is/are not required and should not be sent");
        let status = StatusCode::BAD_REQUEST;
        let refused = Self::new(status, "BAD_REQUEST_ERROR", description, "extra_field_sent");
        Self { field: Some(Cow::Owned(name.to_owned())), ..refused }
    }

    /// A payment link is refused. These errors name neither a field nor a reason.
    pub(crate) fn bad_link(description: String) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BAD_REQUEST_ERROR", description, "NA")
    }

    pub(crate) fn unknown_id() -> Self {
        Self::bad("The id provided does not exist")
    }

    pub(crate) fn wrong_key() -> Self {
        let status = StatusCode::UNAUTHORIZED;
        Self::new(status, "BAD_REQUEST_ERROR", "The api key provided is invalid", "NA")
    }

    pub(crate) fn conflict(description: &'static str) -> Self {
        Self::new(StatusCode::CONFLICT, "BAD_REQUEST_ERROR", description, "NA")
    }

    /// The error of an injected fault.
    pub(crate) fn injected(status: u16, code: Option<String>) -> Response {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let usual = if status.is_server_error() { "SERVER_ERROR" } else { "BAD_REQUEST_ERROR" };
        let code = code.map_or(Cow::Borrowed(usual), Cow::Owned);
        Self::new(status, code, "We are facing some trouble completing your request.", "NA")
            .into_response()
    }
}

impl From<io::Error> for ApiError {
    fn from(error: io::Error) -> Self {
        tracing::error!(%error, "the book could not be written");
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self::new(status, "SERVER_ERROR", "The request could not be written down.", "NA")
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut error = json!({
            "code": self.code,
            "description": self.description,
            "source": if self.reason == "NA" { "NA" } else { "business" },
            "step": if self.reason == "NA" { "NA" } else { "payment_initiation" },
            "reason": self.reason,
            "metadata": {},
        });
        if let (Some(field), Some(error)) = (self.field, error.as_object_mut()) {
            error.insert("field".to_owned(), json!(field));
        }
        (self.status, Json(json!({ "error": error }))).into_response()
    }
}

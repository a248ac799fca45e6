//! The standard format of every error that leaves the gateway: a code, a sentence for people, and
//! one `common.v1.ErrorDetail` with reason, field and reference id. Texts of transports and
//! libraries are dropped here.

use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use connectrpc::{ConnectError, ErrorCode};
use contract::common::v1::ErrorDetail;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use prost::Message as _;

use crate::refusals::Refusal;

/// `Retry-After` seconds when a budget is used up.
pub(crate) const RETRY_SOON: HeaderValue = HeaderValue::from_static("2");
/// The detail's bare type name: the Connect protocol writes it where gRPC writes a type URL.
const DETAIL_TYPE: &str = "common.v1.ErrorDetail";

/// An error that the gateway itself raises.
pub(crate) fn gateway_error(code: ErrorCode, reason: &str, sentence: &str) -> ConnectError {
    with_detail(
        ConnectError::new(code, sentence),
        &ErrorDetail { reason: reason.to_owned(), ..Default::default() },
    )
}

/// Whether an error has an `ErrorDetail`; if not, its text comes from a transport or a library.
pub(crate) fn has_detail(error: &ConnectError) -> bool {
    detail_of(error).is_some()
}

/// Converts the error of a call to a service.
///
/// Our services attach a detail to every error, so one of these codes without a detail comes from
/// the transport: the service could not be reached or the response broke off.
pub(crate) fn from_upstream(error: ConnectError) -> ConnectError {
    if has_detail(&error) {
        return error;
    }
    match error.code {
        ErrorCode::Unknown | ErrorCode::Internal | ErrorCode::Canceled | ErrorCode::DataLoss => {
            ConnectError::new(ErrorCode::Unavailable, "")
        }
        code => ConnectError::new(code, ""),
    }
}

/// Converts any error into the standard format. Headers and trailers of the original are dropped,
/// except `Retry-After`.
pub(crate) fn to_public_error(error: &ConnectError, reference: &str) -> ConnectError {
    let (mut public, mut detail) = match detail_of(error) {
        Some(detail) => {
            let sentence = error.message.clone().unwrap_or_default();
            (ConnectError::new(error.code, sentence), detail)
        }
        None => {
            let (code, reason, sentence) = default_error(error.code);
            let detail = ErrorDetail { reason: reason.to_owned(), ..Default::default() };
            (ConnectError::new(code, sentence), detail)
        }
    };
    if let Some(retry_after) = error.response_headers().get(header::RETRY_AFTER) {
        public.response_headers_mut().insert(header::RETRY_AFTER, retry_after.clone());
    }
    detail.reference_id = reference.to_owned();
    with_detail(public, &detail)
}

/// An error as an HTTP response outside of a call: always JSON, with the given status.
pub(crate) fn to_error_response(
    status: StatusCode,
    error: &ConnectError,
    reference: &str,
) -> Response {
    to_public_error(error, reference)
        .with_http_status(status)
        .into_http_response(&HeaderMap::new())
        .into_response()
}

/// The response to a method that a path does not support, with the `Allow` header.
pub(crate) fn method_not_allowed(offered: &'static str, reference: &str) -> Response {
    let sentence = "The request's method is not offered here.";
    let error = gateway_error(ErrorCode::Unimplemented, "METHOD_NOT_ALLOWED", sentence);
    let mut answer = to_error_response(StatusCode::METHOD_NOT_ALLOWED, &error, reference);
    answer.headers_mut().insert(header::ALLOW, HeaderValue::from_static(offered));
    answer
}

/// The body is larger than any valid request.
pub(crate) fn too_large() -> ConnectError {
    Refusal::BodySize.count();
    gateway_error(ErrorCode::ResourceExhausted, "REQUEST_TOO_LARGE", "The request is too large.")
}

/// Error for a used-up budget, which passes as soon as other requests are answered.
pub(crate) fn over_budget() -> ConnectError {
    let mut error = ConnectError::new(ErrorCode::Unavailable, "");
    error.response_headers_mut().insert(header::RETRY_AFTER, RETRY_SOON);
    error
}

/// The same as a response outside of a call.
pub(crate) fn over_budget_response(reference: &str) -> Response {
    to_error_response(StatusCode::SERVICE_UNAVAILABLE, &over_budget(), reference)
}

fn with_detail(error: ConnectError, detail: &ErrorDetail) -> ConnectError {
    error.with_detail(connectrpc::ErrorDetail {
        type_url: DETAIL_TYPE.to_owned(),
        value: Some(STANDARD_NO_PAD.encode(detail.encode_to_vec())),
        debug: None,
    })
}

/// Finds our detail, by its bare type name or its gRPC type URL.
fn detail_of(error: &ConnectError) -> Option<ErrorDetail> {
    let detail = error.details.iter().find(|detail| {
        let name = detail.type_url.rsplit('/').next();
        name == Some(DETAIL_TYPE)
    })?;
    let value = detail.value.as_deref()?;
    let bytes = STANDARD_NO_PAD.decode(value).or_else(|_| STANDARD.decode(value)).ok()?;
    ErrorDetail::decode(bytes.as_slice()).ok()
}

/// Code, reason and sentence of an error without a detail.
fn default_error(code: ErrorCode) -> (ErrorCode, &'static str, &'static str) {
    match code {
        ErrorCode::Unavailable => {
            (code, "SERVICE_UNAVAILABLE", "This part is not available right now. Please try again.")
        }
        ErrorCode::DeadlineExceeded => {
            (code, "DEADLINE_EXCEEDED", "This took too long. Please try again.")
        }
        ErrorCode::InvalidArgument | ErrorCode::OutOfRange => {
            (code, "MALFORMED_REQUEST", "The request could not be read.")
        }
        ErrorCode::Unimplemented => (code, "UNKNOWN_METHOD", "There is nothing here."),
        ErrorCode::Unauthenticated => (code, "UNAUTHENTICATED", "Please sign in."),
        ErrorCode::PermissionDenied => (code, "PERMISSION_DENIED", "This is not allowed."),
        ErrorCode::NotFound => (code, "NOT_FOUND", "This does not exist."),
        ErrorCode::ResourceExhausted => {
            (code, "TOO_MUCH", "This was too much at once. Please try again later.")
        }
        ErrorCode::Aborted | ErrorCode::AlreadyExists | ErrorCode::FailedPrecondition => {
            (code, "CONFLICT", "This is not possible right now. Please try again.")
        }
        ErrorCode::Canceled => (code, "CANCELLED", "The request was cancelled."),
        _ => {
            (ErrorCode::Internal, "INTERNAL", "Something went wrong on our side. Please try again.")
        }
    }
}

#[cfg(test)]
mod tests;

//! The payment provider's webhooks, forwarded byte for byte to payments, because the signature
//! covers the raw body. There is one path. Webhooks have no rate limit, because a provider sends
//! them in bursts; but an address with too many rejected webhooks is blocked.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use connectrpc::{ConnectError, ErrorCode};
use http::{Method, StatusCode};

use crate::caller::Caller;
use crate::error_response;
use crate::proxy::{Proxy, path_and_query};
use crate::rate_limits::RetryAfter;
use crate::routes::WEBHOOK;

/// A webhook is a few kilobytes.
const BODY_BYTES_MAX: usize = 256 * 1024;

pub(crate) async fn webhook(
    State(proxy): State<Arc<Proxy>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    if request.method() != Method::POST {
        return error_response::method_not_allowed("POST", &caller.reference);
    }
    if let Err(retry_after) = proxy.limits.check_bad_webhooks(caller.address) {
        return too_many_requests(retry_after, &caller.reference);
    }
    let query = path_and_query(request.uri()).strip_prefix(WEBHOOK).unwrap_or_default();
    let url = format!("{}{WEBHOOK}{query}", proxy.payments);
    match proxy.forward(&caller, (request, BODY_BYTES_MAX), url).await {
        Ok(answer) => {
            if answer.status() == StatusCode::BAD_REQUEST {
                proxy.limits.record_bad_webhook(caller.address);
            }
            answer
        }
        Err(error) => error.into_response(&caller.reference),
    }
}

/// 404 for all other paths below /webhooks/.
pub(crate) async fn not_found(Extension(caller): Extension<Caller>) -> Response {
    let error = ConnectError::new(ErrorCode::NotFound, "");
    error_response::to_error_response(StatusCode::NOT_FOUND, &error, &caller.reference)
}

fn too_many_requests(retry_after: RetryAfter, reference: &str) -> Response {
    error_response::to_error_response(
        StatusCode::TOO_MANY_REQUESTS,
        &retry_after.to_error(),
        reference,
    )
}

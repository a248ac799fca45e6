//! The payment provider's webhooks, passed on to payments byte for byte, because their signature
//! covers the raw body. There is one path. Webhooks are not counted, because a provider sends them
//! in bursts; an address whose webhooks are refused is.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use connectrpc::{ConnectError, ErrorCode};
use http::{Method, StatusCode};

use crate::edge::Caller;
use crate::error_form;
use crate::limits::Wait;
use crate::proxy::{Proxy, path_and_query};
use crate::routes::WEBHOOK;

/// A webhook is a few kilobytes.
const BODY_BYTES_MAX: usize = 256 * 1024;

pub(crate) async fn webhook(
    State(proxy): State<Arc<Proxy>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    if request.method() != Method::POST {
        return error_form::method_not_allowed("POST", &caller.reference);
    }
    if let Err(wait) = proxy.limits.of_bad_webhooks(caller.address) {
        return too_many(wait, &caller.reference);
    }
    let query = path_and_query(request.uri()).strip_prefix(WEBHOOK).unwrap_or_default();
    let url = format!("{}{WEBHOOK}{query}", proxy.payments);
    match proxy.pass(&caller, (request, BODY_BYTES_MAX), url).await {
        Ok(answer) => {
            if answer.status() == StatusCode::BAD_REQUEST {
                proxy.limits.note_bad_webhook(caller.address);
            }
            answer
        }
        Err(broken) => broken.in_the_one_form(&caller.reference),
    }
}

/// There is no other path below /webhooks/.
pub(crate) async fn nothing(Extension(caller): Extension<Caller>) -> Response {
    let error = ConnectError::new(ErrorCode::NotFound, "");
    error_form::http_answer(StatusCode::NOT_FOUND, &error, &caller.reference)
}

fn too_many(wait: Wait, reference: &str) -> Response {
    error_form::http_answer(StatusCode::TOO_MANY_REQUESTS, &wait.refusal(), reference)
}

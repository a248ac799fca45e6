//! The host names under which the sandbox answers. A page of any site can make its own name lead to
//! this machine (DNS rebinding), and would then read the inbox with its codes and links; under a
//! name that is not ours it gets nothing.

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::host_names::is_ours;
use crate::state::SharedState;

const REFUSAL: &str = "The sandbox does not answer under this host name. Open it at the address \
    that `make run` shows. If the name is yours, add it to SANDBOX_HOSTS.\n";

/// Refuses requests under other names.
pub(crate) async fn check(
    State(app): State<SharedState>,
    request: Request,
    next: Next,
) -> Response {
    let named = request.headers().get_all(header::HOST).iter();
    let from_head = named.map(|host| host.to_str().ok().and_then(|host| host.parse().ok()));
    let from_line = request.uri().authority().cloned().map(Some);
    let all_are_ours = from_head
        .chain(from_line)
        .all(|host: Option<Authority>| host.is_some_and(|host| is_ours(host.host(), &app.hosts)));
    if all_are_ours {
        next.run(request).await
    } else {
        (StatusCode::MISDIRECTED_REQUEST, REFUSAL).into_response()
    }
}

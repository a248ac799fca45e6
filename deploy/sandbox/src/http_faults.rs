//! Fault injection in the HTTP interfaces: a fault is applied before or after a request's handler.

use std::any::Any;

use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;

use crate::faults::Kind;
use crate::provider::errors::ApiError;
use crate::scheduling;
use crate::state::SharedState;
use crate::zoom;

/// The kinds of faults that can be injected into every HTTP interface.
const HTTP_KINDS: [Kind; 5] =
    [Kind::Delay, Kind::Drop, Kind::Status, Kind::TimeoutAfterSuccess, Kind::Refuse];

/// The target name of a route's faults.
fn target_of(method: &Method, path: &str) -> Option<&'static str> {
    Some(match (method.as_str(), path) {
        ("POST", "/v1/orders") => "orders.create",
        ("GET", "/v1/orders") => "orders.fetch.list",
        ("GET", "/v1/orders/{id}") => "orders.fetch.one",
        ("GET", "/v1/orders/{id}/payments") => "orders.fetch.payments",
        ("GET", "/v1/payments") => "payments.fetch.list",
        ("GET", "/v1/payments/{id}") => "payments.fetch.one",
        ("GET", "/v1/payments/{id}/refunds") => "payments.fetch.refunds",
        ("POST", "/v1/payments/{id}/capture") => "payments.capture",
        ("POST", "/v1/payments/{id}/refund") => "refunds.create",
        ("GET", "/v1/refunds/{id}") => "refunds.fetch",
        ("GET", "/v1/settlements") => "settlements.fetch.list",
        ("GET", "/v1/settlements/recon/combined") => "settlements.fetch.recon",
        ("GET", "/v1/settlements/{id}") => "settlements.fetch.one",
        ("POST", "/v1/payment_links") => "payment_links.create",
        ("GET", "/v1/payment_links") => "payment_links.fetch.list",
        ("GET", "/v1/payment_links/{id}") => "payment_links.fetch.one",
        ("POST", "/v1/payment_links/{id}/cancel") => "payment_links.cancel",
        ("GET", "/v1/checkout.js") => "checkout.script",
        ("POST", "/checkout/orders/{id}/payments") => "checkout.pay",
        ("GET", "/l/{code}") => "links.page",
        ("POST", "/meetings") => "meetings.create",
        ("POST", "/zoom/oauth/token") => "zoom.token",
        ("POST", "/zoom/v2/users/{user}/meetings") => "zoom.create",
        ("GET", "/zoom/v2/users/{user}/meetings") => "zoom.list",
        ("GET", "/zoom/v2/meetings/{number}") => "zoom.fetch",
        ("PATCH", "/zoom/v2/meetings/{number}") => "zoom.change",
        ("DELETE", "/zoom/v2/meetings/{number}") => "zoom.delete",
        ("POST", "/messages") => "messages.send",
        ("POST", "/push/ntfy/{topic}" | "/push/json") => "pushes.send",
        ("POST", "/push/telegram/{bot}/sendMessage") => "pushes.send",
        ("GET", "/oidc/.well-known/openid-configuration") => "oidc.discovery",
        ("GET", "/oidc/jwks") => "oidc.keys",
        ("POST", "/oidc/token") => "oidc.token",
        ("GET", "/oidc/userinfo") => "oidc.userinfo",
        ("GET", "/calendars/{name}") => "calendars.fetch",
        ("GET", "/scheduling/event_types") => "scheduling.event_types",
        ("GET", "/scheduling/scheduled_events") => "scheduling.events",
        ("GET", "/scheduling/scheduled_events/{id}") => "scheduling.event",
        ("POST", "/scheduling/invitees") => "scheduling.invitees",
        ("POST", "/scheduling/scheduled_events/{id}/cancellation") => "scheduling.cancellation",
        _ => return None,
    })
}

/// Applies the next fault of a route to a request.
pub(crate) async fn inject(
    State(app): State<SharedState>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.extensions().get::<MatchedPath>().cloned();
    let target = path.and_then(|path| target_of(request.method(), path.as_str()));
    let kinds = match target {
        // The checkout itself handles a refusal of the bank, as a declined payment.
        Some("checkout.pay") => HTTP_KINDS.get(..4).unwrap_or_default(),
        _ => &HTTP_KINDS[..],
    };
    let Some(fault) = target.and_then(|target| app.faults.take(target, kinds)) else {
        return next.run(request).await;
    };
    match fault.kind {
        Kind::Drop => close_connection(),
        Kind::Status | Kind::Refuse if target.is_some_and(scheduling::is_target) => {
            scheduling::injected(&fault)
        }
        Kind::Status | Kind::Refuse if target.is_some_and(zoom::is_target) => {
            zoom::injected(&fault)
        }
        Kind::Status => ApiError::injected(fault.status.unwrap_or(500), fault.code),
        Kind::Refuse => ApiError::injected(fault.status.unwrap_or(400), fault.code),
        Kind::TimeoutAfterSuccess => {
            drop(next.run(request).await);
            tokio::time::sleep(fault.pause(30_000)).await;
            close_connection()
        }
        Kind::Delay
        | Kind::Duplicate
        | Kind::Reorder
        | Kind::LateAuthorisation
        | Kind::Greylist
        | Kind::Endless
        | Kind::Huge
        | Kind::Redirect
        | Kind::Hang
        | Kind::Empty => {
            tokio::time::sleep(fault.pause(1_000)).await;
            next.run(request).await
        }
    }
}

/// Closes the connection without an answer. HTTP has no means for that, so the connection's task is
/// unwound, which closes its socket. No panic is reported.
fn close_connection() -> Response {
    let reason: Box<dyn Any + Send> = Box::new("an ordered fault");
    std::panic::resume_unwind(reason)
}

//! Where the payment provider's checkout sends a payer back to, in browsers in which it cannot call
//! the page. Its form goes to payments, which checks its signature. Whatever comes of that, the
//! payer lands on the page of their booking, and that page asks the server.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, Method, StatusCode, header};
use url::form_urlencoded;

use crate::error_response;
use crate::proxy::Proxy;
use crate::request_context::Caller;
use crate::routes::PAY_RETURN;

/// Three short fields, or an error's few sentences.
const BODY_BYTES_MAX: usize = 16 * 1024;
/// Where bookings are paid for; only this page can say more.
const BOOKING_FLOW: &str = "/booking-flow";
/// A booking's id has 36 characters.
const BOOKING_ID_CHARS: usize = 36;

pub(crate) async fn serve(
    State(proxy): State<Arc<Proxy>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let booking = booking_id(request.uri().query().unwrap_or_default());
    match (request.method(), booking) {
        (&Method::GET | &Method::HEAD, booking) => {
            redirect_to_booking(booking.as_deref(), "verification")
        }
        (&Method::POST, None) => redirect_to_booking(None, ""),
        (&Method::POST, Some(booking)) => {
            let step = forward_to_payments(&proxy, &caller, request, &booking).await;
            redirect_to_booking(Some(&booking), step)
        }
        _ => error_response::method_not_allowed("GET, HEAD, POST", &caller.reference),
    }
}

/// Tells payments what came, and says which step of the booking is next.
async fn forward_to_payments(
    proxy: &Proxy,
    caller: &Caller,
    request: Request,
    booking: &str,
) -> &'static str {
    // An address that sent many forged ones is not heard; the page it gets asks the server.
    if proxy.limits.check_bad_webhooks(caller.address).is_err() {
        return "verification";
    }
    let url = format!("{}{PAY_RETURN}?b={booking}", proxy.payments);
    let answer = proxy.forward(caller, (request, BODY_BYTES_MAX), url).await;
    match answer.map(|answer| answer.status()) {
        // The checkout tells of an attempt that failed: it can be tried again.
        Ok(StatusCode::NO_CONTENT) => "payment",
        Ok(StatusCode::BAD_REQUEST) => {
            proxy.limits.record_bad_webhook(caller.address);
            "verification"
        }
        Ok(_) | Err(_) => "verification",
    }
}

/// The booking that the query names, if that can be a booking's id.
fn booking_id(query: &str) -> Option<String> {
    let (_, id) = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "b")?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (id.len() == BOOKING_ID_CHARS && id.bytes().all(plain)).then(|| id.into_owned())
}

/// To the booking's own page, by GET.
fn redirect_to_booking(booking: Option<&str>, step: &str) -> Response {
    let to = booking
        .map_or_else(|| BOOKING_FLOW.to_owned(), |id| format!("{BOOKING_FLOW}?step={step}&b={id}"));
    let mut answer = StatusCode::SEE_OTHER.into_response();
    if let Ok(to) = HeaderValue::from_str(&to) {
        answer.headers_mut().insert(header::LOCATION, to);
    }
    answer
}

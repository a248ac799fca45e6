//! Return addresses of the payment provider: of its checkout, for browsers in which it can't call
//! the page, and of the page of a payment link. What they bring is forwarded to payments, which
//! checks its signature. In all cases the payer is redirected to the page of their booking, and
//! that page asks the server.

use std::sync::Arc;

use axum::Extension;
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, Method, StatusCode, header};
use kernel::PaymentProvider;
use url::form_urlencoded;

use crate::caller::Caller;
use crate::error_response;
use crate::proxy::Proxy;
use crate::routes::{LINK_RETURN, PAY_RETURN};

/// Three short fields, or an error's texts.
const BODY_BYTES_MAX: usize = 16 * 1024;
/// The page that shows a booking's payment.
const BOOKING_FLOW: &str = "/booking-flow";
/// None of a link's fields is longer than the signature.
const LINK_FIELD_BYTES_MAX: usize = 64;
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

/// The page of a payment link leads here by GET, with the signed fields in the query.
pub(crate) async fn serve_link(
    State(proxy): State<Arc<Proxy>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let booking = booking_id(query);
    match (request.method(), &booking) {
        (&Method::GET, Some(id)) => {
            let url = format!("{}{LINK_RETURN}?{}", proxy.payments, link_fields(id, query));
            forward(&proxy, &caller, request, url).await;
        }
        (&Method::GET | &Method::HEAD, _) => {}
        _ => return error_response::method_not_allowed("GET, HEAD", &caller.reference),
    }
    redirect_to_booking(booking.as_deref(), "verification")
}

/// The booking and the fields of the provider, written anew.
fn link_fields(booking: &str, query: &str) -> String {
    let mut fields = form_urlencoded::Serializer::new(String::new());
    fields.append_pair("b", booking);
    for &name in PaymentProvider::FIRST.link_fields {
        let found = form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == name);
        if let Some((_, value)) = found.filter(|(_, value)| value.len() <= LINK_FIELD_BYTES_MAX) {
            fields.append_pair(name, &value);
        }
    }
    fields.finish()
}

/// Forwards the form to payments and returns the next step of the booking.
async fn forward_to_payments(
    proxy: &Proxy,
    caller: &Caller,
    request: Request,
    booking: &str,
) -> &'static str {
    let url = format!("{}{PAY_RETURN}?b={booking}", proxy.payments);
    match forward(proxy, caller, request, url).await {
        // The checkout reported a failed attempt; the payer can try again.
        Some(StatusCode::NO_CONTENT) => "payment",
        Some(_) | None => "verification",
    }
}

/// Forwards a return to payments. Those of an address that sent many forged ones are not forwarded;
/// the page asks the server.
async fn forward(
    proxy: &Proxy,
    caller: &Caller,
    request: Request,
    url: String,
) -> Option<StatusCode> {
    if proxy.limits.check_bad_webhooks(caller.address).is_err() {
        return None;
    }
    let answer = proxy.forward(caller, (request, BODY_BYTES_MAX), url).await;
    let status = answer.ok().map(|answer| answer.status());
    if status == Some(StatusCode::BAD_REQUEST) {
        proxy.limits.record_bad_webhook(caller.address);
    }
    status
}

/// The booking id in the query, if it is well-formed.
fn booking_id(query: &str) -> Option<String> {
    let (_, id) = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "b")?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (id.len() == BOOKING_ID_CHARS && id.bytes().all(plain)).then(|| id.into_owned())
}

/// Redirects to the booking's page, by GET.
fn redirect_to_booking(booking: Option<&str>, step: &str) -> Response {
    let to = booking
        .map_or_else(|| BOOKING_FLOW.to_owned(), |id| format!("{BOOKING_FLOW}?step={step}&b={id}"));
    let mut answer = StatusCode::SEE_OTHER.into_response();
    if let Ok(to) = HeaderValue::from_str(&to) {
        answer.headers_mut().insert(header::LOCATION, to);
    }
    answer
}

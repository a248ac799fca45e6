//! The page of a payment link: it opens the checkout for the order beneath the link, and leads its
//! payer back to the website by a signed address.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;

use crate::assets;
use crate::ids;
use crate::provider::errors::ApiError;
use crate::provider::links;
use crate::state::{AppState, SharedState};
use crate::store::rows::{Link, LinkStatus};

const PAGE: &str = include_str!("link_page/link.html");
const OVER: &str = include_str!("link_page/over.html");
const SCRIPT: &str = include_str!("link_page/link.js");

pub(crate) fn routes() -> Router<SharedState> {
    Router::new()
        .route("/l/link.js", get(|| async { assets::file(assets::SCRIPT, SCRIPT) }))
        .route("/l/{code}", get(page))
        .route("/l/{code}/return", get(come_back))
}

async fn page(State(app): State<SharedState>, Path(code): Path<String>) -> Response {
    let Some(link) = app.store().link_by_code(&code).cloned() else {
        return ApiError::unknown_id().into_response();
    };
    if link.status != LinkStatus::Created && link.status != LinkStatus::PartiallyPaid {
        return over(&link);
    }
    let order = match links::open_order(&app, &link.id) {
        Ok(order) => order,
        Err(refused) => return refused.into_response(),
    };
    let (payable, _fee) = app.switches.current().payable(order.amount - order.amount_paid);
    let page = PAGE
        .replace("{code}", &assets::escape(&code))
        .replace("{order_id}", &assets::escape(&order.id))
        .replace("{key_id}", &assets::escape(&app.account.key_id))
        .replace("{description}", &assets::escape(link.description.as_deref().unwrap_or("")))
        .replace("{minor}", &payable.to_string())
        .replace("{amount}", &assets::rupees(payable));
    assets::link_page(page, &app.frame_url)
}

fn over(link: &Link) -> Response {
    let said = match link.status {
        LinkStatus::Paid => "This payment link has been paid. Thank you.",
        LinkStatus::Cancelled => "This payment link was cancelled by the business.",
        LinkStatus::Expired => "This payment link has expired.",
        LinkStatus::Created | LinkStatus::PartiallyPaid => "Payment received. Thank you.",
    };
    let page = OVER.replace("{said}", said).replace("{amount}", &assets::rupees(link.amount));
    assets::page(page)
}

/// Leads the payer to the website after a payment; without an address of the website it says so.
async fn come_back(State(app): State<SharedState>, Path(code): Path<String>) -> Response {
    let store = app.store();
    let Some(link) = store.link_by_code(&code) else {
        return ApiError::unknown_id().into_response();
    };
    let order = link.order_id.as_ref().and_then(|id| store.orders().get(id));
    let payments = order.map(|order| store.payments_of(order)).unwrap_or_default();
    let paid = payments.iter().rev().find(|payment| payment.captured);
    let (Some(payment), Some(url)) = (paid, &link.callback_url) else { return over(link) };
    let url = return_url(&app, link, (url, &payment.id));
    (StatusCode::SEE_OTHER, [(header::LOCATION, url)]).into_response()
}

/// The website's address with the signed fields.
pub(crate) fn return_url(app: &AppState, link: &Link, (url, payment): (&str, &str)) -> String {
    let reference = link.reference_id.as_deref().unwrap_or_default();
    let status = link.status.word();
    let message = format!("{}|{reference}|{status}|{payment}", link.id);
    let signature = ids::sign(&app.account.key_secret, message.as_bytes());
    let joint = if url.contains('?') { '&' } else { '?' };
    format!(
        "{url}{joint}razorpay_payment_id={payment}&razorpay_payment_link_id={}\
         &razorpay_payment_link_reference_id={reference}&razorpay_payment_link_status={status}\
         &razorpay_signature={signature}",
        link.id
    )
}

//! Where the provider's checkout posts its answer in a browser that cannot call the page's handler:
//! those inside other apps, and Chrome on an iPhone. The form has the three signed fields, or the
//! provider's error; the booking is in the query, because the form has no field of ours.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use kernel::Id;
use kernel::id::Booking;
use runtime::status::chain;
use serde::Deserialize;

use crate::app::App;
use crate::app::submit_checkout_answer::submit_return;
use crate::error::Error;

#[derive(Deserialize)]
pub(crate) struct ReturnQuery {
    #[serde(default)]
    pub(super) b: String,
}

/// Handles the answer. 200: it is the provider's, and is applied. 204: the form names no payment.
/// 400: it is not the provider's answer for this booking. 500: it could not be applied now; the
/// webhook or polling finds the money anyway.
pub(crate) async fn handle(
    State(app): State<Arc<App>>,
    Query(query): Query<ReturnQuery>,
    form: Bytes,
) -> StatusCode {
    let Some(form_fields) = app.provider.read_return(&form) else { return StatusCode::NO_CONTENT };
    let Ok(booking_id) = query.b.parse::<Id<Booking>>() else { return StatusCode::BAD_REQUEST };
    match submit_return(&app, booking_id, (&form_fields.payment_id, &form_fields.signature)).await {
        Ok(_standing) => StatusCode::OK,
        // Every rejection has the same status, so that the answer discloses nothing about bookings.
        Err(Error::Rejected(_) | Error::NotFound) => StatusCode::BAD_REQUEST,
        Err(error) => {
            let error = chain(&error);
            tracing::error!(%booking_id, error, "a checkout's return could not be taken in");
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

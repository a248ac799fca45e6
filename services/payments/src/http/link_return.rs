//! Where the page of a payment link leads its payer. The address has the provider's signed fields
//! and our booking.

use std::sync::Arc;

use axum::extract::{Query, RawQuery, State};
use axum::http::StatusCode;
use kernel::Id;
use kernel::id::Booking;
use runtime::status::chain;

use super::checkout_return::ReturnQuery;
use crate::app::App;
use crate::app::submit_link_return::submit_link_return;
use crate::error::Error;

/// Handles the return. 200: it is the provider's, and what the provider says now is applied. 204:
/// it names no link. 400: it is not the provider's for this booking. 500: it could not be applied
/// now; the webhook or polling finds the money anyway.
pub(crate) async fn handle(
    State(app): State<Arc<App>>,
    Query(query): Query<ReturnQuery>,
    RawQuery(raw): RawQuery,
) -> StatusCode {
    let answer = raw.as_deref().and_then(|raw| app.provider.read_link_return(raw));
    let Some(answer) = answer else { return StatusCode::NO_CONTENT };
    let Ok(booking_id) = query.b.parse::<Id<Booking>>() else { return StatusCode::BAD_REQUEST };
    match submit_link_return(&app, booking_id, &answer).await {
        Ok(_outcome) => StatusCode::OK,
        // Every rejection has the same status, so that the answer discloses nothing about bookings.
        Err(Error::Rejected(rejection)) if !rejection.is_temporary() => StatusCode::BAD_REQUEST,
        Err(Error::NotFound) => StatusCode::BAD_REQUEST,
        Err(error) => {
            let error = chain(&error);
            tracing::error!(%booking_id, error, "a link's return could not be taken in");
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

//! Loads a booking for its owner.

use kernel::Id;
use kernel::id::{Booking, Customer};
use runtime::status::{reject, to_status};
use tonic::Status;

use crate::app::App;
use crate::error::{Error, Rejection};
use crate::read_model::view::{self, View};

/// A booking as its owner sees it; `BookingNotFound` for other callers.
pub(super) async fn load_owned(
    app: &App,
    customer: Id<Customer>,
    id: Id<Booking>,
) -> Result<View, Status> {
    let view = view::load(app.store.pool(), &app.practice, id)
        .await
        .map_err(|error| to_status(&Error::from(error)))?;
    view.filter(|view| view.customer_id == customer)
        .ok_or_else(|| reject(&Rejection::BookingNotFound))
}

/// Parses a booking's id; a malformed id is reported as not found.
pub(super) fn parse(text: &str) -> Result<Id<Booking>, Status> {
    let id = text.parse().map_err(|_malformed| reject(&Rejection::BookingNotFound))?;
    record_booking_id(id);
    Ok(id)
}

pub(super) fn record_booking_id(id: Id<Booking>) {
    tracing::Span::current().record("booking_id", tracing::field::display(id));
}

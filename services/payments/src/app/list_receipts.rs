//! The receipts of a customer's own booking, and a receipt for those who mail it.

use kernel::Id;
use kernel::id::{Booking, Customer, Receipt as ReceiptKind};

use super::App;
use super::ownership::owns;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::receipts::{self, ReceiptRow};

/// The receipts of a customer's own booking, oldest first.
///
/// # Errors
/// `BookingNotFound`, or that the database does not answer.
pub async fn list_receipts(
    app: &App,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
) -> Result<Vec<ReceiptRow>, Error> {
    owns(app, customer_id, booking_id).await?;
    Ok(receipts::of_booking(app.store.pool(), booking_id).await?)
}

/// The receipts of a booking, oldest first, for the holder of its page's key.
///
/// # Errors
/// `BookingNotFound`, or that a part does not answer.
pub async fn list_page_receipts(app: &App, page_key: &str) -> Result<Vec<ReceiptRow>, Error> {
    let facts = app.bookings.page_facts(page_key).await?;
    Ok(receipts::of_booking(app.store.pool(), facts.booking_id).await?)
}

/// A receipt by its id.
///
/// # Errors
/// `ReceiptUnknown`, or that the database does not answer.
pub async fn get_receipt(app: &App, receipt_id: Id<ReceiptKind>) -> Result<ReceiptRow, Error> {
    let found = receipts::one(app.store.pool(), receipt_id).await?;
    found.ok_or(refuse(Rejection::ReceiptUnknown))
}

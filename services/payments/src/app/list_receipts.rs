//! The receipts of a booking, of all own bookings in a year, and one for those who mail it.

use kernel::Id;
use kernel::id::{Booking, Customer, Receipt as ReceiptKind};

use super::App;
use super::ownership::owns;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::receipts::{self, ReceiptRow};

/// The most papers of a year that are listed.
const OWN_MAX: usize = 1_000;

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

/// A client's receipts and other papers of one financial year.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YearOfReceipts {
    /// The papers, oldest first, at most `OWN_MAX`.
    pub receipts: Vec<ReceiptRow>,
    /// The year of April of the financial year; 0 when there are none at all.
    pub year: i32,
    /// All years that have any, newest first.
    pub years: Vec<i32>,
    /// Whether there are more than are listed.
    pub has_more: bool,
}

/// The papers of a client's own bookings in a financial year, or in the newest one that has any.
///
/// # Errors
/// That the database does not answer.
pub async fn list_own_receipts(
    app: &App,
    customer_id: Id<Customer>,
    year: Option<i32>,
) -> Result<YearOfReceipts, Error> {
    let pool = app.store.pool();
    let years = receipts::years_of_customer(pool, customer_id).await?;
    let year = year.or(years.first().copied()).unwrap_or_default();
    let mut found = receipts::of_customer(pool, customer_id, year, OWN_MAX + 1).await?;
    let has_more = found.len() > OWN_MAX;
    found.truncate(OWN_MAX);
    Ok(YearOfReceipts { receipts: found, year, years, has_more })
}

/// The receipts of a booking, oldest first, for the holder of its page's key.
///
/// # Errors
/// `BookingNotFound`, or that a part does not answer.
pub async fn list_page_receipts(app: &App, page_key: &str) -> Result<Vec<ReceiptRow>, Error> {
    let facts = app.bookings.shown_facts(page_key).await?;
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

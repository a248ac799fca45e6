//! Checks who owns a booking. A booking of another client is reported as not found.

use kernel::Id;
use kernel::id::{Booking, Customer};

use super::App;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::query::{self, CollectionRow, Order};

/// The collection of a customer's own booking, with its order or a payment link.
///
/// # Errors
/// `BookingNotFound`, or `PaymentNotStarted` when the provider has neither yet.
pub async fn owned(
    app: &App,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
) -> Result<CollectionRow, Error> {
    let pool = app.store.pool();
    let Some(row) = query::collection(pool, booking_id).await? else {
        let owner = query::announced_owner(pool, booking_id).await?;
        let own = owner == Some(customer_id);
        let why = if own { Rejection::PaymentNotStarted } else { Rejection::BookingNotFound };
        return Err(refuse(why));
    };
    if row.customer_id != customer_id {
        return Err(refuse(Rejection::BookingNotFound));
    }
    if row.is_at_provider() { Ok(row) } else { Err(refuse(Rejection::PaymentNotStarted)) }
}

/// The collection of a booking with its order, for a caller whose authority is the provider's
/// signature over that order.
///
/// # Errors
/// `BookingNotFound`, or `PaymentNotStarted` when there is no order yet.
pub async fn started(app: &App, booking_id: Id<Booking>) -> Result<(CollectionRow, Order), Error> {
    let row = query::collection(app.store.pool(), booking_id).await?;
    let row = row.ok_or(refuse(Rejection::BookingNotFound))?;
    let order = row.order.clone().ok_or(refuse(Rejection::PaymentNotStarted))?;
    Ok((row, order))
}

/// Accepts the owner of a booking, whether or not its payment was started.
///
/// # Errors
/// `BookingNotFound`.
pub async fn owns(
    app: &App,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
) -> Result<(), Error> {
    let pool = app.store.pool();
    let owner = match query::collection(pool, booking_id).await? {
        Some(row) => Some(row.customer_id),
        None => query::announced_owner(pool, booking_id).await?,
    };
    if owner == Some(customer_id) { Ok(()) } else { Err(refuse(Rejection::BookingNotFound)) }
}

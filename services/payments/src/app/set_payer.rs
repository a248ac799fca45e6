//! Whom the documents of a booking name: the client, until a payer's details are given.

use kernel::Id;
use kernel::id::{Booking, Customer};

use super::ownership::owned;
use super::{App, metadata};
use crate::domain::payer::Payer;
use crate::domain::receipt::paper::Extent;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::{payers, receipts};
use crate::repository::LockedCollection;

/// Whom the documents of a booking name, and whether that can be changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PayerDetails {
    /// The payer; none for the customer.
    pub payer: Option<Payer>,
    /// Papers state it, and no invoice is issued yet.
    pub can_change: bool,
}

/// Stores whom the documents of a client's own booking name; `None` for the client. Issued
/// documents stay as they are.
///
/// # Errors
/// `BookingNotFound`, `PaymentNotStarted`, `PapersOff`, `PayerFixed` once there is an invoice, or
/// that the database does not answer.
pub async fn set_payer(
    app: &App,
    customer_id: Id<Customer>,
    booking_id: Id<Booking>,
    payer: Option<Payer>,
) -> Result<(), Error> {
    let row = owned(app, customer_id, booking_id).await?;
    if app.issuer.extent() == Extent::Receipt {
        return Err(refuse(Rejection::PapersOff));
    }
    let metadata = metadata(&customer_id.to_string(), booking_id, row.traceparent.as_deref());
    app.store
        .write(metadata, move |tx| {
            let payer = payer.clone();
            Box::pin(async move {
                // Invoices are issued under this lock.
                LockedCollection::load(tx, booking_id).await?;
                if receipts::is_invoiced(tx.connection(), booking_id).await? {
                    return Err(refuse(Rejection::PayerFixed));
                }
                match &payer {
                    Some(payer) => payers::upsert(tx, booking_id, payer).await?,
                    None => payers::delete(tx, booking_id).await?,
                }
                Ok(())
            })
        })
        .await
}

/// Whom the documents of a booking name. Callers have checked the booking's owner.
pub async fn payer_details(app: &App, booking_id: Id<Booking>) -> Result<PayerDetails, Error> {
    if app.issuer.extent() == Extent::Receipt {
        return Ok(PayerDetails::default());
    }
    let pool = app.store.pool();
    let is_invoiced = receipts::is_invoiced(pool, booking_id).await?;
    Ok(PayerDetails { payer: payers::of(pool, booking_id).await?, can_change: !is_invoiced })
}

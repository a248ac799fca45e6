//! Issues the receipt for money that belongs to a placed booking, once per payment. Its number is
//! taken in the transaction that writes it, so numbers have no gap.

use eventstore::{Metadata, Tx, new_id};
use kernel::Id;
use kernel::id::Booking;

use super::follow_booking::Wish;
use super::{Error, Rejection, Till, metadata, refuse, traced};
use crate::contract;
use crate::domain::fact::PaymentId;
use crate::domain::receipt::{Issuer, Paid, Receipt};
use crate::read_model::{query, receipts};
use crate::store::OpenCollection;
use crate::timers;

/// Whoever issues holds this lock from before the clock is read until the commit, so that a later
/// number is never of an earlier time or year. It is the last lock that a transaction takes:
/// whoever waits for it holds its collection and perhaps the consumer's checkpoint, and whoever
/// has it waits for nobody.
const LOCK: &str = "receipts";

/// Issues the receipt that is due: the payment that the booking is placed with is known here and
/// counts, something of it is left, and it has none yet.
///
/// # Errors
/// When there can be none, or the database does not answer.
pub async fn issue_receipt(
    tx: &mut Tx,
    issuer: &Issuer,
    open: &OpenCollection,
    wish: &Wish,
) -> Result<Option<Receipt>, Error> {
    let Some(paid) = due(open, wish) else { return Ok(None) };
    // Asked under the collection's lock, under which alone a receipt for its payments is issued.
    if receipts::is_issued(tx.connection(), &paid.payment).await? {
        return Ok(None);
    }
    tx.lock(&[LOCK.to_owned()]).await?;
    let now = tx.now().await?;
    let number = receipts::take_number(tx, issuer.year_of(now)).await?;
    let receipt = issuer
        .issue(new_id(), paid, number, now)
        .map_err(|refusal| refuse(Rejection::ReceiptRefused(refusal)))?;
    receipts::insert(tx, &receipt).await?;
    let stream = contract::receipt::stream(receipt.receipt_id);
    tx.append(&stream, 0, &[contract::receipt::issued(&receipt)?]).await?;
    let (booking_id, serial) = (receipt.paid.booking_id, &receipt.serial);
    tracing::info!(%booking_id, receipt_id = %receipt.receipt_id, serial, "receipt issued");
    Ok(Some(receipt))
}

/// The money that a receipt is due for, once booking has said what the booking is placed with, that
/// payment counts here, and not all of it is back or on its way. When a part of it is, the receipt
/// states what was paid, and `refunded` beside it. When a refund fails later, its money is here
/// again, and the receipt is due then.
#[must_use]
pub fn due(open: &OpenCollection, wish: &Wish) -> Option<Paid> {
    let known = open.collection()?;
    let is_here = |it: &PaymentId| known.verified.as_ref() == Some(it) && known.left(it) > 0;
    let payment = wish.placed.clone().filter(is_here)?;
    Some(Paid { booking_id: known.terms.booking_id, payment, amount: known.terms.amount })
}

/// Issues the receipt for money that was learnt of, or came home, only after booking had placed its
/// booking with it; a timer's work.
///
/// # Errors
/// When there can be none, or the database does not answer.
pub async fn issue_late(till: &Till, booking_id: Id<Booking>) -> Result<(), Error> {
    let row = query::collection(till.store.pool(), booking_id).await?;
    let trace = row.and_then(|row| row.traceparent);
    let trace = trace.as_deref();
    let metadata: Metadata = metadata("payments", booking_id, trace);
    let issuer = till.issuer.clone();
    let work = till.store.write(metadata, move |tx| {
        let issuer = issuer.clone();
        Box::pin(async move {
            let open = OpenCollection::load(tx, booking_id).await?;
            let wish = query::wish(tx.connection(), booking_id).await?;
            // Before the lock that has to be the last one.
            timers::end_receipt(tx, booking_id).await?;
            issue_receipt(tx, &issuer, &open, &wish).await?;
            Ok::<(), Error>(())
        })
    });
    traced("issue receipt", booking_id, trace, work).await
}

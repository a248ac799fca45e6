//! Issues the receipt for money that belongs to a placed booking, once per payment. Its number is
//! taken in the transaction that writes it, so numbers have no gap. Money never waits for a
//! receipt.

use eventstore::{Metadata, StoreError, Tx, new_id};
use kernel::id::Booking;
use kernel::{CommandError, Id, Money};
use runtime::status::chain;

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
    match missing(tx, open, wish).await? {
        Some(paid) => write(tx, issuer, paid).await.map(Some),
        None => Ok(None),
    }
}

/// Issues the receipt that is due if there can be one. The transaction goes on without it in any
/// case, because the booking's money does: the refusal is logged as an error, no number is taken,
/// and the timer tries again every hour.
///
/// # Errors
/// When the database does not answer.
pub async fn issue_or_put_off(
    tx: &mut Tx,
    issuer: &Issuer,
    open: &OpenCollection,
    wish: &Wish,
) -> Result<(), Error> {
    let Some(paid) = missing(tx, open, wish).await? else { return Ok(()) };
    let booking_id = paid.booking_id;
    tx.mark().await?;
    match write(tx, issuer, paid).await {
        Err(error) if is_its_own(&error) => {
            tx.undo().await?;
            let error = chain(&error);
            tracing::error!(%booking_id, error, "a receipt cannot be issued");
            Ok(timers::put_receipt_off(tx, booking_id, open.now).await?)
        }
        other => other.map(drop),
    }
}

/// Whether it is the receipt that cannot be: what the settings or the table refuse. A database that
/// does not answer is waited for by everything alike.
fn is_its_own(error: &Error) -> bool {
    match error {
        CommandError::Rejected(_) | CommandError::NotFound => true,
        CommandError::Conflict => false,
        CommandError::Unavailable(source) => {
            source.downcast_ref::<StoreError>().is_some_and(StoreError::is_fault)
        }
    }
}

/// The money whose receipt is due and is not there. It is asked under the collection's lock, under
/// which alone a receipt for its payments is issued.
async fn missing(
    tx: &mut Tx,
    open: &OpenCollection,
    wish: &Wish,
) -> Result<Option<Paid>, StoreError> {
    let Some(paid) = due(open, wish) else { return Ok(None) };
    let is_issued = receipts::is_issued(tx.connection(), &paid.payment).await?;
    Ok((!is_issued).then_some(paid))
}

async fn write(tx: &mut Tx, issuer: &Issuer, paid: Paid) -> Result<Receipt, Error> {
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
    Ok(receipt)
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
    let amount = Money { minor: known.brought(&payment), ..known.terms.amount };
    Some(Paid { booking_id: known.terms.booking_id, payment, amount })
}

/// Issues the receipt for money that was learnt of, or came home, only after booking had placed its
/// booking with it, or whose receipt could not be issued before; a timer's work.
///
/// # Errors
/// When the database does not answer.
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
            issue_or_put_off(tx, &issuer, &open, &wish).await
        })
    });
    traced("issue receipt", booking_id, trace, work).await
}

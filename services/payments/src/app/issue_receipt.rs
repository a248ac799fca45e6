//! Issues the documents for the money of a placed booking: one receipt per payment and, by setting,
//! the tax documents that follow it. A number is taken in the transaction that writes its document,
//! so no series has a gap. Refunds and earnings never wait for a document.

use eventstore::{Metadata, StoreError, Tx, new_id};
use kernel::id::Booking;
use kernel::{CommandError, Id};
use runtime::status::chain;

use super::{App, metadata, traced};
use crate::contract;
use crate::domain::booking_intent::BookingIntent;
use crate::domain::receipt::due::{self, Due};
use crate::domain::receipt::paper::Extent;
use crate::domain::receipt::{Issuer, Receipt};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::{payers, query, receipts};
use crate::repository::LockedCollection;
use crate::timers::kinds;

/// Held from before the clock is read until the commit, so that numbers follow commit order and a
/// later number never has an earlier time or year. Lock order: collection, then checkpoint, then
/// this lock, always last, so that no deadlock is possible within one event or command. A batch of
/// events locks another collection after it, whose holder may wait for this lock; then the batch is
/// rolled back after a lock timeout (`BATCH_LOCK_TIMEOUT` in messaging).
const LOCK: &str = "receipts";

/// Issues the documents that are due, each once: a receipt, if the payment that the booking is
/// placed with is verified, has money left and has no receipt yet; and the documents that follow a
/// receipt voucher.
///
/// # Errors
/// When one cannot be issued, or the database does not answer.
pub async fn issue_receipt(
    tx: &mut Tx,
    issuer: &Issuer,
    locked: &LockedCollection,
    intent: &BookingIntent,
) -> Result<Vec<Receipt>, Error> {
    let mut written = Vec::new();
    while let Some(due) = next_due(tx, issuer, locked, intent).await? {
        written.push(write(tx, issuer, due).await?);
    }
    Ok(written)
}

/// Issues the documents that are due. If one cannot be issued, the transaction goes on without it,
/// because refunds and earnings must not wait: an error is logged, no number is taken, and the
/// timer tries again every hour.
pub async fn issue_or_postpone(
    tx: &mut Tx,
    issuer: &Issuer,
    locked: &LockedCollection,
    intent: &BookingIntent,
) -> Result<(), Error> {
    let Some(due) = next_due(tx, issuer, locked, intent).await? else { return Ok(()) };
    let booking_id = due.booking_id;
    tx.mark().await?;
    match issue_receipt(tx, issuer, locked, intent).await {
        Err(error) if is_receipt_fault(&error) => {
            tx.undo().await?;
            let error = chain(&error);
            tracing::error!(%booking_id, error, "a receipt cannot be issued");
            Ok(kinds::postpone_receipt(tx, booking_id, locked.now).await?)
        }
        other => other.map(drop),
    }
}

/// Whether the receipt itself is refused, by the settings or the table. An unavailable database
/// fails the whole transaction.
fn is_receipt_fault(error: &Error) -> bool {
    match error {
        CommandError::Rejected(_) | CommandError::NotFound => true,
        CommandError::Conflict => false,
        CommandError::Unavailable(source) => {
            source.downcast_ref::<StoreError>().is_some_and(StoreError::is_fault)
        }
    }
}

/// The next document that is due and not issued. Called under the collection's lock, under which
/// all documents about its payments are issued.
pub async fn next_due(
    tx: &mut Tx,
    issuer: &Issuer,
    locked: &LockedCollection,
    intent: &BookingIntent,
) -> Result<Option<Due>, StoreError> {
    let Some(known) = locked.collection() else { return Ok(None) };
    let placed = intent.placed.as_ref();
    let settings = (issuer.extent(), issuer.tax());
    // No query where nothing can be due.
    if due::for_money(known, placed).is_none() && issuer.extent() == Extent::Receipt {
        return Ok(None);
    }
    let issued = receipts::issued(tx.connection(), known.terms.booking_id).await?;
    Ok(due::next(known, placed, &issued, settings))
}

async fn write(tx: &mut Tx, issuer: &Issuer, due: Due) -> Result<Receipt, Error> {
    tx.lock(&[LOCK.to_owned()]).await?;
    let now = tx.now().await?;
    let payer = payers::of(tx.connection(), due.booking_id).await?;
    let number = receipts::take_number(tx, due.paper.series(), issuer.year_of(now)).await?;
    let receipt = issuer
        .issue((new_id(), number), due, payer, now)
        .map_err(|refusal| refuse(Rejection::ReceiptRefused(refusal)))?;
    receipts::insert(tx, &receipt).await?;
    let stream = contract::receipt::stream(receipt.receipt_id);
    tx.append(&stream, 0, &[contract::receipt::issued(&receipt)?]).await?;
    let (booking_id, paper, serial) =
        (receipt.due.booking_id, receipt.due.paper.word(), &receipt.serial);
    tracing::info!(%booking_id, receipt_id = %receipt.receipt_id, paper, serial, "receipt issued");
    Ok(receipt)
}

/// Issues documents that were not possible when booking's event was handled: the money arrived,
/// returned or was refunded afterwards, or the document was refused. Called by a timer.
pub async fn issue_postponed(app: &App, booking_id: Id<Booking>) -> Result<(), Error> {
    let row = query::collection(app.store.pool(), booking_id).await?;
    let trace = row.and_then(|row| row.traceparent);
    let trace = trace.as_deref();
    let metadata: Metadata = metadata("payments", booking_id, trace);
    let issuer = app.issuer.clone();
    let work = app.store.write(metadata, move |tx| {
        let issuer = issuer.clone();
        Box::pin(async move {
            let locked = LockedCollection::load(tx, booking_id).await?;
            let intent = query::booking_intent(tx.connection(), booking_id).await?;
            // Before the receipts lock, which has to be the last one.
            kinds::end_receipt(tx, booking_id).await?;
            issue_or_postpone(tx, &issuer, &locked, &intent).await
        })
    });
    traced("issue receipt", booking_id, trace, work).await
}

//! Issues the papers for money that belongs to a placed booking: a receipt, once per payment, and
//! by setting what the rules of tax ask for after it. A number is taken in the transaction that
//! writes its paper, so no series has a gap. Money never waits for a paper.

use eventstore::{Metadata, StoreError, Tx, new_id};
use kernel::id::Booking;
use kernel::{CommandError, Id};
use runtime::status::chain;

use super::apply_booking_intent::BookingIntent;
use super::{App, Error, Rejection, metadata, refuse, traced};
use crate::contract;
use crate::domain::receipt::due::{self, Due};
use crate::domain::receipt::paper::Extent;
use crate::domain::receipt::{Issuer, Receipt};
use crate::read_model::{payers, query, receipts};
use crate::repository::LockedCollection;
use crate::timers;

/// Whoever issues holds this lock from before the clock is read until the commit, so that a later
/// number is never of an earlier time or year. It is the last lock that one event or command takes.
/// In a run of events the next one wants another collection, whose holder may wait for this lock;
/// then the run gives way (`RUN_LOCK_PATIENCE` in messaging).
const LOCK: &str = "receipts";

/// Issues the papers that are due, each once: a receipt when the payment that the booking is placed
/// with is known here and counts, something of it is left, and it has none yet; and whatever
/// follows a receipt voucher.
///
/// # Errors
/// When there can be none, or the database does not answer.
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

/// Issues the papers that are due if there can be any. The transaction goes on without them in any
/// case, because the booking's money does: the refusal is logged as an error, no number is taken,
/// and the timer tries again every hour.
///
/// # Errors
/// When the database does not answer.
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
            Ok(timers::postpone_receipt(tx, booking_id, locked.now).await?)
        }
        other => other.map(drop),
    }
}

/// Whether it is the receipt that cannot be: what the settings or the table refuse. A database that
/// does not answer is waited for by everything alike.
fn is_receipt_fault(error: &Error) -> bool {
    match error {
        CommandError::Rejected(_) | CommandError::NotFound => true,
        CommandError::Conflict => false,
        CommandError::Unavailable(source) => {
            source.downcast_ref::<StoreError>().is_some_and(StoreError::is_fault)
        }
    }
}

/// The paper that is due next and is not there. It is asked under the collection's lock, under
/// which alone a paper about its payments is issued.
///
/// # Errors
/// When the database does not answer.
pub async fn next_due(
    tx: &mut Tx,
    issuer: &Issuer,
    locked: &LockedCollection,
    intent: &BookingIntent,
) -> Result<Option<Due>, StoreError> {
    let Some(known) = locked.collection() else { return Ok(None) };
    let placed = intent.placed.as_ref();
    let settings = (issuer.extent(), issuer.tax());
    // Nothing is asked of the database where nothing could be due.
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

/// Issues the papers for money that was learnt of, came home, or went back, only after booking had
/// told of its booking, or whose papers could not be issued before; a timer's work.
///
/// # Errors
/// When the database does not answer.
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
            // Before the lock that has to be the last one.
            timers::end_receipt(tx, booking_id).await?;
            issue_or_postpone(tx, &issuer, &locked, &intent).await
        })
    });
    traced("issue receipt", booking_id, trace, work).await
}

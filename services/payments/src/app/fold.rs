//! What the provider said becomes facts of a collection; whatever it means happens with them.

use std::sync::Arc;

use eventstore::{Metadata, Tx, new_id};
use kernel::Id;
use kernel::id::Booking;

use super::{Error, Rejection, Till, refuse};
use crate::domain::collection::{Command, Standing};
use crate::domain::fact::{Payment, Source};
use crate::store::OpenCollection;
use crate::timers;

/// What becomes of the booking's polling once the facts are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It goes on as it was.
    Keep,
    /// It begins anew at its fast pace: somebody waits.
    Hurry,
    /// It goes on with this step, or ends when its days are over.
    Step(usize),
}

/// Folds payments inside a transaction.
///
/// # Errors
/// When the database does not answer, or nothing was ever collected for this booking.
pub async fn fold_payments(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    payments: &[Payment],
    source: Source,
    next: Next,
) -> Result<Standing, Error> {
    let mut open = OpenCollection::load(tx, booking_id).await?;
    for payment in payments {
        let payment = payment.clone();
        let refund_id = new_id();
        open.apply(tx, Command::Observe { payment, source, refund_id }).await?;
    }
    let collection = open.collection().ok_or(refuse(Rejection::PaymentNotStarted))?;
    if collection.is_settled() {
        timers::end_polling(tx, booking_id).await?;
    } else {
        timers::go_on_polling(tx, booking_id, next, open.now).await?;
    }
    Ok(collection.standing())
}

/// Folds payments in a transaction of their own.
///
/// # Errors
/// When the database does not answer, or nothing was ever collected for this booking.
pub async fn fold_now(
    till: &Till,
    metadata: Metadata,
    booking_id: Id<Booking>,
    payments: Vec<Payment>,
    (source, next): (Source, Next),
) -> Result<Standing, Error> {
    let payments = Arc::new(payments);
    till.store
        .write(metadata, move |tx| {
            let payments = Arc::clone(&payments);
            Box::pin(async move { fold_payments(tx, booking_id, &payments, source, next).await })
        })
        .await
}

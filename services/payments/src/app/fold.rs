//! What the provider said becomes facts of a collection; whatever it means happens with them.

use std::sync::Arc;

use eventstore::{Metadata, Tx, new_id};
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::{Error, Rejection, Till, refuse};
use crate::domain::collection::{Command, Standing};
use crate::domain::fact::{Payment, Source};
use crate::polling::{self, Turn};
use crate::store::OpenCollection;

/// What becomes of the booking's polling once the facts are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It goes on as it was.
    Keep,
    /// It begins anew at its fast pace: somebody waits.
    Hurry,
    /// It goes on after the question of this turn, unless it was hurried meanwhile.
    After(Asked),
}

/// A question that was asked of the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Which one.
    pub turn: Turn,
    /// The one after it.
    pub next: Turn,
    /// Until when the booking's time is held, if that is known.
    pub held_until: Option<Timestamp>,
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
        polling::end(tx, booking_id).await?;
    } else {
        go_on_polling(tx, booking_id, next, open.now).await?;
    }
    Ok(collection.standing())
}

async fn go_on_polling(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    next: Next,
    now: Timestamp,
) -> Result<(), Error> {
    match next {
        Next::Keep => {}
        Next::Hurry => polling::set(tx, booking_id, Turn::first(now), now, None).await?,
        // Whatever hurried it during the question has set a better time.
        Next::After(asked) => {
            if polling::is_at(tx, booking_id, asked.turn).await? {
                polling::set(tx, booking_id, asked.next, now, asked.held_until).await?;
            }
        }
    }
    Ok(())
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

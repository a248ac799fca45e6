//! From booking: whose a booking is, in which trace it began and where it stands; and what becomes
//! of its money when it could not be placed, was cancelled, or took place.

use contract::booking::v1 as booking;
use eventstore::{Recorded, Tx, new_id};
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::{Booking, Customer, Kind};
use messaging::{Reaction, ReactionError};

use crate::domain::collection::Command;
use crate::domain::fact::{Amount, PaymentId};
use crate::read_model::booking_word::BookingWord;
use crate::read_model::{project, query};
use crate::store::OpenCollection;

/// What an event of booking asks of this service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Remember it.
    Remember { id: Id<Booking>, customer_id: Id<Customer> },
    /// Remember where it stands.
    Note { id: Id<Booking>, word: BookingWord },
    /// Give its money back.
    Refund { id: Id<Booking>, payment: PaymentId },
    /// Give this much of its money back at most, and keep the rest.
    Cancel { id: Id<Booking>, refund: Amount },
    /// Keep the money that came for it after it had been cancelled without refund.
    Keep { id: Id<Booking> },
    /// Its money is earned.
    Complete { id: Id<Booking> },
}

/// What to do about an event; `None` when it does not concern money.
///
/// # Errors
/// When it is one of ours by name and cannot be read.
pub fn step(event: &Recorded) -> Result<Option<Step>, ReactionError> {
    if let Some(e) = event.get::<booking::BookingRequested>()? {
        let customer_id = parse(&e.customer_id)?;
        return Ok(Some(Step::Remember { id: parse(&e.booking_id)?, customer_id }));
    }
    if let Some(e) = event.get::<booking::BookingUnplaced>()? {
        let payment = PaymentId::parse(&e.payment_id)
            .ok_or_else(|| ReactionError::Failed("not the id of a payment".into()))?;
        return Ok(Some(Step::Refund { id: parse(&e.booking_id)?, payment }));
    }
    if let Some(e) = event.get::<booking::BookingCancelled>()? {
        let refund = e.refund.unwrap_or_default();
        let refund = Amount { minor: refund.minor_units, currency: refund.currency_code };
        return Ok(Some(Step::Cancel { id: parse(&e.booking_id)?, refund }));
    }
    if let Some(e) = event.get::<booking::BookingPaid>()? {
        return Ok(Some(Step::Keep { id: parse(&e.booking_id)? }));
    }
    if let Some(e) = event.get::<booking::BookingCompleted>()? {
        return Ok(Some(Step::Complete { id: parse(&e.booking_id)? }));
    }
    let noted = if let Some(e) = event.get::<booking::BookingConfirmed>()? {
        Some((e.booking_id, BookingWord::Confirmed))
    } else if let Some(e) = event.get::<booking::BookingExpired>()? {
        Some((e.booking_id, BookingWord::Expired))
    } else {
        let released = event.get::<booking::BookingReleased>()?;
        released.map(|e| (e.booking_id, BookingWord::Released))
    };
    noted.map(|(id, word)| Ok(Step::Note { id: parse(&id)?, word })).transpose()
}

fn parse<K: Kind>(text: &str) -> Result<Id<K>, ReactionError> {
    text.parse().map_err(|error: kernel::id::InvalidId| ReactionError::Failed(error.into()))
}

/// Takes booking's events in.
#[derive(Debug, Clone, Copy)]
pub struct OnBooking;

impl Reaction for OnBooking {
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>> {
        Box::pin(async move {
            let Some(step) = step(event)? else { return Ok(()) };
            match step {
                Step::Remember { id, customer_id } => {
                    let trace = event.metadata.traceparent.as_deref();
                    project::known_booking(tx, id, customer_id, trace).await?;
                }
                Step::Note { id, word } => project::booking_state(tx, id, word).await?,
                Step::Refund { id, payment } => {
                    project::booking_state(tx, id, BookingWord::Unplaced).await?;
                    let mut open = OpenCollection::load(tx, id).await?;
                    open.apply(tx, Command::Unplace { payment, refund_id: new_id() }).await?;
                }
                Step::Cancel { id, refund } => {
                    project::booking_state(tx, id, BookingWord::Cancelled).await?;
                    close(tx, id, Command::Cancel { refund, refund_id: new_id() }).await?;
                }
                Step::Keep { id } => {
                    // For one that still takes place nothing has to be decided.
                    let word = query::booking_state(tx.connection(), id).await?;
                    if word == BookingWord::Cancelled {
                        let refund = Amount { minor: 0, currency: String::new() };
                        close(tx, id, Command::Cancel { refund, refund_id: new_id() }).await?;
                    }
                }
                Step::Complete { id } => {
                    project::booking_state(tx, id, BookingWord::Completed).await?;
                    close(tx, id, Command::Complete).await?;
                }
            }
            Ok(())
        })
    }
}

/// Decides about the money of a booking that is over. One that was confirmed on the customer's word
/// may have none, not even an order.
async fn close(tx: &mut Tx, id: Id<Booking>, command: Command) -> Result<(), ReactionError> {
    let mut open = OpenCollection::load(tx, id).await?;
    if open.collection().is_some() {
        open.apply(tx, command).await?;
    }
    Ok(())
}

//! From booking: whose a booking is, in which trace it began and where it stands; and what becomes
//! of its money when it could not be placed, was cancelled, or took place.

use contract::booking::v1 as booking;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::{Booking, Customer, Kind};
use messaging::{Reaction, ReactionError};

use crate::app::follow_booking::{Wish, follow_booking};
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
                Step::Refund { id, payment } => give_back(tx, id, payment).await?,
                Step::Cancel { id, refund } => {
                    let word = BookingWord::Cancelled;
                    let before = query::wish(tx.connection(), id).await?;
                    end(tx, id, Wish { word, refund: Some(refund), ..before }).await?;
                }
                Step::Keep { id } => {
                    // For one that still takes place nothing has to be decided.
                    let before = query::wish(tx.connection(), id).await?;
                    if before.word == BookingWord::Cancelled {
                        let nothing = Amount { minor: 0, currency: String::new() };
                        end(tx, id, Wish { refund: Some(nothing), ..before }).await?;
                    }
                }
                Step::Complete { id } => {
                    let before = query::wish(tx.connection(), id).await?;
                    end(tx, id, Wish { word: BookingWord::Completed, ..before }).await?;
                }
            }
            Ok(())
        })
    }
}

/// Gives the money back that could not be placed. What came after a cancellation goes back because
/// of that.
async fn give_back(tx: &mut Tx, id: Id<Booking>, payment: PaymentId) -> Result<(), ReactionError> {
    let before = query::wish(tx.connection(), id).await?;
    let word = match before.word {
        BookingWord::Cancelled => BookingWord::Cancelled,
        BookingWord::Unknown
        | BookingWord::Requested
        | BookingWord::Confirmed
        | BookingWord::Unplaced
        | BookingWord::Expired
        | BookingWord::Released
        | BookingWord::Completed => BookingWord::Unplaced,
    };
    let wish = Wish { word, unplaced: Some(payment.clone()), ..before };
    let is_remembered = end(tx, id, wish).await?;
    let open = OpenCollection::load(tx, id).await?;
    let is_known = open.collection().is_some_and(|known| known.payments.contains_key(&payment));
    if is_known || is_remembered {
        return Ok(());
    }
    // Neither the booking nor its payment is known, so nothing would ever give it back.
    Err(ReactionError::Failed("neither the booking nor its payment is known".into()))
}

/// Remembers what booking wants, and does it with the money that is there; says whether it is
/// remembered.
async fn end(tx: &mut Tx, id: Id<Booking>, wish: Wish) -> Result<bool, ReactionError> {
    let is_remembered = project::wish(tx, id, &wish).await?;
    let mut open = OpenCollection::load(tx, id).await?;
    follow_booking(tx, &mut open, &wish).await?;
    Ok(is_remembered)
}

//! From booking: whose a booking is and in which trace it began; and, when it could not be placed,
//! that its money goes back.

use contract::booking::v1 as booking;
use eventstore::{Recorded, Tx, new_id};
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::{Booking, Customer, Kind};
use messaging::{Reaction, ReactionError};

use crate::domain::collection::Command;
use crate::domain::fact::PaymentId;
use crate::read_model::project;
use crate::store::OpenCollection;

/// What an event of booking asks of this service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Remember it.
    Remember { id: Id<Booking>, customer_id: Id<Customer> },
    /// Give its money back.
    Refund { id: Id<Booking>, payment: PaymentId },
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
    Ok(None)
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
            match step(event)? {
                None => {}
                Some(Step::Remember { id, customer_id }) => {
                    let trace = event.metadata.traceparent.as_deref();
                    project::known_booking(tx, id, customer_id, trace).await?;
                }
                Some(Step::Refund { id, payment }) => {
                    let mut open = OpenCollection::load(tx, id).await?;
                    open.apply(tx, Command::Unplace { payment, refund_id: new_id() }).await?;
                }
            }
            Ok(())
        })
    }
}

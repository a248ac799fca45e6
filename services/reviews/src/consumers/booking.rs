//! Events of booking: the customer of a booking, and the completion of its session, which can prove
//! a review.

use contract::booking::v1 as booking;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use kernel::id::{Booking, Customer, Kind};
use kernel::{Id, Timestamp};
use messaging::{Reaction, ReactionError};

use crate::read_model::sessions;

/// What an event of booking changes in the sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionChange {
    /// The booking was requested by this customer.
    Requested { booking_id: Id<Booking>, customer_id: Id<Customer>, is_free: bool },
    /// The booking was adopted by this account.
    Adopted { booking_id: Id<Booking>, customer_id: Id<Customer> },
    /// Staff said whether its client came to any session.
    Marked { booking_id: Id<Booking>, no_show: bool },
    /// The session was completed.
    Completed { booking_id: Id<Booking>, at: Timestamp },
}

/// The change of an event; `None` when it does not concern reviews.
///
/// # Errors
/// When its type is known but its payload cannot be decoded.
pub fn session_change(event: &Recorded) -> Result<Option<SessionChange>, ReactionError> {
    if let Some(e) = event.get::<booking::BookingRequested>()? {
        let (booking_id, customer_id) = (parse(&e.booking_id)?, parse(&e.customer_id)?);
        let is_free = e.price.is_some_and(|price| price.minor_units == 0);
        return Ok(Some(SessionChange::Requested { booking_id, customer_id, is_free }));
    }
    if let Some(e) = event.get::<booking::BookingAdopted>()? {
        let (booking_id, customer_id) = (parse(&e.booking_id)?, parse(&e.customer_id)?);
        return Ok(Some(SessionChange::Adopted { booking_id, customer_id }));
    }
    if let Some(e) = event.get::<booking::BookingAttendanceMarked>()? {
        let booking_id = parse(&e.booking_id)?;
        return Ok(Some(SessionChange::Marked { booking_id, no_show: e.no_show }));
    }
    if let Some(e) = event.get::<booking::BookingCompleted>()? {
        let booking_id = parse(&e.booking_id)?;
        return Ok(Some(SessionChange::Completed { booking_id, at: event.recorded_at }));
    }
    Ok(None)
}

fn parse<K: Kind>(text: &str) -> Result<Id<K>, ReactionError> {
    text.parse().map_err(|error: kernel::id::InvalidId| ReactionError::Failed(error.into()))
}

/// Name of the consumer of booking's feed.
pub const ON_BOOKING: &str = "reviews-on-booking";

/// Consumes booking's events.
#[derive(Debug, Clone, Copy)]
pub struct OnBooking;

impl Reaction for OnBooking {
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>> {
        Box::pin(async move {
            match session_change(event)? {
                None => Ok(()),
                Some(SessionChange::Requested { booking_id, customer_id, is_free }) => {
                    Ok(sessions::insert(tx, booking_id, customer_id, is_free).await?)
                }
                Some(SessionChange::Adopted { booking_id, customer_id }) => {
                    if sessions::set_customer(tx, booking_id, customer_id).await? {
                        Ok(())
                    } else {
                        Err(ReactionError::Failed("this booking is not known".into()))
                    }
                }
                Some(SessionChange::Marked { booking_id, no_show }) => {
                    if sessions::mark_no_show(tx, booking_id, no_show).await? {
                        Ok(())
                    } else {
                        Err(ReactionError::Failed("this booking is not known".into()))
                    }
                }
                Some(SessionChange::Completed { booking_id, at }) => {
                    if sessions::mark_completed(tx, booking_id, at).await? {
                        Ok(())
                    } else {
                        Err(ReactionError::Failed("nobody had asked for this booking".into()))
                    }
                }
            }
        })
    }

    /// 1: with marks of who came.
    fn release(&self) -> &'static str {
        "1"
    }
}

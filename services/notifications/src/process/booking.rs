//! From booking: a booking was confirmed, its meeting room exists, or its hold ended.

use contract::booking::v1 as wire;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::Booking;
use messaging::{Reaction, ReactionError};

use super::id;
use crate::mail::{Kind, NewMail};
use crate::store;

/// What an event of booking asks of this service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Tell the customer and the practice, if possible with the meeting link.
    Confirm(Id<Booking>),
    /// The meeting link can be told.
    TellLink(Id<Booking>),
    /// Show the customer a way back.
    TellHoldEnded(Id<Booking>),
}

/// What to do about an event; `None` when no mail follows from it.
///
/// # Errors
/// When it is one of these by name and cannot be read.
pub fn step(event: &Recorded) -> Result<Option<Step>, ReactionError> {
    let step = if let Some(e) = event.get::<wire::BookingConfirmed>()? {
        Step::Confirm(id(&e.booking_id)?)
    } else if let Some(e) = event.get::<wire::MeetingScheduled>()? {
        Step::TellLink(id(&e.booking_id)?)
    } else if let Some(e) = event.get::<wire::BookingExpired>()? {
        Step::TellHoldEnded(id(&e.booking_id)?)
    } else {
        return Ok(None);
    };
    Ok(Some(step))
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
                Some(Step::Confirm(booking)) => {
                    for kind in [Kind::BookingConfirmed, Kind::PracticeNotice] {
                        let mail = NewMail::of_booking(kind, booking).waiting_for_link();
                        store::queue(tx, &mail).await?;
                    }
                }
                Some(Step::TellLink(booking)) => store::link_arrived(tx, booking).await?,
                Some(Step::TellHoldEnded(booking)) => {
                    store::queue(tx, &NewMail::of_booking(Kind::HoldEnded, booking)).await?;
                }
            }
            Ok(())
        })
    }
}

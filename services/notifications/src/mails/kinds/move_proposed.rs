//! The practice can't hold a session and asks its client to choose another time.

use contract::booking::v1::BookingMoveProposed;
use eventstore::Recorded;
use kernel::Id;
use kernel::id::Booking;
use messaging::ReactionError;

use crate::mails::declaration::{Declaration, LeadsTo, id};
use crate::mails::mail::NewMail;
use crate::mails::proposals::{is_over, mail_of_event};
use crate::templates::render::samples::proposals;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    leads_to: LeadsTo::Booking,
    asked_by,
    is_untrue: is_over,
    // A time was chosen before the mail was due.
    believes: |_reason| true,
    samples: proposals::proposed,
    ..Declaration::TO_CLIENT
};

/// Each proposal once.
fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<BookingMoveProposed>()? else { return Ok(None) };
    let booking: Id<Booking> = id(&e.booking_id)?;
    let mail = mail_of_event(booking, &e);
    mail.map(Some).ok_or_else(|| ReactionError::Failed("a proposal without its times".into()))
}

//! The secret of the link in a follow-up mail.

use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::{Desk, Error, Rejection, refuse};
use crate::invitation::valid_until;
use crate::read_model::sessions;

/// The booking's secret and until when it is good.
///
/// # Errors
/// `SessionNotCompleted` when we know of no completed session of that booking.
pub async fn create_invitation(
    desk: &Desk,
    booking_id: Id<Booking>,
) -> Result<(String, Timestamp), Error> {
    let session = sessions::of_booking(desk.store.pool(), booking_id).await?;
    let session = session.ok_or(refuse(Rejection::SessionNotCompleted))?;
    Ok((desk.invitations.secret(booking_id), valid_until(session.at)))
}

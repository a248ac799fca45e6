//! Creates the secret of the link in a follow-up mail.

use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::App;
use crate::app::invitation::valid_until;
use crate::error::{Error, Rejection, rejected};
use crate::read_model::sessions;

/// The booking's secret and its expiry.
///
/// # Errors
/// `SessionNotCompleted` when no completed session of that booking is known.
pub async fn create_invitation(
    app: &App,
    booking_id: Id<Booking>,
) -> Result<(String, Timestamp), Error> {
    let session = sessions::by_booking(app.store.pool(), booking_id).await?;
    let session = session.ok_or(rejected(Rejection::SessionNotCompleted))?;
    Ok((app.invitations.secret(booking_id), valid_until(session.at)))
}

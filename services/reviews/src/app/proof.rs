//! What proves that the writer of a review had a session: their account, or the link of a mail that
//! was sent to them. A typed mail address proves nothing.

use eventstore::Tx;
use kernel::Id;
use kernel::id::{Booking, Customer};

use super::App;
use crate::app::invitation::valid_until;
use crate::error::{Error, Rejection, rejected};
use crate::read_model::sessions::{self, CompletedSession};

/// The writer of a review, as far as known.
#[derive(Debug, Clone, Default)]
pub struct Writer {
    /// Their account, when they are signed in.
    pub customer: Option<Id<Customer>>,
    /// The secret of a mail's link.
    pub invitation: Option<String>,
}

/// The booking that proves the writer's review, under its lock; `None` when there is none.
///
/// # Errors
/// `InvitationNotValid` when the link is invalid, used or expired.
pub async fn find(tx: &mut Tx, app: &App, writer: &Writer) -> Result<Option<Id<Booking>>, Error> {
    if let Some(secret) = &writer.invitation {
        let invalid = || rejected(Rejection::InvitationNotValid);
        let booking_id = app.invitations.booking(secret).ok_or_else(invalid)?;
        let session = sessions::lock_by_booking(tx, booking_id).await?;
        let now = tx.now().await?;
        return if session.is_some_and(|session| is_usable(session, now)) {
            Ok(Some(booking_id))
        } else {
            Err(invalid())
        };
    }
    match writer.customer {
        Some(customer_id) => Ok(sessions::lock_oldest_of_customer(tx, customer_id).await?),
        None => Ok(None),
    }
}

/// Whether a review of the writer would get the badge now.
pub async fn exists(app: &App, writer: &Writer) -> Result<bool, Error> {
    let pool = app.store.pool();
    if let Some(secret) = &writer.invitation {
        let Some(booking_id) = app.invitations.booking(secret) else { return Ok(false) };
        let session = sessions::by_booking(pool, booking_id).await?;
        let now = app.store.now().await?;
        return Ok(session.is_some_and(|session| is_usable(session, now)));
    }
    match writer.customer {
        Some(customer_id) => Ok(sessions::has_unused(pool, customer_id).await?),
        None => Ok(false),
    }
}

fn is_usable(session: CompletedSession, now: kernel::Timestamp) -> bool {
    !session.used && now < valid_until(session.at)
}

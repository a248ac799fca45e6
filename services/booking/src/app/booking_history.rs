//! Everything about one booking: what a bank asks for when it disputes the payment.

use eventstore::Recorded;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::{App, Error, Rejection, refuse};
use crate::contract::booking_stream;
use crate::read_model::query;
use crate::read_model::view::{self, View};

/// A booking with its past.
#[derive(Clone)]
pub struct History {
    /// The booking as staff sees it.
    pub view: View,
    /// When its terms were accepted; none when its contact is gone.
    pub terms_accepted_at: Option<Timestamp>,
    /// What has happened, oldest first.
    pub events: Vec<Recorded>,
}

/// Reads it.
///
/// # Errors
/// `BookingNotFound`, or when the database does not answer.
pub async fn booking_history(app: &App, booking_id: &str) -> Result<History, Error> {
    let not_found = || refuse(Rejection::BookingNotFound);
    let id: Id<Booking> = booking_id.parse().map_err(|_malformed| not_found())?;
    let pool = app.store.pool();
    let view = view::load(pool, &app.practice, id).await?.ok_or_else(not_found)?;
    let terms_accepted_at = query::terms_accepted_at(pool, id).await?;
    let events = app.store.load(&booking_stream(id)).await?;
    Ok(History { view, terms_accepted_at, events })
}

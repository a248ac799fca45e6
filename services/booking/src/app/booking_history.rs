//! The full history of one booking: the evidence for a disputed payment.

use eventstore::Recorded;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::App;
use crate::contract::booking_stream;
use crate::domain::consent::GivenConsent;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::accepted_terms::{self, AcceptedTerms};
use crate::read_model::view::{self, View};
use crate::read_model::{consents, query};
use crate::repository::move_reasons::{self, MoveReason};

/// A booking with its history.
#[derive(Clone)]
pub struct History {
    /// The booking as staff see it.
    pub view: View,
    /// When the terms were accepted; `None` once the contact data was deleted.
    pub terms_accepted_at: Option<Timestamp>,
    /// The consent that stands behind it, with the words that were agreed to.
    pub consent: Option<(GivenConsent, Option<String>)>,
    /// What was shown when the terms were accepted.
    pub accepted_terms: Option<AcceptedTerms>,
    /// Why staff moved its sessions, or asked for another time, oldest first.
    pub move_reasons: Vec<MoveReason>,
    /// The booking's events, oldest first.
    pub events: Vec<Recorded>,
}

/// Loads the history.
///
/// # Errors
/// `BookingNotFound`, or when the database does not answer.
pub async fn booking_history(app: &App, booking_id: &str) -> Result<History, Error> {
    let not_found = || refuse(Rejection::BookingNotFound);
    let id: Id<Booking> = booking_id.parse().map_err(|_malformed| not_found())?;
    let pool = app.store.pool();
    let view = view::load(pool, &app.practice, id).await?.ok_or_else(not_found)?;
    let terms_accepted_at = query::terms_accepted_at(pool, id).await?;
    let consent = match consents::behind_booking(pool, id).await? {
        Some(given) => {
            let words = consents::text(pool, &given.version).await?;
            Some((given, words))
        }
        None => None,
    };
    let accepted_terms = accepted_terms::of_booking(pool, id).await?;
    let events = app.store.load(&booking_stream(id)).await?;
    let move_reasons = move_reasons::of_booking(pool, id).await?;
    Ok(History { view, terms_accepted_at, consent, accepted_terms, move_reasons, events })
}

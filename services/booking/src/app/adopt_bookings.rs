//! The account that proved its address owns the bookings that staff made by phone for that address.

use std::sync::Arc;

use eventstore::{Metadata, Tx};
use kernel::Id;
use kernel::id::{Booking, Customer};

use super::App;
use super::free_session::Client;
use super::page_keys;
use crate::domain::booking::Command;
use crate::domain::page_standing::PageEnd;
use crate::error::Error;
use crate::read_model::phone_bookings as found;
use crate::repository::{LockedBooking, phone_bookings};

/// The most bookings that one call adopts.
const BOOKINGS_MAX: i64 = 20;

/// Adopts the bookings of a client's proved address, each in a transaction of its own, and returns
/// them; none for a client whose address is not proved.
pub async fn adopt_bookings(app: &Arc<App>, client: Client) -> Result<Vec<Id<Booking>>, Error> {
    let Some(email) = client.proved_email else { return Ok(Vec::new()) };
    let email = Arc::new(email.to_lowercase());
    let mut adopted = Vec::new();
    for id in found::of_email(app.store.pool(), &email, BOOKINGS_MAX).await? {
        if adopt_booking(app, client.customer_id, id, &email).await? {
            tracing::info!(booking_id = %id, "a booking by phone was adopted");
            adopted.push(id);
        }
    }
    Ok(adopted)
}

async fn adopt_booking(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    id: Id<Booking>,
    email: &Arc<String>,
) -> Result<bool, Error> {
    let metadata = Metadata::traced(customer_id.to_string()).about(id.to_string());
    let (app_for_task, email) = (Arc::clone(app), Arc::clone(email));
    app.store
        .write(metadata, move |tx| {
            let (app, email) = (Arc::clone(&app_for_task), Arc::clone(&email));
            Box::pin(async move { adopt(tx, &app, (customer_id, &email), id).await })
        })
        .await
}

/// Whether the booking was adopted; false when another account was faster, and while the account
/// has a session of its own at the same time, because a client comes to one of them. It is asked
/// for again with each visit, and until then the booking keeps the page that was mailed.
async fn adopt(
    tx: &mut Tx,
    app: &App,
    (customer_id, email): (Id<Customer>, &str),
    id: Id<Booking>,
) -> Result<bool, Error> {
    // The account's consents are moved to under its own lock.
    let found = LockedBooking::load_with(tx, &app.rules, id, customer_id);
    let Some(mut locked) = found.await? else {
        return Ok(false);
    };
    if phone_bookings::overlaps_sessions_of(tx, id, customer_id, locked.now).await? {
        tracing::info!(booking_id = %id, "a booking by phone waits for the account's own session");
        return Ok(false);
    }
    if !phone_bookings::take(tx, id, email).await? {
        return Ok(false);
    }
    let contact = locked.state.facts().map(|facts| facts.customer_id);
    let events = locked.apply(tx, Command::Adopt { customer_id }).await?;
    if let Some(contact) = contact.filter(|_| !events.is_empty()) {
        phone_bookings::move_consents(tx, contact, customer_id).await?;
        page_keys::end(tx, app, (id, None), PageEnd::Adopted).await?;
    }
    Ok(!events.is_empty())
}

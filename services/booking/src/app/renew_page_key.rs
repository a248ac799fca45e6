//! The holder of a page's key asks for a new one. It is mailed to the address that the booking has
//! and to no other, and the answer is the same for every key. A key that leads to the session does
//! it as well: it may have ended with the page from which it was saved.

use std::sync::Arc;

use eventstore::{Metadata, Tx};
use kernel::id::Booking;
use kernel::{CommandError, Id};

use super::App;
use super::hold_origin::HoldOrigin;
use super::page_keys::{self, PageKeyPurpose};
use crate::domain::booking::Origin;
use crate::domain::page_standing::{PageEnd, PageStanding};
use crate::error::{Error, Rejection, refuse};
use crate::repository::LockedBooking;
use crate::repository::page_keys as rows;

/// The time in which requests count, in minutes.
const WINDOW_MINUTES: i64 = 24 * 60;
/// The most requests of one network in that time, whatever their keys.
const OF_NETWORK_MAX: i64 = 20;
/// The most mails about one booking in that time.
const OF_BOOKING_MAX: i64 = 5;
/// How long a mail about a booking is waited for before another one, in minutes.
const PAUSE_MINUTES: i64 = 5;

/// Has a new key mailed where the key is that of a page that shows something, and the booking has
/// had few such mails. The keys of before end with it.
///
/// # Errors
/// `TooManyPageKeys`, or when the database does not answer.
pub async fn renew_page_key(app: &Arc<App>, origin: HoldOrigin, key: &str) -> Result<(), Error> {
    let id = renewable(app, key).await?;
    let actor = id.map_or_else(|| "visitor".to_owned(), |id| id.to_string());
    let metadata = Metadata::traced(actor);
    let metadata = match id {
        Some(id) => metadata.about(id.to_string()),
        None => metadata,
    };
    let (app_for_task, network) = (Arc::clone(app), Arc::new(origin.network));
    app.store
        .write(metadata, move |tx| {
            let (app, network) = (Arc::clone(&app_for_task), Arc::clone(&network));
            Box::pin(async move { renew(tx, &app, (network.as_deref(), id)).await })
        })
        .await
}

/// The booking of a key that can be renewed.
async fn renewable(app: &App, key: &str) -> Result<Option<Id<Booking>>, Error> {
    let found = match page_keys::find(app, key, PageKeyPurpose::Page).await {
        Err(CommandError::Rejected(_)) => page_keys::find(app, key, PageKeyPurpose::Join).await,
        found => found,
    };
    match found {
        // There is no page to which a mail could lead.
        Ok(found) if found.view.origin != Origin::Phone => Ok(None),
        Ok(found) => Ok(match found.standing {
            PageStanding::Ended(PageEnd::Adopted | PageEnd::Over) => None,
            PageStanding::Whole
            | PageStanding::MoneyOnly
            | PageStanding::Ended(PageEnd::Renewed) => Some(found.booking_id),
        }),
        Err(CommandError::Rejected(_not_found)) => Ok(None),
        Err(other) => Err(other),
    }
}

async fn renew(
    tx: &mut Tx,
    app: &App,
    (network, id): (Option<&[u8]>, Option<Id<Booking>>),
) -> Result<(), Error> {
    let mut locked = match id {
        Some(id) => LockedBooking::load(tx, &app.rules, id).await?,
        None => None,
    };
    let now = tx.now().await?;
    let since = now.plus_minutes(-WINDOW_MINUTES);
    let counts = rows::count_requests(tx, (network, id), since).await?;
    if network.is_some() && counts.of_network >= OF_NETWORK_MAX {
        return Err(refuse(Rejection::TooManyPageKeys));
    }
    let is_waited_for = counts.last_at.is_some_and(|at| at.plus_minutes(PAUSE_MINUTES) > now);
    let is_enough = is_waited_for || counts.of_booking >= OF_BOOKING_MAX;
    let mailed = id.filter(|_| !is_enough);
    rows::insert_request(tx, (network, mailed), now).await?;
    let (Some(locked), Some(id)) = (&mut locked, mailed) else { return Ok(()) };
    locked.renew_page(tx).await?;
    let keys = (id, Some(PageKeyPurpose::Page));
    page_keys::end(tx, app, keys, PageEnd::Renewed).await?;
    Ok(())
}

//! The keys in the addresses of bookings' pages. Each mail has one of its own, with a row: its hash
//! is stored, and the key is derived from the row's id. Links of releases before have a key that is
//! derived from the booking's id; it has a row from when it ended.

use contract::booking::v1::{BookingState, PaymentState};
use contract::convert::timestamp;
use eventstore::{StoreError, Tx, new_id, request_hash};
use kernel::Id;
use kernel::id::{Booking, PageKey};

use super::App;
use crate::contract::booking_stream;
use crate::domain::booking::Origin;
use crate::domain::page_standing::{PageEnd, PageFacts, PageStanding};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::view::{self, View};
use crate::repository::page_keys::{self as rows, PageKeyRow};

pub use super::page_secrets::PageKeys;
pub use crate::repository::page_keys::{NewPageKey, PageKeyPurpose};

/// What a key opens.
#[derive(Clone)]
pub struct FoundKey {
    /// Its id; `None` for a key of a release before.
    pub id: Option<Id<PageKey>>,
    /// The booking.
    pub booking_id: Id<Booking>,
    /// The page that it opens.
    pub purpose: PageKeyPurpose,
    /// Whether a member of the staff may have seen it.
    pub seen_by_staff: bool,
    /// What it shows now.
    pub standing: PageStanding,
    /// The booking, of which a page shows what the standing allows.
    pub view: View,
}

/// Makes a key, or finds the one that was made for the same mail.
pub async fn issue(app: &App, new: &NewPageKey<'_>) -> Result<String, Error> {
    let pool = app.store.pool();
    let id: Id<PageKey> = new_id();
    let hash = hash_of(&app.page_keys.of_row(id));
    let now = app.store.now().await?;
    let stored = rows::insert(pool, new, (id, &hash), now).await?;
    let key = app.page_keys.of_row(stored);
    if stored != id {
        // The secret may have changed since.
        rows::set_hash(pool, stored, &hash_of(&key)).await?;
    }
    Ok(key)
}

/// Ends the keys of a booking: all of them, or those of one page.
pub async fn end(
    tx: &mut Tx,
    app: &App,
    keys: (Id<Booking>, Option<PageKeyPurpose>),
    why: PageEnd,
) -> Result<(), StoreError> {
    let now = tx.now().await?;
    let before = hash_of(&app.page_keys.key(keys.0));
    rows::end(tx, keys, why, ((new_id(), &before), now)).await
}

/// What a key of this purpose opens and shows.
///
/// # Errors
/// `BookingNotFound` for a key that is not right or opens another page.
pub async fn find(app: &App, key: &str, purpose: PageKeyPurpose) -> Result<FoundKey, Error> {
    find_of(app, key, &[purpose]).await
}

async fn find_of(app: &App, key: &str, purposes: &[PageKeyPurpose]) -> Result<FoundKey, Error> {
    let not_found = || refuse(Rejection::BookingNotFound);
    let pool = app.store.pool();
    let row = match rows::find(pool, &hash_of(key)).await? {
        Some(row) => row,
        None => before(app, key).ok_or_else(not_found)?,
    };
    let purpose = row.purpose;
    if !purposes.contains(&purpose) {
        return Err(not_found());
    }
    let view = view::load(pool, &app.practice, row.booking_id).await?.ok_or_else(not_found)?;
    let is_page = purpose == PageKeyPurpose::Page;
    if is_page && !view.origin.is_by_phone() {
        return Err(not_found());
    }
    let adopted = (is_page && view.origin == Origin::AdoptedPhone).then_some(PageEnd::Adopted);
    let standing = standing(app, &view, adopted.or(row.ended)).await?;
    Ok(FoundKey {
        id: row.id,
        booking_id: row.booking_id,
        purpose,
        seen_by_staff: row.seen_by_staff,
        standing,
        view,
    })
}

/// The same of a key that shows something.
///
/// # Errors
/// `BookingNotFound`, or why it has ended: `PageKeyEnded`, `PageOver` or `BookingAdopted`.
pub async fn find_open(app: &App, key: &str, purpose: PageKeyPurpose) -> Result<FoundKey, Error> {
    open(find(app, key, purpose).await?)
}

/// The same of a key of a booking's page, whether an account or staff made the booking.
///
/// # Errors
/// As [`find_open`].
pub async fn find_session_page(app: &App, key: &str) -> Result<FoundKey, Error> {
    open(find_of(app, key, &[PageKeyPurpose::Page, PageKeyPurpose::Session]).await?)
}

/// The same, or of a key that leads to its sessions.
///
/// # Errors
/// `BookingNotFound` for a key that is not right.
pub(super) async fn find_any(app: &App, key: &str) -> Result<FoundKey, Error> {
    find_of(app, key, PageKeyPurpose::ALL).await
}

fn open(found: FoundKey) -> Result<FoundKey, Error> {
    match found.standing {
        PageStanding::Whole | PageStanding::MoneyOnly => Ok(found),
        PageStanding::Ended(PageEnd::Renewed) => Err(refuse(Rejection::PageKeyEnded)),
        PageStanding::Ended(PageEnd::Adopted) => Err(refuse(Rejection::BookingAdopted)),
        PageStanding::Ended(PageEnd::Over) => Err(refuse(Rejection::PageOver)),
    }
}

/// A key of a release before that has not ended by itself.
fn before(app: &App, key: &str) -> Option<PageKeyRow> {
    Some(PageKeyRow {
        id: None,
        booking_id: app.page_keys.booking_before(key)?,
        purpose: PageKeyPurpose::Page,
        // Each was in an answer to the member of the staff that made the booking.
        seen_by_staff: true,
        ended: None,
    })
}

/// What the pages of a booking show now, with a key that has or has not ended.
async fn standing(app: &App, view: &View, ended: Option<PageEnd>) -> Result<PageStanding, Error> {
    let booking = &view.booking;
    let id: Id<Booking> = booking.booking_id.parse().map_err(Error::unavailable)?;
    let moved = rows::money_moved_at(app.store.pool(), &booking_stream(id), id).await?;
    let sessions = booking.sessions.iter().filter(|session| !session.cancelled);
    let ends = sessions.filter_map(|session| session.ends_at.as_ref().and_then(timestamp));
    let facts = PageFacts {
        ended,
        is_on: is_on(booking.state()),
        last_session_ends_at: ends.max(),
        money_moved_at: moved.unwrap_or(view.requested_at),
        is_money_due: is_money_due(booking.payment_state()),
    };
    Ok(facts.standing(app.store.now().await?))
}

fn is_on(state: BookingState) -> bool {
    matches!(
        state,
        BookingState::Held
            | BookingState::AwaitingPayment
            | BookingState::Confirmed
            | BookingState::MeetingScheduled
            | BookingState::Completed
            | BookingState::NoShow
    )
}

fn is_money_due(state: PaymentState) -> bool {
    matches!(state, PaymentState::Refunding | PaymentState::RefundFailed)
}

/// A key that is found by its hash tells nothing by the time that it takes.
fn hash_of(key: &str) -> Vec<u8> {
    request_hash(key.as_bytes())
}

//! The keys of bookings' pages as rows.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, PageKey};
use kernel::{Id, Timestamp};
use sqlx::{PgExecutor, Row as _};

use crate::domain::page_standing::PageEnd;

/// The most rows that are deleted at once.
const DELETED_MAX: i64 = 10_000;
/// How long requests for a new key are kept: a day more than they count, in minutes.
const REQUESTS_KEPT_MINUTES: i64 = 2 * 24 * 60;

/// What a key is for that stands in a calendar which was saved from a page; the key of that page
/// follows.
pub const CALENDAR_FILE: &str = "calendar file of ";
/// The same of a key to which a page itself leads.
pub const OF_PAGE: &str = "page ";

kernel::words! {
    /// The page that a key opens.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PageKeyPurpose {
        /// The page on which a booking by phone is agreed to and paid.
        Page = "page",
        /// The page that leads a client to the session.
        Join = "join",
        /// The page on which a booking of an account is moved and cancelled.
        Session = "session",
    }
}

/// A key that is to be made.
#[derive(Debug, Clone, Copy)]
pub struct NewPageKey<'a> {
    /// The booking.
    pub booking_id: Id<Booking>,
    /// The page that it opens.
    pub purpose: PageKeyPurpose,
    /// What it is for: the id of a mail, or the request of a member of the staff. The same one has
    /// the same key.
    pub made_for: &'a str,
    /// The address that gets it, in lower case; empty where no mail has it.
    pub mailed_to: &'a str,
    /// Whether an answer shows it to a member of the staff.
    pub seen_by_staff: bool,
}

/// A stored key.
#[derive(Debug, Clone)]
pub struct PageKeyRow {
    /// The id, from which the key is derived; `None` for a key of a release before.
    pub id: Option<Id<PageKey>>,
    /// The booking.
    pub booking_id: Id<Booking>,
    /// The page that it opens.
    pub purpose: PageKeyPurpose,
    /// Whether an answer showed it to a member of the staff.
    pub seen_by_staff: bool,
    /// Why it has ended, if it has.
    pub ended: Option<PageEnd>,
}

/// Stores a key, or finds the one that was made for the same, and returns its id.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    new: &NewPageKey<'_>,
    (id, hash): (Id<PageKey>, &[u8]),
    now: Timestamp,
) -> Result<Id<PageKey>, StoreError> {
    let id = sqlx::query_scalar(
        "insert into page_keys (key_id, key_hash, booking_id, purpose, made_for, mailed_to,
                                seen_by_staff, made_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (booking_id, purpose, made_for) do update
         set seen_by_staff = page_keys.seen_by_staff or excluded.seen_by_staff
         returning key_id",
    )
    .bind(id)
    .bind(hash)
    .bind(new.booking_id)
    .bind(new.purpose.word())
    .bind(new.made_for)
    .bind(new.mailed_to)
    .bind(new.seen_by_staff)
    .bind(now)
    .fetch_one(executor)
    .await?;
    Ok(id)
}

/// Stores the hash of a key whose secret has changed.
pub async fn set_hash(
    executor: impl PgExecutor<'_>,
    id: Id<PageKey>,
    hash: &[u8],
) -> Result<(), StoreError> {
    sqlx::query("update page_keys set key_hash = $2 where key_id = $1 and key_hash <> $2")
        .bind(id)
        .bind(hash)
        .execute(executor)
        .await?;
    Ok(())
}

/// The key of a hash.
pub async fn find(
    executor: impl PgExecutor<'_>,
    hash: &[u8],
) -> Result<Option<PageKeyRow>, StoreError> {
    let row = sqlx::query(
        "select key_id, booking_id, purpose, seen_by_staff, ended_why
         from page_keys where key_hash = $1",
    )
    .bind(hash)
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let word: &str = row.try_get("purpose")?;
    // A later release may have further purposes, of which this one opens no page.
    let Some(purpose) = PageKeyPurpose::from_word(word) else { return Ok(None) };
    let ended = row.try_get::<Option<&str>, _>("ended_why")?;
    Ok(Some(PageKeyRow {
        id: Some(row.try_get("key_id")?),
        booking_id: row.try_get("booking_id")?,
        purpose,
        seen_by_staff: row.try_get("seen_by_staff")?,
        ended: ended.map(|why| if why == "adopted" { PageEnd::Adopted } else { PageEnd::Renewed }),
    }))
}

/// Ends the keys of a booking that have not ended: all of them, or those of one page with the ways
/// to the session that were saved from it. The key that links of releases before have, given by its
/// hash, has a row from then on.
pub async fn end(
    tx: &mut Tx,
    (id, only): (Id<Booking>, Option<PageKeyPurpose>),
    why: PageEnd,
    (before, now): ((Id<PageKey>, &[u8]), Timestamp),
) -> Result<(), StoreError> {
    let word = if why == PageEnd::Adopted { "adopted" } else { "renewed" };
    if only != Some(PageKeyPurpose::Join) {
        sqlx::query(
            "insert into page_keys (key_id, key_hash, booking_id, purpose, made_for,
                                    seen_by_staff, made_at)
             select $1, $2, booking_id, 'page', 'the release before', true, requested_at
             from bookings where booking_id = $3 and by_phone
             on conflict do nothing",
        )
        .bind(before.0)
        .bind(before.1)
        .bind(id)
        .execute(tx.connection())
        .await?;
    }
    sqlx::query(
        "update page_keys set ended_at = $2, ended_why = $3
         where booking_id = $1 and ended_at is null
           and ($4::text is null or purpose = $4
                or ($4 = 'page' and (starts_with(made_for, $5) or starts_with(made_for, $6))))",
    )
    .bind(id)
    .bind(now)
    .bind(word)
    .bind(only.map(PageKeyPurpose::word))
    .bind(CALENDAR_FILE)
    .bind(OF_PAGE)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// When money of a booking last moved or was decided about; its request, where none did.
pub async fn money_moved_at(
    executor: impl PgExecutor<'_>,
    stream: &str,
    id: Id<Booking>,
) -> Result<Option<Timestamp>, StoreError> {
    let at = sqlx::query_scalar(
        "select max(at) from (
             select recorded_at as at from events
             where stream_id = $1
               and event_type in ('booking.v1.BookingRequested', 'booking.v1.BookingConfirmed',
                                  'booking.v1.BookingPaid', 'booking.v1.BookingUnplaced',
                                  'booking.v1.BookingSessionCancelled',
                                  'booking.v1.BookingCancelled', 'booking.v1.BookingExpired',
                                  'booking.v1.BookingReleased')
             union all
             select greatest(requested_at, failed_at, processed_at) from booking_refunds
             where booking_id = $2) moved",
    )
    .bind(stream)
    .bind(id)
    .fetch_one(executor)
    .await?;
    Ok(at)
}

/// Requests for a new key within a time; of a booking, those that were followed by a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestCounts {
    /// From the network since the day before.
    pub of_network: i64,
    /// For the booking since the day before.
    pub of_booking: i64,
    /// When the last one for the booking was.
    pub last_at: Option<Timestamp>,
}

/// Counts the requests for a new key since a time.
pub async fn count_requests(
    tx: &mut Tx,
    (network, id): (Option<&[u8]>, Option<Id<Booking>>),
    since: Timestamp,
) -> Result<RequestCounts, StoreError> {
    let row = sqlx::query(
        "select (select count(*) from page_key_requests
                 where network_hash = $1 and requested_at > $3) as of_network,
                (select count(*) from page_key_requests
                 where booking_id = $2 and requested_at > $3) as of_booking,
                (select max(requested_at) from page_key_requests
                 where booking_id = $2 and requested_at > $3) as last_at",
    )
    .bind(network)
    .bind(id)
    .bind(since)
    .fetch_one(tx.connection())
    .await?;
    Ok(RequestCounts {
        of_network: row.try_get("of_network")?,
        of_booking: row.try_get("of_booking")?,
        last_at: row.try_get("last_at")?,
    })
}

/// Stores a request for a new key; without a booking, where no mail follows.
pub async fn insert_request(
    tx: &mut Tx,
    (network, id): (Option<&[u8]>, Option<Id<Booking>>),
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into page_key_requests (request_id, booking_id, network_hash, requested_at)
         values ($1, $2, $3, $4)",
    )
    .bind(eventstore::new_id::<PageKey>())
    .bind(id)
    .bind(network)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Deletes old requests. True where more may be left.
pub async fn delete_old_requests(tx: &mut Tx, now: Timestamp) -> Result<bool, StoreError> {
    let deleted = sqlx::query(
        "delete from page_key_requests where request_id in (
             select request_id from page_key_requests where requested_at < $1 limit $2)",
    )
    .bind(now.plus_minutes(-REQUESTS_KEPT_MINUTES))
    .bind(DELETED_MAX)
    .execute(tx.connection())
    .await?;
    Ok(deleted.rows_affected() >= DELETED_MAX.unsigned_abs())
}

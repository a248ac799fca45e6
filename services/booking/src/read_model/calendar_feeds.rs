//! The addresses of practitioners' sessions, and the sessions that they show.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, CalendarFeed};
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row};

use crate::domain::span::Span;

/// The most sessions that an address shows: more than a practitioner gives in 430 days.
const SESSIONS_MAX: i64 = 5000;

/// The address of a practitioner's sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feed {
    /// The practitioner.
    pub practitioner_id: String,
    /// The id from which the secret is derived.
    pub feed_id: Id<CalendarFeed>,
    /// Whether clients' names are shown.
    pub shows_client_names: bool,
    /// When the address was made.
    pub renewed_at: Timestamp,
}

/// A session as a calendar shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedSession {
    /// The booking.
    pub booking_id: Id<Booking>,
    /// The session's number within its booking, from 0.
    pub number: i64,
    /// When.
    pub span: Span,
    /// How often it was moved.
    pub moves: u32,
    /// Whether it takes place at the practice.
    pub in_person: bool,
    /// When the booking was requested.
    pub requested_at: Timestamp,
    /// The client's name; `None` where names are not shown, or the contact data was deleted.
    pub client_name: Option<String>,
}

fn feed(row: &PgRow) -> Result<Feed, sqlx::Error> {
    Ok(Feed {
        practitioner_id: row.try_get("practitioner_id")?,
        feed_id: row.try_get("feed_id")?,
        shows_client_names: row.try_get("shows_client_names")?,
        renewed_at: row.try_get("renewed_at")?,
    })
}

/// All addresses; there are as many as practitioners at most.
pub async fn all(executor: impl PgExecutor<'_>) -> Result<Vec<Feed>, StoreError> {
    let rows = sqlx::query(
        "select practitioner_id, feed_id, shows_client_names, renewed_at from calendar_feeds",
    )
    .fetch_all(executor)
    .await?;
    Ok(rows.iter().map(feed).collect::<Result<_, _>>()?)
}

/// The address with this id.
pub async fn find(
    executor: impl PgExecutor<'_>,
    feed_id: Id<CalendarFeed>,
) -> Result<Option<Feed>, StoreError> {
    let row = sqlx::query(
        "select practitioner_id, feed_id, shows_client_names, renewed_at from calendar_feeds
         where feed_id = $1",
    )
    .bind(feed_id)
    .fetch_optional(executor)
    .await?;
    Ok(row.as_ref().map(feed).transpose()?)
}

/// Stores a practitioner's address in place of the one before.
pub async fn upsert(tx: &mut Tx, feed: &Feed) -> Result<(), StoreError> {
    sqlx::query(
        "insert into calendar_feeds (practitioner_id, feed_id, shows_client_names, renewed_at)
         values ($1, $2, $3, $4)
         on conflict (practitioner_id) do update
         set feed_id = excluded.feed_id, shows_client_names = excluded.shows_client_names,
             renewed_at = excluded.renewed_at",
    )
    .bind(&feed.practitioner_id)
    .bind(feed.feed_id)
    .bind(feed.shows_client_names)
    .bind(feed.renewed_at)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Deletes a practitioner's address.
pub async fn delete(tx: &mut Tx, practitioner_id: &str) -> Result<(), StoreError> {
    sqlx::query("delete from calendar_feeds where practitioner_id = $1")
        .bind(practitioner_id)
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// The SQL of [`sessions`], public so that a test can check its query plan.
pub const FEED_SESSIONS: &str =
    "select r.booking_id, r.starts_at, r.ends_at, r.moves, b.mode, b.requested_at,
            c.first_name || ' ' || c.last_name as client_name,
            (select count(*) from slot_reservations earlier
             where earlier.booking_id = r.booking_id
               and earlier.starts_at < r.starts_at) as number
     from slot_reservations r
     join bookings b using (booking_id)
     left join booking_contacts c on $4 and c.booking_id = r.booking_id
     where r.live and r.practitioner_id = $1 and r.starts_at >= $2 and r.starts_at < $3
       and b.state in ('confirmed', 'meeting_scheduled', 'completed')
     order by r.starts_at, r.booking_id limit $5";

/// A practitioner's confirmed sessions between two instants, by their start.
pub async fn sessions(
    executor: impl PgExecutor<'_>,
    feed: &Feed,
    (from, to): (Timestamp, Timestamp),
) -> Result<Vec<FeedSession>, StoreError> {
    let rows = sqlx::query(FEED_SESSIONS)
        .bind(&feed.practitioner_id)
        .bind(from)
        .bind(to)
        .bind(feed.shows_client_names)
        .bind(SESSIONS_MAX)
        .fetch_all(executor)
        .await?;
    let mut sessions = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(span) = Span::new(row.try_get("starts_at")?, row.try_get("ends_at")?) else {
            continue;
        };
        sessions.push(FeedSession {
            booking_id: row.try_get("booking_id")?,
            number: row.try_get("number")?,
            moves: u32::try_from(row.try_get::<i32, _>("moves")?).unwrap_or(0),
            span,
            in_person: row.try_get::<&str, _>("mode")? == "in_person",
            requested_at: row.try_get("requested_at")?,
            client_name: row.try_get("client_name")?,
        });
    }
    Ok(sessions)
}

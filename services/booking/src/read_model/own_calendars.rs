//! The addresses of clients' own sessions, and the sessions that they show.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, CalendarFeed, Customer};
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row};

use crate::domain::span::Span;

/// The most sessions that an address shows: the next ones.
const SESSIONS_MAX: i64 = 1000;

/// The address of a client's sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnCalendar {
    /// The client.
    pub customer_id: Id<Customer>,
    /// The id from which the secret is derived.
    pub feed_id: Id<CalendarFeed>,
    /// Whether service, practitioner and place are shown.
    pub details: bool,
    /// When the address was made.
    pub renewed_at: Timestamp,
}

/// A session as its client's calendar shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnSession {
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
    /// The service's title.
    pub service_title: String,
    /// The practitioner.
    pub practitioner_id: String,
}

fn calendar(row: &PgRow) -> Result<OwnCalendar, sqlx::Error> {
    Ok(OwnCalendar {
        customer_id: row.try_get("customer_id")?,
        feed_id: row.try_get("feed_id")?,
        details: row.try_get("details")?,
        renewed_at: row.try_get("renewed_at")?,
    })
}

/// The address of a client.
pub async fn of(
    executor: impl PgExecutor<'_>,
    customer_id: Id<Customer>,
) -> Result<Option<OwnCalendar>, StoreError> {
    let row = sqlx::query(
        "select customer_id, feed_id, details, renewed_at from own_calendars
         where customer_id = $1",
    )
    .bind(customer_id)
    .fetch_optional(executor)
    .await?;
    Ok(row.as_ref().map(calendar).transpose()?)
}

/// The address with this id.
pub async fn find(
    executor: impl PgExecutor<'_>,
    feed_id: Id<CalendarFeed>,
) -> Result<Option<OwnCalendar>, StoreError> {
    let row = sqlx::query(
        "select customer_id, feed_id, details, renewed_at from own_calendars where feed_id = $1",
    )
    .bind(feed_id)
    .fetch_optional(executor)
    .await?;
    Ok(row.as_ref().map(calendar).transpose()?)
}

/// Stores a client's address in place of the one before.
pub async fn upsert(tx: &mut Tx, calendar: &OwnCalendar) -> Result<(), StoreError> {
    sqlx::query(
        "insert into own_calendars (customer_id, feed_id, details, renewed_at)
         values ($1, $2, $3, $4)
         on conflict (customer_id) do update
         set feed_id = excluded.feed_id, details = excluded.details,
             renewed_at = excluded.renewed_at",
    )
    .bind(calendar.customer_id)
    .bind(calendar.feed_id)
    .bind(calendar.details)
    .bind(calendar.renewed_at)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Deletes a client's address.
pub async fn delete(tx: &mut Tx, customer_id: Id<Customer>) -> Result<(), StoreError> {
    sqlx::query("delete from own_calendars where customer_id = $1")
        .bind(customer_id)
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// The SQL of [`sessions`], public so that a test can check its query plan.
pub const OWN_SESSIONS: &str =
    "select r.booking_id, r.starts_at, r.ends_at, r.moves, b.mode, b.requested_at,
            b.service_title, b.practitioner_id,
            (select count(*) from slot_reservations earlier
             where earlier.booking_id = r.booking_id
               and earlier.starts_at < r.starts_at) as number
     from bookings b
     join slot_reservations r using (booking_id)
     where b.customer_id = $1 and b.last_ends_at >= $2
       and r.live and r.starts_at >= $2
       and b.state in ('confirmed', 'meeting_scheduled', 'completed')
     order by r.starts_at, r.booking_id limit $3";

/// A client's confirmed sessions from an instant on, by their start.
pub async fn sessions(
    executor: impl PgExecutor<'_>,
    customer_id: Id<Customer>,
    from: Timestamp,
) -> Result<Vec<OwnSession>, StoreError> {
    let rows = sqlx::query(OWN_SESSIONS)
        .bind(customer_id)
        .bind(from)
        .bind(SESSIONS_MAX)
        .fetch_all(executor)
        .await?;
    let mut sessions = Vec::with_capacity(rows.len());
    for row in rows {
        let Some(span) = Span::new(row.try_get("starts_at")?, row.try_get("ends_at")?) else {
            continue;
        };
        sessions.push(OwnSession {
            booking_id: row.try_get("booking_id")?,
            number: row.try_get("number")?,
            span,
            moves: u32::try_from(row.try_get::<i32, _>("moves")?).unwrap_or(0),
            in_person: row.try_get::<&str, _>("mode")? == "in_person",
            requested_at: row.try_get("requested_at")?,
            service_title: row.try_get("service_title")?,
            practitioner_id: row.try_get("practitioner_id")?,
        });
    }
    Ok(sessions)
}

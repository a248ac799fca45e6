//! Events that visitors scheduled in the provider's own widget.

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use sqlx::{PgExecutor, Row};
use uuid::Uuid;

use crate::clients::scheduling::CalendarBooking;

/// How long a cancelled one is kept, in minutes: a repeated request still gets its answer.
const KEPT_MINUTES: i64 = 30 * 24 * 60;
/// The most rows that [`delete_old`] deletes at once.
const DELETED_MAX: i64 = 10_000;

/// An event that was taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledEvent {
    /// What the provider has.
    pub booking: CalendarBooking,
    /// The page that scheduled it.
    pub visit_id: Uuid,
    /// The service whose time it is.
    pub service_id: String,
    /// When it starts.
    pub starts_at: Timestamp,
    /// Until when a booking can have it.
    pub until_at: Timestamp,
}

impl ScheduledEvent {
    /// Whether a booking of this service and start can have it.
    #[must_use]
    pub fn is_for(&self, service_id: &str, starts_at: Timestamp, now: Timestamp) -> bool {
        self.service_id == service_id && self.starts_at == starts_at && now < self.until_at
    }
}

/// An event that no booking has, with whether one can still have it.
pub async fn find(
    executor: impl PgExecutor<'_>,
    event_uri: &str,
) -> Result<Option<(ScheduledEvent, bool)>, StoreError> {
    let row = sqlx::query(
        "select event_uri, invitee_uri, visit_id, service_id, starts_at, until_at,
                state = 'taken' as is_taken
         from scheduled_events where event_uri = $1",
    )
    .bind(event_uri)
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let booking =
        CalendarBooking { uri: row.try_get("invitee_uri")?, event_uri: row.try_get("event_uri")? };
    let event = ScheduledEvent {
        booking,
        visit_id: row.try_get("visit_id")?,
        service_id: row.try_get("service_id")?,
        starts_at: row.try_get("starts_at")?,
        until_at: row.try_get("until_at")?,
    };
    Ok(Some((event, row.try_get("is_taken")?)))
}

/// Stores that an event was taken over; one that was stays as it is.
pub async fn insert(tx: &mut Tx, event: &ScheduledEvent) -> Result<(), StoreError> {
    sqlx::query(
        "insert into scheduled_events (event_uri, invitee_uri, visit_id, service_id, starts_at,
                                       until_at, state)
         values ($1, $2, $3, $4, $5, $6, 'taken')
         on conflict (event_uri) do nothing",
    )
    .bind(&event.booking.event_uri)
    .bind(&event.booking.uri)
    .bind(event.visit_id)
    .bind(&event.service_id)
    .bind(event.starts_at)
    .bind(event.until_at)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Gives an event to a booking, whose calendar booking it is from then on.
pub async fn book(tx: &mut Tx, event_uri: &str, id: Id<Booking>) -> Result<(), StoreError> {
    sqlx::query(
        "with event as (
             update scheduled_events set state = 'booked', booking_id = $2
             where event_uri = $1 and state = 'taken'
             returning event_uri, invitee_uri, starts_at)
         insert into calendar_bookings (booking_id, session_number, uri, event_uri, state,
                                        starts_at)
         select $2, 1, invitee_uri, event_uri, 'created', starts_at from event",
    )
    .bind(event_uri)
    .bind(id)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Ends the time in which a booking can have an event.
pub async fn end(
    tx: &mut Tx,
    (event_uri, starts_at): (&str, Timestamp),
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "update scheduled_events set until_at = $3
         where event_uri = $1 and starts_at = $2 and state = 'taken' and until_at > $3",
    )
    .bind(event_uri)
    .bind(starts_at)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The next event that no booking got, with the attempts to cancel it so far.
pub async fn next_ended(
    executor: impl PgExecutor<'_>,
    now: Timestamp,
) -> Result<Option<(CalendarBooking, i32)>, StoreError> {
    let row = sqlx::query(
        "select event_uri, invitee_uri, attempts from scheduled_events
         where state = 'taken' and until_at <= $1 and starts_at > $1
           and (retry_at is null or retry_at <= $1)
         order by until_at limit 1",
    )
    .bind(now)
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let booking =
        CalendarBooking { uri: row.try_get("invitee_uri")?, event_uri: row.try_get("event_uri")? };
    Ok(Some((booking, row.try_get("attempts")?)))
}

/// Stores that the provider has an event no more, or with an instant when that is tried again.
pub async fn tried(
    tx: &mut Tx,
    event_uri: &str,
    retry_at: Option<Timestamp>,
) -> Result<(), StoreError> {
    sqlx::query(
        "update scheduled_events
         set state = case when $2::timestamptz is null then 'cancelled' else state end,
             retry_at = $2, attempts = attempts + 1
         where event_uri = $1 and state = 'taken'",
    )
    .bind(event_uri)
    .bind(retry_at)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Deletes events that no booking got, a month after their end. True when more are left.
pub async fn delete_old(tx: &mut Tx, now: Timestamp) -> Result<bool, StoreError> {
    let deleted = sqlx::query(
        "delete from scheduled_events where event_uri in (
             select event_uri from scheduled_events
             where state <> 'booked' and until_at < $1 limit $2)",
    )
    .bind(now.plus_minutes(-KEPT_MINUTES))
    .bind(DELETED_MAX)
    .execute(tx.connection())
    .await?;
    Ok(deleted.rows_affected() >= DELETED_MAX.unsigned_abs())
}

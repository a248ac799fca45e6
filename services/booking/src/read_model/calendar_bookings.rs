//! What the external scheduling provider has of our sessions, and what it still has to be told.
//! What is wanted follows from the bookings, so nothing has to remember to tell it.

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use sqlx::{PgExecutor, Row};

use crate::clients::scheduling::CalendarBooking;
use crate::domain::span::Span;

/// A confirmed session that the provider does not have.
#[derive(Clone)]
pub struct Wanted {
    /// The booking.
    pub booking_id: Id<Booking>,
    /// Its first session.
    pub session: Span,
    /// The client's names and address.
    pub first_name: String,
    /// See `first_name`.
    pub last_name: String,
    /// See `first_name`.
    pub email: String,
    /// How often it was tried.
    pub attempts: i32,
}

/// The SQL of [`next_wanted`], public so that a test can check its query plan.
pub const NEXT_WANTED: &str =
    "select r.booking_id, r.starts_at, r.ends_at, c.first_name, c.last_name, c.email,
            coalesce(k.attempts, 0) as attempts
     from slot_reservations r
     join bookings b using (booking_id)
     join booking_contacts c using (booking_id)
     left join calendar_bookings k using (booking_id)
     where r.live and r.starts_at > $1 and b.state in ('confirmed', 'meeting_scheduled')
       and (k.booking_id is null or (k.state = 'failing' and k.retry_at <= $1))
     order by r.starts_at limit 1";

/// The next session that the provider has to be told of.
///
/// # Errors
/// When the database does not answer.
pub async fn next_wanted(
    executor: impl PgExecutor<'_>,
    now: Timestamp,
) -> Result<Option<Wanted>, StoreError> {
    let row = sqlx::query(NEXT_WANTED).bind(now).fetch_optional(executor).await?;
    let Some(row) = row else { return Ok(None) };
    let Some(session) = Span::new(row.try_get("starts_at")?, row.try_get("ends_at")?) else {
        return Ok(None);
    };
    Ok(Some(Wanted {
        booking_id: row.try_get("booking_id")?,
        session,
        first_name: row.try_get("first_name")?,
        last_name: row.try_get("last_name")?,
        email: row.try_get("email")?,
        attempts: row.try_get("attempts")?,
    }))
}

/// The next event of the provider whose session does not take place, with the attempts so far.
///
/// # Errors
/// When the database does not answer.
pub async fn next_unwanted(
    executor: impl PgExecutor<'_>,
    now: Timestamp,
) -> Result<Option<(Id<Booking>, CalendarBooking, i32)>, StoreError> {
    let row = sqlx::query(
        "select k.booking_id, k.uri, k.event_uri, k.attempts
         from calendar_bookings k join bookings b using (booking_id)
         where k.state = 'created' and k.starts_at > $1 and (k.retry_at is null or k.retry_at <= $1)
           and b.state not in ('confirmed', 'meeting_scheduled', 'completed')
         order by k.starts_at limit 1",
    )
    .bind(now)
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let booking =
        CalendarBooking { uri: row.try_get("uri")?, event_uri: row.try_get("event_uri")? };
    Ok(Some((row.try_get("booking_id")?, booking, row.try_get("attempts")?)))
}

/// The calendar booking's id and the last problem of a booking; empty where there is none.
///
/// # Errors
/// When the database does not answer.
pub async fn of(
    executor: impl PgExecutor<'_>,
    id: Id<Booking>,
) -> Result<(String, String), StoreError> {
    let found = sqlx::query_as(
        "select case when state = 'created' then uri else '' end, problem from calendar_bookings
         where booking_id = $1",
    )
    .bind(id)
    .fetch_optional(executor)
    .await?;
    Ok(found.unwrap_or_default())
}

/// Stores what the provider has.
///
/// # Errors
/// When the database does not answer.
pub async fn created(
    tx: &mut Tx,
    (id, starts_at): (Id<Booking>, Timestamp),
    booking: &CalendarBooking,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into calendar_bookings (booking_id, uri, event_uri, state, starts_at)
         values ($1, $2, $3, 'created', $4)
         on conflict (booking_id) do update
         set uri = excluded.uri, event_uri = excluded.event_uri, state = 'created', problem = '',
             retry_at = null, attempts = 0",
    )
    .bind(id)
    .bind(&booking.uri)
    .bind(&booking.event_uri)
    .bind(starts_at)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Notes that the provider did not do it, and when it is asked again.
///
/// # Errors
/// When the database does not answer.
pub async fn failed(
    tx: &mut Tx,
    (id, starts_at): (Id<Booking>, Timestamp),
    (problem, retry_at): (&str, Timestamp),
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into calendar_bookings (booking_id, state, problem, retry_at, attempts, starts_at)
         values ($1, 'failing', $2, $3, 1, $4)
         on conflict (booking_id) do update
         set problem = excluded.problem, retry_at = excluded.retry_at,
             attempts = calendar_bookings.attempts + 1",
    )
    .bind(id)
    .bind(problem)
    .bind(retry_at)
    .bind(starts_at)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Notes that the provider has it no more.
///
/// # Errors
/// When the database does not answer.
pub async fn cancelled(tx: &mut Tx, id: Id<Booking>) -> Result<(), StoreError> {
    sqlx::query(
        "update calendar_bookings set state = 'cancelled', problem = '', retry_at = null
         where booking_id = $1",
    )
    .bind(id)
    .execute(tx.connection())
    .await?;
    Ok(())
}

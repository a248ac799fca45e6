//! What the external scheduling provider has of our sessions, and what it still has to be told.
//! What is wanted follows from the bookings, so nothing has to remember to tell it.

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row};

use crate::clients::scheduling::CalendarBooking;
use crate::domain::span::Span;

/// A session of a booking, as the provider's event of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionKey {
    /// The booking.
    pub booking_id: Id<Booking>,
    /// The session's number within its booking, by its start, from 1; it stays when another session
    /// is cancelled.
    pub number: i32,
    /// When it starts.
    pub starts_at: Timestamp,
}

/// A confirmed session that the provider does not have.
#[derive(Clone)]
pub struct MissingSession {
    /// Which one.
    pub key: SessionKey,
    /// Its time.
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

/// An event of the provider whose session does not take place.
#[derive(Debug, Clone)]
pub struct Unwanted {
    /// Which session.
    pub key: SessionKey,
    /// What the provider has.
    pub booking: CalendarBooking,
    /// How often it was tried.
    pub attempts: i32,
}

/// What the provider has of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionState {
    /// The session's number, from 1.
    pub number: i32,
    /// The calendar booking's id; empty where there is none.
    pub uri: String,
    /// What the provider said the last time that it did not do it; empty otherwise.
    pub problem: String,
}

/// The SQL of [`next_wanted`], public so that a test can check its query plan.
pub const NEXT_WANTED: &str =
    "select r.booking_id, r.starts_at, r.ends_at, c.first_name, c.last_name, c.email,
            coalesce(k.attempts, 0) as attempts,
            (select 1 + count(*)::integer from slot_reservations earlier
             where earlier.booking_id = r.booking_id
               and earlier.starts_at < r.starts_at) as number
     from slot_reservations r
     join bookings b using (booking_id)
     join booking_contacts c using (booking_id)
     left join calendar_bookings k
            on k.booking_id = r.booking_id
               and k.session_number = (select 1 + count(*) from slot_reservations earlier
                                       where earlier.booking_id = r.booking_id
                                         and earlier.starts_at < r.starts_at)
     where r.live and r.starts_at > $1 and b.state in ('confirmed', 'meeting_scheduled')
       and (k.booking_id is null or k.state = 'cancelled'
            or (k.state = 'failing' and k.retry_at <= $1)
            -- It was moved after it had begun, and what was there is past.
            or (k.state = 'created' and k.starts_at <> r.starts_at and k.starts_at <= $1))
     order by r.starts_at limit 1";

/// The next session that the provider has to be told of. One whose event was cancelled is placed
/// again when its hold had ended and the money came late.
pub async fn next_wanted(
    executor: impl PgExecutor<'_>,
    now: Timestamp,
) -> Result<Option<MissingSession>, StoreError> {
    let row = sqlx::query(NEXT_WANTED).bind(now).fetch_optional(executor).await?;
    let Some(row) = row else { return Ok(None) };
    let Some(session) = Span::new(row.try_get("starts_at")?, row.try_get("ends_at")?) else {
        return Ok(None);
    };
    Ok(Some(MissingSession {
        key: session_key(&row)?,
        session,
        first_name: row.try_get("first_name")?,
        last_name: row.try_get("last_name")?,
        email: row.try_get("email")?,
        attempts: row.try_get("attempts")?,
    }))
}

fn session_key(row: &PgRow) -> Result<SessionKey, sqlx::Error> {
    Ok(SessionKey {
        booking_id: row.try_get("booking_id")?,
        number: row.try_get("number")?,
        starts_at: row.try_get("starts_at")?,
    })
}

/// The next event of the provider whose session does not take place: its booking has ended, or the
/// session alone was cancelled. That of a hold is one that was scheduled in the provider's widget.
pub async fn next_unwanted(
    executor: impl PgExecutor<'_>,
    now: Timestamp,
) -> Result<Option<Unwanted>, StoreError> {
    let row = sqlx::query(
        "select k.booking_id, k.session_number as number, k.starts_at, k.uri, k.event_uri,
                k.attempts
         from calendar_bookings k
         where k.state = 'created' and k.starts_at > $1 and (k.retry_at is null or k.retry_at <= $1)
           and not exists (
               select 1 from slot_reservations r join bookings b using (booking_id)
               where r.booking_id = k.booking_id and r.starts_at = k.starts_at and r.live
                 and b.state in ('held', 'awaiting_payment', 'confirmed', 'meeting_scheduled',
                                 'completed'))
         order by k.starts_at limit 1",
    )
    .bind(now)
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let booking =
        CalendarBooking { uri: row.try_get("uri")?, event_uri: row.try_get("event_uri")? };
    let attempts = row.try_get("attempts")?;
    Ok(Some(Unwanted { key: session_key(&row)?, booking, attempts }))
}

/// What the provider has of a booking's sessions, in their order; empty where it was not asked yet.
pub async fn of(
    executor: impl PgExecutor<'_>,
    id: Id<Booking>,
) -> Result<Vec<SessionState>, StoreError> {
    let rows = sqlx::query(
        "select session_number, case when state = 'created' then uri else '' end as uri, problem
         from calendar_bookings where booking_id = $1 order by session_number",
    )
    .bind(id)
    .fetch_all(executor)
    .await?;
    let state = |row: &PgRow| {
        Ok(SessionState {
            number: row.try_get("session_number")?,
            uri: row.try_get("uri")?,
            problem: row.try_get("problem")?,
        })
    };
    Ok(rows.iter().map(state).collect::<Result<_, sqlx::Error>>()?)
}

/// Stores what the provider has.
pub async fn created(
    tx: &mut Tx,
    key: SessionKey,
    booking: &CalendarBooking,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into calendar_bookings (booking_id, session_number, uri, event_uri, state,
                                        starts_at)
         values ($1, $2, $3, $4, 'created', $5)
         on conflict (booking_id, session_number) do update
         set uri = excluded.uri, event_uri = excluded.event_uri, state = 'created', problem = '',
             retry_at = null, attempts = 0, starts_at = excluded.starts_at",
    )
    .bind(key.booking_id)
    .bind(key.number)
    .bind(&booking.uri)
    .bind(&booking.event_uri)
    .bind(key.starts_at)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Notes that the provider did not do it, and when it is asked again.
pub async fn failed(
    tx: &mut Tx,
    key: SessionKey,
    (problem, retry_at): (&str, Timestamp),
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into calendar_bookings (booking_id, session_number, state, problem, retry_at,
                                        attempts, starts_at)
         values ($1, $2, 'failing', $3, $4, 1, $5)
         on conflict (booking_id, session_number) do update
         set problem = excluded.problem, retry_at = excluded.retry_at,
             attempts = calendar_bookings.attempts + 1",
    )
    .bind(key.booking_id)
    .bind(key.number)
    .bind(problem)
    .bind(retry_at)
    .bind(key.starts_at)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Notes that the provider has it no more.
pub async fn cancelled(tx: &mut Tx, key: SessionKey) -> Result<(), StoreError> {
    sqlx::query(
        "update calendar_bookings set state = 'cancelled', problem = '', retry_at = null
         where booking_id = $1 and session_number = $2",
    )
    .bind(key.booking_id)
    .bind(key.number)
    .execute(tx.connection())
    .await?;
    Ok(())
}

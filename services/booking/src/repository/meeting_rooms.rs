//! What was asked of a meeting provider that knows no idempotency key: written down before the
//! call, so that a repeat finds what was made, and removed at the provider when its booking is
//! cancelled.

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use sqlx::{PgExecutor, Row};

use crate::clients::meetings::Intent;
use crate::timers::kinds::{REMOVE_MEETING, payload};

/// A room that is to be removed at the provider.
#[derive(Debug, Clone)]
pub struct EndingRoom {
    /// The provider's user and the mark, by which it is found.
    pub intent: Intent,
    /// The provider's number, if its answer came.
    pub number: Option<String>,
    /// When it was asked for last.
    pub asked_at: Timestamp,
    /// How often its removal failed.
    pub attempts: i32,
}

/// Writes down that a room is asked for; false when it was before, and `None` while the one that
/// another practitioner had for the booking is still to be removed.
pub async fn ask(
    tx: &mut Tx,
    id: Id<Booking>,
    intent: &Intent,
) -> Result<Option<bool>, StoreError> {
    let now = tx.now().await?;
    let is_first = sqlx::query_scalar(
        "insert into meeting_rooms (booking_id, provider_user, mark, state, asked_at)
         values ($1, $2, $3, 'asked', $4)
         on conflict (booking_id) do update
         set asked_at = excluded.asked_at, provider_user = excluded.provider_user,
             number = case when meeting_rooms.state in ('ended', 'left') then null
                           else meeting_rooms.number end,
             state = case when meeting_rooms.state in ('ended', 'left') then 'asked'
                          else meeting_rooms.state end
         where meeting_rooms.state <> 'ending'
         returning xmax = 0",
    )
    .bind(id)
    .bind(&intent.user)
    .bind(&intent.mark)
    .bind(now)
    .fetch_optional(tx.connection())
    .await?;
    Ok(is_first)
}

/// Stores the provider's number of a room, and returns the one that is stored: the first.
pub async fn made(
    tx: &mut Tx,
    id: Id<Booking>,
    number: &str,
) -> Result<Option<String>, StoreError> {
    let kept = sqlx::query_scalar(
        "update meeting_rooms
         set number = coalesce(number, $2),
             state = case state when 'asked' then 'made' else state end
         where booking_id = $1 returning number",
    )
    .bind(id)
    .bind(number)
    .fetch_optional(tx.connection())
    .await?;
    Ok(kept)
}

/// Has a booking's room removed at the provider, if there is one.
pub async fn end(tx: &mut Tx, id: Id<Booking>) -> Result<(), StoreError> {
    let ended = sqlx::query(
        "update meeting_rooms set state = 'ending', attempts = 0
         where booking_id = $1 and state in ('asked', 'made', 'ending')",
    )
    .bind(id)
    .execute(tx.connection())
    .await?;
    if ended.rows_affected() > 0 {
        let (now, payload) = (tx.now().await?, payload(tx));
        tx.set_timer(REMOVE_MEETING, &id.to_string(), now, payload).await?;
    }
    Ok(())
}

/// The provider's number of a booking's room, if it is there.
pub async fn number(
    executor: impl PgExecutor<'_>,
    id: Id<Booking>,
) -> Result<Option<String>, StoreError> {
    let sql = "select number from meeting_rooms where booking_id = $1 and state = 'made'";
    let number: Option<Option<String>> =
        sqlx::query_scalar(sql).bind(id).fetch_optional(executor).await?;
    Ok(number.flatten())
}

/// The room of a booking, if it is to be removed.
pub async fn ending(
    executor: impl PgExecutor<'_>,
    id: Id<Booking>,
) -> Result<Option<EndingRoom>, StoreError> {
    let row = sqlx::query(
        "select provider_user, mark, number, asked_at, attempts from meeting_rooms
         where booking_id = $1 and state = 'ending'",
    )
    .bind(id)
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(EndingRoom {
        intent: Intent { user: row.try_get("provider_user")?, mark: row.try_get("mark")? },
        number: row.try_get("number")?,
        asked_at: row.try_get("asked_at")?,
        attempts: row.try_get("attempts")?,
    }))
}

/// Stores that a room is gone, or that it stays at the provider.
pub async fn close(tx: &mut Tx, id: Id<Booking>, is_gone: bool) -> Result<(), StoreError> {
    sqlx::query("update meeting_rooms set state = $2 where booking_id = $1 and state = 'ending'")
        .bind(id)
        .bind(if is_gone { "ended" } else { "left" })
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Counts a removal that failed.
pub async fn tried(tx: &mut Tx, id: Id<Booking>) -> Result<(), StoreError> {
    sqlx::query("update meeting_rooms set attempts = attempts + 1 where booking_id = $1")
        .bind(id)
        .execute(tx.connection())
        .await?;
    Ok(())
}

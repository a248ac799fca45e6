//! The rate limit that the polls of sold orders share over all processes.

use eventstore::{StoreError, Tx};
use kernel::Timestamp;

/// The name of the rate limit that these polls share.
const PACE: &str = "sold-orders";
/// Milliseconds between two of these polls, over all processes.
const PACE_MIN_MILLIS: i32 = 1_000;
/// The most milliseconds between two, while the provider answers 429.
const PACE_MAX_MILLIS: i32 = 60_000;

/// Reserves the next free time of the rate limit for the caller.
pub async fn reserve_time(tx: &mut Tx) -> Result<Timestamp, StoreError> {
    let reserved_at = sqlx::query_scalar(
        "insert into call_pace as pace (name, next_at, pause_millis)
         values ($1, clock_now() + make_interval(secs => $2 / 1000.0), $2)
         on conflict (name) do update
         set next_at = greatest(pace.next_at, clock_now())
                       + make_interval(secs => pace.pause_millis / 1000.0)
         returning next_at - make_interval(secs => pause_millis / 1000.0)",
    )
    .bind(PACE)
    .bind(PACE_MIN_MILLIS)
    .fetch_one(tx.connection())
    .await?;
    Ok(reserved_at)
}

/// Doubles the pause after a 429; shortens it by a tenth after an answer.
pub async fn adjust_pace(tx: &mut Tx, is_too_fast: bool) -> Result<(), StoreError> {
    sqlx::query(
        "update call_pace
         set pause_millis = case when $2 then least(pause_millis * 2, $4)
                                 else greatest(pause_millis * 9 / 10, $3) end
         where name = $1 and ($2 or pause_millis > $3)",
    )
    .bind(PACE)
    .bind(is_too_fast)
    .bind(PACE_MIN_MILLIS)
    .bind(PACE_MAX_MILLIS)
    .execute(tx.connection())
    .await?;
    Ok(())
}

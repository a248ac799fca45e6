//! Limits of wrong answers: per factor, and per account for its recovery codes.

use eventstore::StoreError;
use kernel::Timestamp;
use sqlx::{FromRow, PgConnection, PgExecutor};
use uuid::Uuid;

/// Answers that need no wait.
const FREE: i32 = 5;
/// Maximum wait between two answers. Six digits are then guessed with a chance of one in 3,000 a
/// day by a caller who has the password.
const BACKOFF_SECONDS_MAX: i64 = 15 * 60;
/// Counters are reset after this time without a new failure.
const RESET_AFTER_SECONDS: i64 = 24 * 3600;

#[derive(FromRow)]
struct LimitRow {
    failures: i32,
    blocked_until_at: Timestamp,
    forget_at: Timestamp,
}

/// Counts an answer before it is checked, so that concurrent answers count, too. The caller holds a
/// lock on the subject. Returns the seconds to wait if it is not allowed now.
///
/// # Errors
/// When the database does not answer.
pub async fn check_and_count(
    connection: &mut PgConnection,
    (subject_id, user_id): (Uuid, Uuid),
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    let counted: Option<LimitRow> = sqlx::query_as(
        "select failures, blocked_until_at, forget_at from factor_limits where subject_id = $1",
    )
    .bind(subject_id)
    .fetch_optional(&mut *connection)
    .await?;
    let counted = counted.filter(|counted| counted.forget_at > now);
    if let Some(until) = counted.as_ref().map(|counted| counted.blocked_until_at)
        && until > now
    {
        return Ok(Some(until.seconds_since(now).max(1)));
    }
    let failures = counted.map_or(0, |counted| counted.failures).saturating_add(1);
    sqlx::query(
        "insert into factor_limits (subject_id, user_id, failures, blocked_until_at, forget_at)
         values ($1, $2, $3, $4, $5)
         on conflict (subject_id) do update
         set failures = excluded.failures, blocked_until_at = excluded.blocked_until_at,
             forget_at = excluded.forget_at",
    )
    .bind(subject_id)
    .bind(user_id)
    .bind(failures)
    .bind(blocked_until(failures, now))
    .bind(now.plus_seconds(RESET_AFTER_SECONDS))
    .execute(connection)
    .await?;
    Ok(None)
}

/// Resets the counter after a right answer.
///
/// # Errors
/// When the database does not answer.
pub async fn reset(executor: impl PgExecutor<'_>, subject_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from factor_limits where subject_id = $1")
        .bind(subject_id)
        .execute(executor)
        .await?;
    Ok(())
}

fn blocked_until(failures: i32, now: Timestamp) -> Timestamp {
    let Ok(exponent) = u32::try_from(failures - FREE) else { return now };
    now.plus_seconds(2_i64.saturating_pow(exponent).min(BACKOFF_SECONDS_MAX))
}

#[cfg(test)]
mod tests {
    use super::blocked_until;
    use kernel::Timestamp;

    #[test]
    fn waits_begin_at_the_fifth_answer_and_double_to_a_quarter_of_an_hour() {
        let wait = |failures| blocked_until(failures, Timestamp::EPOCH).seconds();
        assert_eq!([1, 4, 5, 6, 14, 15, 90].map(wait), [0, 0, 1, 2, 512, 900, 900]);
    }
}

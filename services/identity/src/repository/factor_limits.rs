//! Limits of wrong answers, per network: of a factor, and of an account's recovery codes.

use eventstore::StoreError;
use kernel::Timestamp;
use sha2::{Digest as _, Sha256};
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

/// Answers from one network that need no wait.
const FREE: i32 = 5;
/// Answers from all networks together that need none, but those from which a right one has come.
const FREE_TOGETHER: i32 = 50;
/// How long a network is known after a right answer.
const PROVEN_SECONDS: i64 = 30 * 24 * 3600;
/// Maximum wait between two answers. Six digits are then guessed with a chance of one in 3,000 a
/// day by a caller who has the password.
const BACKOFF_SECONDS_MAX: i64 = 15 * 60;
/// Counters are reset after this time without a new failure.
const RESET_AFTER_SECONDS: i64 = 24 * 3600;

struct LimitRow {
    failures: i32,
    blocked_until_at: Timestamp,
    proven_until_at: Option<Timestamp>,
}

from_row!(LimitRow { failures, blocked_until_at, proven_until_at });

/// Whose answers are counted, and where.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The factor, or the account for its recovery codes.
    pub subject_id: Uuid,
    /// Whose it is.
    pub user_id: Uuid,
    /// The network from which the answer comes, shortened.
    pub place: String,
}

impl Subject {
    /// The id of its counter in its place.
    fn place_id(&self) -> Uuid {
        let digest = Sha256::new_with_prefix(self.subject_id.as_bytes())
            .chain_update(self.place.as_bytes())
            .finalize();
        let mut bytes = [0; 16];
        bytes.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
        Uuid::from_bytes(bytes)
    }
}

/// Counts an answer before it is checked, so that concurrent answers count, too. The caller holds a
/// lock on the subject. Returns the seconds to wait if it is not allowed now.
///
/// Each network has its own counter, so that another person who has the password cannot keep the
/// owner out. Networks from which no right answer has come lately have one more together: many of
/// them guess no faster.
pub async fn check_and_count(
    connection: &mut PgConnection,
    subject: &Subject,
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    let here = find(connection, subject.place_id(), now).await?;
    let is_proven = here.as_ref().is_some_and(|row| row.proven_until_at.is_some_and(|at| at > now));
    let all = match is_proven {
        true => None,
        false => find(connection, subject.subject_id, now).await?,
    };
    let blocked = [&here, &all].into_iter().flatten().map(|row| row.blocked_until_at).max();
    if let Some(until) = blocked.filter(|until| *until > now) {
        return Ok(Some(until.seconds_since(now).max(1)));
    }
    count(connection, (subject.place_id(), subject.user_id), (here, FREE), now).await?;
    if !is_proven {
        count(connection, (subject.subject_id, subject.user_id), (all, FREE_TOGETHER), now).await?;
    }
    Ok(None)
}

async fn find(
    connection: &mut PgConnection,
    id: Uuid,
    now: Timestamp,
) -> Result<Option<LimitRow>, sqlx::Error> {
    sqlx::query_as(
        "select failures, blocked_until_at, proven_until_at from factor_limits
         where subject_id = $1 and forget_at > $2",
    )
    .bind(id)
    .bind(now)
    .fetch_optional(connection)
    .await
}

async fn count(
    connection: &mut PgConnection,
    (id, user_id): (Uuid, Uuid),
    (counted, free): (Option<LimitRow>, i32),
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    let proven_until_at = counted.as_ref().and_then(|counted| counted.proven_until_at);
    let failures = counted.map_or(0, |counted| counted.failures).saturating_add(1);
    let forget_at = now.plus_seconds(RESET_AFTER_SECONDS);
    sqlx::query(
        "insert into factor_limits (subject_id, user_id, failures, blocked_until_at, forget_at)
         values ($1, $2, $3, $4, $5)
         on conflict (subject_id) do update
         set failures = excluded.failures, blocked_until_at = excluded.blocked_until_at,
             forget_at = excluded.forget_at",
    )
    .bind(id)
    .bind(user_id)
    .bind(failures)
    .bind(blocked_until(failures - free, now))
    .bind(proven_until_at.map_or(forget_at, |proven| proven.max(forget_at)))
    .execute(connection)
    .await?;
    Ok(())
}

/// Resets the counter of the place of a right answer, which is known from then on.
pub async fn note_right(
    executor: impl PgExecutor<'_>,
    subject: &Subject,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into factor_limits (subject_id, user_id, failures, blocked_until_at, forget_at,
                                    proven_until_at)
         values ($1, $2, 0, $3, $4, $4)
         on conflict (subject_id) do update
         set failures = 0, blocked_until_at = excluded.blocked_until_at,
             forget_at = excluded.forget_at, proven_until_at = excluded.proven_until_at",
    )
    .bind(subject.place_id())
    .bind(subject.user_id)
    .bind(now)
    .bind(now.plus_seconds(PROVEN_SECONDS))
    .execute(executor)
    .await?;
    Ok(())
}

/// Deletes the counters of an account.
pub async fn delete_all(executor: impl PgExecutor<'_>, user_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from factor_limits where user_id = $1")
        .bind(user_id)
        .execute(executor)
        .await?;
    Ok(())
}

/// Until when the next answer waits, after so many more than need no wait.
fn blocked_until(too_many: i32, now: Timestamp) -> Timestamp {
    let Ok(exponent) = u32::try_from(too_many) else { return now };
    now.plus_seconds(2_i64.saturating_pow(exponent).min(BACKOFF_SECONDS_MAX))
}

#[cfg(test)]
mod tests {
    use super::{FREE, blocked_until};
    use kernel::Timestamp;

    #[test]
    fn waits_begin_at_the_fifth_answer_and_double_to_a_quarter_of_an_hour() {
        let wait = |failures| blocked_until(failures - FREE, Timestamp::EPOCH).seconds();
        assert_eq!([1, 4, 5, 6, 14, 15, 90].map(wait), [0, 0, 1, 2, 512, 900, 900]);
    }
}

//! Sessions whose access tokens other services must refuse before they run out. Rows are written by
//! a trigger on `sessions`.

use sqlx::PgExecutor;
use uuid::Uuid;

/// Their maximum number in one response, which has to fit into a gRPC message.
const COUNT_MAX: i64 = 50_000;

/// The sessions that ended within `seconds`, newest first, and those of banned accounts that were
/// refreshed since.
pub async fn list(executor: impl PgExecutor<'_>, seconds: i64) -> Result<Vec<Uuid>, sqlx::Error> {
    let ended: Vec<Uuid> = sqlx::query_scalar(
        "(select session_id from sessions join users using (user_id)
          where users.banned_until_at > clock_now()
            and refreshed_at > clock_now() - $1::bigint * interval '1 second'
          limit $2)
         union all
         (select session_id from ended_sessions
          where ended_at > clock_now() - $1::bigint * interval '1 second'
          order by ended_at desc limit $2)
         limit $2",
    )
    .bind(seconds)
    .bind(COUNT_MAX)
    .fetch_all(executor)
    .await?;
    if i64::try_from(ended.len()).is_ok_and(|count| count >= COUNT_MAX) {
        tracing::error!("more sessions have ended than can be listed; the oldest are left out");
    }
    Ok(ended)
}

//! The order in which other services see this service's events: without gaps, and assigned after
//! commit.

use runtime::failpoint;
use sqlx::PgPool;
use uuid::Uuid;

use crate::error::StoreError;
use crate::event::Recorded;
use crate::transaction::recorded;

/// The advisory lock of the one active relay; a constant that nothing else in the database uses.
pub const RELAY_LOCK: i64 = 0x5355_4b4f_4f4e_0001;

/// Assigns positions to events that were committed since the last pass, and returns how many.
/// Returns `None` while another relay does this; that one may not see the newest events.
///
/// Only a statement that begins after the lock was taken sees all that the previous relay has
/// numbered, so there are two statements. Versions of one stream keep their order: a later one is
/// appended after an earlier one was committed, with a higher `seq`.
pub async fn number(pool: &PgPool, at_most: i64) -> Result<Option<u64>, StoreError> {
    // Most passes find nothing and need no transaction.
    let waiting: bool =
        sqlx::query_scalar("select exists (select 1 from outbox)").fetch_one(pool).await?;
    if !waiting {
        return Ok(Some(0));
    }
    // Runs in a task of its own, as in `Store::write`: a caller that goes away during BEGIN would
    // leave a connection with an open transaction, and with the lock, in the pool.
    let pool = pool.clone();
    tokio::spawn(async move { number_in_transaction(&pool, at_most).await }).await?
}

async fn number_in_transaction(pool: &PgPool, at_most: i64) -> Result<Option<u64>, StoreError> {
    let mut tx = pool.begin().await?;
    let active: bool = sqlx::query_scalar("select pg_try_advisory_xact_lock($1)")
        .bind(RELAY_LOCK)
        .fetch_one(&mut *tx)
        .await?;
    if !active {
        tx.rollback().await?;
        return Ok(None);
    }
    let moved = sqlx::query(
        "with last as (select coalesce(max(position), 0) as position from feed),
              moved as (
                  delete from outbox
                  where seq in (select seq from outbox order by seq limit $1)
                  returning seq)
         insert into feed (position, seq)
         select last.position + row_number() over (order by moved.seq), moved.seq
         from moved, last",
    )
    .bind(at_most)
    .execute(&mut *tx)
    .await?
    .rows_affected();
    failpoint::pass(&"relay.before-commit");
    tx.commit().await?;
    failpoint::pass(&"relay.after-commit");
    Ok(Some(moved))
}

/// Reads the events after a position, in order.
pub async fn read(
    pool: &PgPool,
    after_position: i64,
    limit: i64,
) -> Result<Vec<Recorded>, StoreError> {
    let rows = sqlx::query(
        "select e.event_id, e.stream_id, e.version, f.position, e.event_type, e.payload,
                e.metadata, e.recorded_at
         from feed f join events e using (seq)
         where f.position > $1 order by f.position limit $2",
    )
    .bind(after_position)
    .bind(limit)
    .fetch_all(pool)
    .await?;
    rows.iter().map(recorded).collect::<Result<_, _>>().map_err(StoreError::from)
}

/// The newest position; 0 when there is none.
pub async fn last_position(pool: &PgPool) -> Result<i64, StoreError> {
    let sql = "select coalesce(max(position), 0) from feed";
    Ok(sqlx::query_scalar(sql).fetch_one(pool).await?)
}

/// Whether the feed has this event at this position. It has another one, or none, after the
/// database was restored from a copy that is older than the reader.
pub async fn has(pool: &PgPool, position: i64, event_id: Uuid) -> Result<bool, StoreError> {
    let known: bool = sqlx::query_scalar(
        "select exists (select 1 from feed f join events e using (seq)
                        where f.position = $1 and e.event_id = $2)",
    )
    .bind(position)
    .bind(event_id)
    .fetch_one(pool)
    .await?;
    Ok(known)
}

/// How far the relay has published.
pub async fn published(pool: &PgPool) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar("select published_position from relay").fetch_one(pool).await?)
}

/// Records how far the relay has published. The value never falls.
pub async fn set_published(pool: &PgPool, position: i64) -> Result<(), StoreError> {
    sqlx::query("update relay set published_position = greatest(published_position, $1)")
        .bind(position)
        .execute(pool)
        .await?;
    Ok(())
}

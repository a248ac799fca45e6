//! The release of a consumer's program: a number that grows with the types of events that it knows.
//! A newer program reads again what an older one passed over as unknown: after a deploy in which
//! both ran, and after an upgrade that was undone for a while.

use crate::error::StoreError;
use crate::event::Metadata;
use crate::store::Store;
use crate::transaction::Tx;

/// Declares the release of the program in a transaction that moves a checkpoint or handles a parked
/// event.
pub async fn declare(tx: &mut Tx, release: &'static str) -> Result<(), StoreError> {
    tx.set("sukoon.release", release).await
}

/// Records that this release runs. If an older release has moved the checkpoint, sets it back to
/// where that began. Returns the position after which events are read again; `None` if no older
/// release moved it, or if this one is the older.
pub async fn take_over(
    store: &Store,
    (consumer, source): (&'static str, &'static str),
    release: &'static str,
) -> Result<Option<i64>, StoreError> {
    store
        .write(Metadata::by(consumer, None), move |tx| {
            Box::pin(async move {
                declare(tx, release).await?;
                let again_from = note(tx, (consumer, source), release).await?;
                if let Some(from) = again_from {
                    set_back(tx, (consumer, source), from).await?;
                }
                Ok::<Option<i64>, StoreError>(again_from)
            })
        })
        .await
}

/// Whether an older release has moved the checkpoint since this one last took over.
pub async fn is_behind(store: &Store, consumer: &str) -> Result<bool, StoreError> {
    Ok(sqlx::query_scalar(
        "select exists (select from consumer_releases
                        where consumer = $1 and again_from is not null)",
    )
    .bind(consumer)
    .fetch_one(store.pool())
    .await?)
}

/// The checkpoint's lock is taken first, as where the checkpoint is moved.
async fn note(
    tx: &mut Tx,
    (consumer, source): (&str, &str),
    release: &str,
) -> Result<Option<i64>, StoreError> {
    sqlx::query("select from checkpoints where consumer = $1 and source = $2 for update")
        .bind(consumer)
        .bind(source)
        .execute(tx.connection())
        .await?;
    sqlx::query(
        "insert into consumer_releases (consumer, source, release) values ($1, $2, $3::integer)
         on conflict (consumer) do update
         set release = excluded.release where consumer_releases.release < excluded.release",
    )
    .bind(consumer)
    .bind(source)
    .bind(release)
    .execute(tx.connection())
    .await?;
    let again_from: Option<Option<i64>> = sqlx::query_scalar(
        "update consumer_releases set again_from = null
         from (select again_from from consumer_releases where consumer = $1 for update) known
         where consumer = $1 and release <= $2::integer and known.again_from is not null
         returning known.again_from",
    )
    .bind(consumer)
    .bind(release)
    .fetch_optional(tx.connection())
    .await?;
    Ok(again_from.flatten())
}

/// Events that were parked after the position are read again as well.
async fn set_back(
    tx: &mut Tx,
    (consumer, source): (&str, &str),
    from: i64,
) -> Result<(), StoreError> {
    for sql in [
        "update checkpoints set position = $3, event_id = null, failures = 0
         where consumer = $1 and source = $2 and position > $3",
        "delete from parked_events where consumer = $1 and source = $2 and position > $3",
    ] {
        sqlx::query(sql).bind(consumer).bind(source).bind(from).execute(tx.connection()).await?;
    }
    Ok(())
}

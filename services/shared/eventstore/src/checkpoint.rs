//! A consumer's position in a source's feed, and the events that it could not handle.
//!
//! Positions have no gaps, so one number tells what was handled, in which order, and whether an
//! event is missing.

use kernel::Timestamp;
use sqlx::Row;
use uuid::Uuid;

use crate::error::StoreError;
use crate::event::{Metadata, Recorded};
use crate::store::Store;
use crate::transaction::{Tx, recorded};

/// How often an event may fail before it is parked.
pub const FAILURES_MAX: i32 = 5;

/// The outcome of an event that was offered to a consumer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdvanceOutcome {
    /// It was handled, and the checkpoint moved with it.
    Handled,
    /// It was handled before.
    Repeat,
    /// The checkpoint is at this position, and events between it and the offered one are missing.
    Hole(i64),
    /// It is parked: it failed too often, or an earlier event of its stream is parked.
    Parked,
    /// The feed had another event at this position before: the source was restored from an older
    /// copy.
    Rewound,
}

/// A consumer's position in a source's feed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeedPosition {
    /// The last handled position; 0 before the first.
    pub position: i64,
    /// The event at that position; another one there shows that the feed was rewound.
    pub event_id: Option<Uuid>,
}

/// An event that a consumer could not handle.
#[derive(Debug, Clone)]
pub struct Parked {
    /// The event.
    pub event: Recorded,
    /// The last error.
    pub error: String,
    /// When it was parked.
    pub parked_at: Timestamp,
}

/// The last position that a consumer has handled; 0 before the first.
pub async fn position(store: &Store, consumer: &str, source: &str) -> Result<i64, StoreError> {
    let position: Option<i64> =
        sqlx::query_scalar("select position from checkpoints where consumer = $1 and source = $2")
            .bind(consumer)
            .bind(source)
            .fetch_optional(store.pool())
            .await?;
    Ok(position.unwrap_or(0))
}

/// A consumer's position and the event at it.
pub async fn feed_position(
    store: &Store,
    consumer: &str,
    source: &str,
) -> Result<FeedPosition, StoreError> {
    let row: Option<(i64, Option<Uuid>)> = sqlx::query_as(
        "select position, event_id from checkpoints where consumer = $1 and source = $2",
    )
    .bind(consumer)
    .bind(source)
    .fetch_optional(store.pool())
    .await?;
    Ok(row.map(|(position, event_id)| FeedPosition { position, event_id }).unwrap_or_default())
}

/// Handled positions before another one, the newest first: one for each thousand positions, further
/// back one for each hundred thousand.
pub async fn marks(
    store: &Store,
    (consumer, source): (&str, &str),
    before: FeedPosition,
) -> Result<Vec<FeedPosition>, StoreError> {
    let rows: Vec<(i64, Uuid)> = sqlx::query_as(
        "select position, event_id from checkpoint_marks
         where consumer = $1 and source = $2 and position < $3 order by position desc",
    )
    .bind(consumer)
    .bind(source)
    .bind(before.position)
    .fetch_all(store.pool())
    .await?;
    let place = |(position, event_id)| FeedPosition { position, event_id: Some(event_id) };
    Ok(rows.into_iter().map(place).collect())
}

/// Sets the consumer of a rewound feed back to a position that the feed still has, or to its
/// beginning. Reactions may run again. Events that were parked after that position are read again
/// as well.
pub async fn rewind(
    store: &Store,
    (consumer, source): (&str, &str),
    (from, to): (FeedPosition, FeedPosition),
) -> Result<(), StoreError> {
    let (consumer, source) = (consumer.to_owned(), source.to_owned());
    store
        .write(Metadata::by(consumer.clone(), None), move |tx| {
            let (consumer, source) = (consumer.clone(), source.clone());
            Box::pin(async move {
                // Unless another process has done it since.
                let moved = sqlx::query(
                    "update checkpoints set position = $5, event_id = $6, failures = 0
                     where consumer = $1 and source = $2 and position = $3 and event_id = $4",
                )
                .bind(&consumer)
                .bind(&source)
                .bind(from.position)
                .bind(from.event_id)
                .bind(to.position)
                .bind(to.event_id)
                .execute(tx.connection())
                .await?
                .rows_affected();
                if moved > 0 {
                    sqlx::query(
                        "delete from parked_events
                         where consumer = $1 and source = $2 and position > $3",
                    )
                    .bind(&consumer)
                    .bind(&source)
                    .bind(to.position)
                    .execute(tx.connection())
                    .await?;
                }
                Ok::<(), StoreError>(())
            })
        })
        .await
}

/// Takes the checkpoint's lock inside `tx` and decides about `event`. `Handled` means that it is
/// the next one, that the checkpoint has been moved to it, and that the caller handles it in this
/// transaction. `previous` is the event before it in the feed, if known: a message of NATS names
/// it, because the feed may have been restored meanwhile.
pub async fn advance(
    tx: &mut Tx,
    (consumer, source): (&str, &str),
    event: &Recorded,
    previous: Option<Uuid>,
) -> Result<AdvanceOutcome, StoreError> {
    if try_advance(tx, (consumer, source), &[(event, previous)]).await? {
        return Ok(AdvanceOutcome::Handled);
    }
    let FeedPosition { position, event_id } = lock_position(tx, (consumer, source)).await?;
    if event.position == position && event_id.is_some_and(|known| known != event.event_id) {
        return Ok(AdvanceOutcome::Rewound);
    }
    if event.position <= position {
        return Ok(AdvanceOutcome::Repeat);
    }
    if event.position > position + 1 {
        return Ok(AdvanceOutcome::Hole(position));
    }
    if event_id.is_some_and(|known| previous.is_some_and(|previous| previous != known)) {
        return Ok(AdvanceOutcome::Rewound);
    }
    set_position(tx, (consumer, source), event).await?;
    let stream_waits: bool = sqlx::query_scalar(
        "select exists (select 1 from parked_events
                        where consumer = $1 and source = $2 and stream_id = $3)",
    )
    .bind(consumer)
    .bind(source)
    .bind(&event.stream_id)
    .fetch_one(tx.connection())
    .await?;
    if stream_waits {
        park(tx, (consumer, source), event, "an earlier event of this stream is parked").await?;
        return Ok(AdvanceOutcome::Parked);
    }
    Ok(AdvanceOutcome::Handled)
}

/// An event, and the one before it in the feed, if known.
pub type Delivery<'o> = (&'o Recorded, Option<Uuid>);

/// Takes the checkpoint's lock inside `tx` and moves the checkpoint past a whole batch, if each
/// event follows the one before and no stream has a parked event. Returns how many of the first
/// events were handled before; the caller handles the others in this transaction. Returns `None`,
/// and changes nothing, if the events have to be handled one by one.
pub async fn advance_over(
    tx: &mut Tx,
    (consumer, source): (&str, &str),
    batch: &[Delivery<'_>],
) -> Result<Option<usize>, StoreError> {
    if try_advance(tx, (consumer, source), batch).await? {
        return Ok(Some(0));
    }
    let place = lock_position(tx, (consumer, source)).await?;
    let Some((skipped, new)) = split_at_position(place, batch) else { return Ok(None) };
    let Some((last, _)) = new.last() else { return Ok(Some(skipped)) };
    let streams: Vec<&str> = new.iter().map(|(event, _)| event.stream_id.as_str()).collect();
    let one_waits: bool = sqlx::query_scalar(
        "select exists (select 1 from parked_events
                        where consumer = $1 and source = $2 and stream_id = any ($3))",
    )
    .bind(consumer)
    .bind(source)
    .bind(streams)
    .fetch_one(tx.connection())
    .await?;
    if one_waits {
        return Ok(None);
    }
    set_position(tx, (consumer, source), last).await?;
    Ok(Some(skipped))
}

/// Moves the checkpoint past a batch in one statement, if it is right before the batch and no
/// stream has a parked event. Returns whether it did; else nothing was changed.
///
/// The update waits for another process of the same consumer, and changes nothing if that one moves
/// the checkpoint. Events are parked only together with such a move, so otherwise the parked events
/// are still those that the statement has read.
async fn try_advance(
    tx: &mut Tx,
    (consumer, source): (&str, &str),
    batch: &[Delivery<'_>],
) -> Result<bool, StoreError> {
    let [(first, previous), ..] = batch else { return Ok(false) };
    let before = FeedPosition { position: first.position - 1, event_id: *previous };
    let Some((0, [.., (last, _)])) = split_at_position(before, batch) else { return Ok(false) };
    let streams: Vec<&str> = batch.iter().map(|(event, _)| event.stream_id.as_str()).collect();
    let moved = sqlx::query(
        "update checkpoints set position = $3, event_id = $4, failures = 0
         where consumer = $1 and source = $2 and position = $5
           and (event_id is null or $6::uuid is null or event_id = $6)
           and not exists (select from parked_events
                           where consumer = $1 and source = $2 and stream_id = any ($7))",
    )
    .bind(consumer)
    .bind(source)
    .bind(last.position)
    .bind(last.event_id)
    .bind(before.position)
    .bind(before.event_id)
    .bind(streams)
    .execute(tx.connection())
    .await?
    .rows_affected();
    Ok(moved > 0)
}

/// How many events of a batch are at or before a position, and the events after it; `None` when
/// there is a hole or the feed may have been rewound.
fn split_at_position<'r, 'o>(
    place: FeedPosition,
    batch: &'r [Delivery<'o>],
) -> Option<(usize, &'r [Delivery<'o>])> {
    let skipped = batch.iter().take_while(|(event, _)| event.position <= place.position).count();
    let (old, new) = batch.split_at_checked(skipped)?;
    let is_known = |event: &Recorded| {
        event.position != place.position
            || place.event_id.is_none_or(|known| known == event.event_id)
    };
    if !old.iter().all(|(event, _)| is_known(event)) {
        return None;
    }
    let (mut position, mut known) = (place.position, place.event_id);
    for (event, previous) in new {
        let other = known.is_some_and(|known| previous.is_some_and(|previous| previous != known));
        if event.position != position + 1 || other {
            return None;
        }
        (position, known) = (event.position, Some(event.event_id));
    }
    Some((skipped, new))
}

/// A consumer's position, locked until the transaction ends.
async fn lock_position(
    tx: &mut Tx,
    (consumer, source): (&str, &str),
) -> Result<FeedPosition, StoreError> {
    let sql = "select position, event_id from checkpoints
               where consumer = $1 and source = $2 for update";
    let read = |row: (i64, Option<Uuid>)| FeedPosition { position: row.0, event_id: row.1 };
    let known =
        sqlx::query_as(sql).bind(consumer).bind(source).fetch_optional(tx.connection()).await?;
    if let Some(row) = known {
        return Ok(read(row));
    }
    sqlx::query(
        "insert into checkpoints (consumer, source) values ($1, $2) on conflict do nothing",
    )
    .bind(consumer)
    .bind(source)
    .execute(tx.connection())
    .await?;
    let row = sqlx::query_as(sql).bind(consumer).bind(source).fetch_one(tx.connection()).await?;
    Ok(read(row))
}

/// Counts a failure of the next event, and parks it when it has failed too often. Returns whether
/// it was parked.
pub async fn failed(
    store: &Store,
    (consumer, source): (&str, &str),
    event: &Recorded,
    error: String,
) -> Result<bool, StoreError> {
    let (consumer, source, event) = (consumer.to_owned(), source.to_owned(), event.clone());
    let metadata = Metadata::because_of(&event, consumer.clone());
    store
        .write(metadata, move |tx| {
            let (consumer, source) = (consumer.clone(), source.clone());
            let (event, error) = (event.clone(), error.clone());
            Box::pin(async move {
                let failures: Option<i32> = sqlx::query_scalar(
                    "insert into checkpoints (consumer, source, failures) values ($1, $2, 1)
                     on conflict (consumer, source)
                     do update set failures = checkpoints.failures + 1
                     where checkpoints.position = $3 - 1
                     returning failures",
                )
                .bind(&consumer)
                .bind(&source)
                .bind(event.position)
                .fetch_optional(tx.connection())
                .await?;
                let gives_up = failures.is_some_and(|failures| failures >= FAILURES_MAX);
                if gives_up {
                    set_position(tx, (&consumer, &source), &event).await?;
                    park(tx, (&consumer, &source), &event, &error).await?;
                }
                Ok::<bool, StoreError>(gives_up)
            })
        })
        .await
}

async fn set_position(
    tx: &mut Tx,
    (consumer, source): (&str, &str),
    event: &Recorded,
) -> Result<(), StoreError> {
    sqlx::query(
        "update checkpoints set position = $3, event_id = $4, failures = 0
         where consumer = $1 and source = $2",
    )
    .bind(consumer)
    .bind(source)
    .bind(event.position)
    .bind(event.event_id)
    .execute(tx.connection())
    .await?;
    Ok(())
}

async fn park(
    tx: &mut Tx,
    (consumer, source): (&str, &str),
    event: &Recorded,
    error: &str,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into parked_events (consumer, source, position, event_id, stream_id, version,
                                    event_type, payload, metadata, recorded_at, error)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         on conflict do nothing",
    )
    .bind(consumer)
    .bind(source)
    .bind(event.position)
    .bind(event.event_id)
    .bind(&event.stream_id)
    .bind(event.version)
    .bind(&event.event_type)
    .bind(&event.payload)
    .bind(serde_json::to_value(&event.metadata).unwrap_or_default())
    .bind(event.recorded_at)
    .bind(error)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// What a consumer has parked, oldest first.
pub async fn parked(
    store: &Store,
    consumer: &str,
    source: &str,
) -> Result<Vec<Parked>, StoreError> {
    let rows = sqlx::query(
        "select event_id, stream_id, version, position, event_type, payload, metadata, recorded_at,
                error, parked_at
         from parked_events where consumer = $1 and source = $2 order by position",
    )
    .bind(consumer)
    .bind(source)
    .fetch_all(store.pool())
    .await?;
    rows.iter()
        .map(|row| {
            let (error, parked_at) = (row.try_get("error")?, row.try_get("parked_at")?);
            Ok(Parked { event: recorded(row)?, error, parked_at })
        })
        .collect::<Result<_, sqlx::Error>>()
        .map_err(StoreError::from)
}

/// Removes a parked event inside `tx`, so that it can be handled in the same transaction.
///
/// It takes the checkpoint's lock first. A new event of the same stream has to wait for it, so it
/// neither overtakes this one nor is parked behind an event that is gone.
pub async fn unpark(
    tx: &mut Tx,
    (consumer, source): (&str, &str),
    position: i64,
) -> Result<bool, StoreError> {
    sqlx::query("select 1 from checkpoints where consumer = $1 and source = $2 for update")
        .bind(consumer)
        .bind(source)
        .execute(tx.connection())
        .await?;
    let gone = sqlx::query(
        "delete from parked_events where consumer = $1 and source = $2 and position = $3",
    )
    .bind(consumer)
    .bind(source)
    .bind(position)
    .execute(tx.connection())
    .await?
    .rows_affected();
    Ok(gone > 0)
}

/// Records the error of a retry of a parked event.
pub async fn failed_again(
    store: &Store,
    (consumer, source): (&str, &str),
    position: i64,
    error: &str,
) -> Result<(), StoreError> {
    sqlx::query(
        "update parked_events set error = $4
         where consumer = $1 and source = $2 and position = $3",
    )
    .bind(consumer)
    .bind(source)
    .bind(position)
    .bind(error)
    .execute(store.pool())
    .await?;
    Ok(())
}

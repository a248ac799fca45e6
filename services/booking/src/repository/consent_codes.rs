//! The codes that were mailed for consents and acts on pages, without the codes themselves.

use eventstore::{StoreError, Tx};
use kernel::Timestamp;
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row as _};

use crate::domain::consent::code::{CodesOf, MailedCode};

/// The most rows that are deleted at once.
const DELETED_MAX: i64 = 10_000;
/// How long they are kept: longer than they count, in minutes.
const KEPT_MINUTES: i64 = 2 * 24 * 60;

/// When codes of a booking were asked for since a moment.
pub async fn requested(
    tx: &mut Tx,
    of: CodesOf,
    since: Timestamp,
) -> Result<Vec<Timestamp>, StoreError> {
    let sql = "select requested_at from consent_codes
               where booking_id = $1 and purpose = $2 and requested_at > $3";
    let query = sqlx::query_scalar(sql).bind(of.booking_id).bind(of.purpose.word()).bind(since);
    Ok(query.fetch_all(tx.connection()).await?)
}

/// Stores that a code was asked for.
pub async fn insert(
    tx: &mut Tx,
    of: CodesOf,
    number: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "insert into consent_codes (booking_id, purpose, number, requested_at)
               values ($1, $2, $3, $4)";
    sqlx::query(sql)
        .bind(of.booking_id)
        .bind(of.purpose.word())
        .bind(number)
        .bind(now)
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// The newest code of a booking for a purpose.
pub async fn newest(
    executor: impl PgExecutor<'_>,
    of: CodesOf,
) -> Result<Option<MailedCode>, StoreError> {
    let sql = "select number, requested_at, tries, used_at is not null as is_used
               from consent_codes
               where booking_id = $1 and purpose = $2 order by number desc limit 1";
    let query = sqlx::query(sql).bind(of.booking_id).bind(of.purpose.word());
    query.fetch_optional(executor).await?.as_ref().map(read).transpose()
}

/// Counts a try of the newest code of a booking for a purpose, and returns it.
pub async fn try_newest(tx: &mut Tx, of: CodesOf) -> Result<Option<MailedCode>, StoreError> {
    let sql = "update consent_codes set tries = tries + 1
               where booking_id = $1
                 and number = (select max(number) from consent_codes
                               where booking_id = $1 and purpose = $2)
               returning number, requested_at, tries, used_at is not null as is_used";
    let query = sqlx::query(sql).bind(of.booking_id).bind(of.purpose.word());
    query.fetch_optional(tx.connection()).await?.as_ref().map(read).transpose()
}

/// The code was typed as it was mailed.
pub async fn confirm(
    tx: &mut Tx,
    of: CodesOf,
    number: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "update consent_codes set confirmed_at = $3
         where booking_id = $1 and number = $2 and confirmed_at is null",
    )
    .bind(of.booking_id)
    .bind(number)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Uses a code up that was typed as it was mailed. False where another act has used it.
pub async fn use_up(
    tx: &mut Tx,
    of: CodesOf,
    number: i64,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let used = sqlx::query(
        "update consent_codes set used_at = $4
         where booking_id = $1 and purpose = $2 and number = $3
           and confirmed_at is not null and used_at is null",
    )
    .bind(of.booking_id)
    .bind(of.purpose.word())
    .bind(number)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(used.rows_affected() == 1)
}

/// Deletes old rows. True where more may be left.
pub async fn delete_old(tx: &mut Tx, now: Timestamp) -> Result<bool, StoreError> {
    let deleted = sqlx::query(
        "delete from consent_codes where (booking_id, number) in (
             select booking_id, number from consent_codes where requested_at < $1 limit $2)",
    )
    .bind(now.plus_minutes(-KEPT_MINUTES))
    .bind(DELETED_MAX)
    .execute(tx.connection())
    .await?;
    Ok(deleted.rows_affected() >= DELETED_MAX.unsigned_abs())
}

fn read(row: &PgRow) -> Result<MailedCode, StoreError> {
    Ok(MailedCode {
        number: row.try_get("number")?,
        requested_at: row.try_get("requested_at")?,
        tries: row.try_get("tries")?,
        is_used: row.try_get("is_used")?,
    })
}

//! The codes that were mailed for consents on pages, without the codes themselves.

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row as _};

use crate::domain::consent::code::MailedCode;

/// The most rows that are deleted at once.
const DELETED_MAX: i64 = 10_000;
/// How long they are kept: longer than they count, in minutes.
const KEPT_MINUTES: i64 = 2 * 24 * 60;

/// When codes of a booking were asked for since a moment.
pub async fn requested(
    tx: &mut Tx,
    id: Id<Booking>,
    since: Timestamp,
) -> Result<Vec<Timestamp>, StoreError> {
    let sql = "select requested_at from consent_codes where booking_id = $1 and requested_at > $2";
    Ok(sqlx::query_scalar(sql).bind(id).bind(since).fetch_all(tx.connection()).await?)
}

/// Stores that a code was asked for.
pub async fn insert(
    tx: &mut Tx,
    (id, number): (Id<Booking>, i64),
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query("insert into consent_codes (booking_id, number, requested_at) values ($1, $2, $3)")
        .bind(id)
        .bind(number)
        .bind(now)
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// The newest code of a booking.
pub async fn newest(
    executor: impl PgExecutor<'_>,
    id: Id<Booking>,
) -> Result<Option<MailedCode>, StoreError> {
    let sql = "select number, requested_at, tries from consent_codes
               where booking_id = $1 order by number desc limit 1";
    let row = sqlx::query(sql).bind(id).fetch_optional(executor).await?;
    row.as_ref().map(read).transpose()
}

/// Counts a try of the newest code of a booking, and returns it.
pub async fn try_newest(tx: &mut Tx, id: Id<Booking>) -> Result<Option<MailedCode>, StoreError> {
    let sql = "update consent_codes set tries = tries + 1
               where booking_id = $1
                 and number = (select max(number) from consent_codes where booking_id = $1)
               returning number, requested_at, tries";
    let row = sqlx::query(sql).bind(id).fetch_optional(tx.connection()).await?;
    row.as_ref().map(read).transpose()
}

/// The code was typed as it was mailed.
pub async fn confirm(
    tx: &mut Tx,
    (id, number): (Id<Booking>, i64),
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "update consent_codes set confirmed_at = $3
         where booking_id = $1 and number = $2 and confirmed_at is null",
    )
    .bind(id)
    .bind(number)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(())
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
    })
}

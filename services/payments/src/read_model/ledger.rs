//! Reads the ledger.

use eventstore::StoreError;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use sqlx::{PgExecutor, Row as _};

use crate::domain::fact::Amount;
use crate::ledger::Entry;

/// The sum of an account in one currency: debits less credits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// The account's word.
    pub account: String,
    /// The sum.
    pub balance: Amount,
}

/// An entry as its rows have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryRow {
    /// What happened, in a word.
    pub kind: String,
    /// When it was written.
    pub recorded_at: Timestamp,
    /// Its lines: the account's word, and debits positive, credits negative.
    pub lines: Vec<(String, Amount)>,
}

/// The sums of all accounts; together they are zero in each currency.
///
/// # Errors
/// When the database does not answer.
pub async fn balances(executor: impl PgExecutor<'_>) -> Result<Vec<Balance>, StoreError> {
    let rows = sqlx::query(
        "select account, amount_currency, sum(amount_minor)::bigint as amount_minor
         from ledger_lines group by account, amount_currency order by account, amount_currency",
    )
    .fetch_all(executor)
    .await?;
    let read = |row: &sqlx::postgres::PgRow| {
        let minor = row.try_get("amount_minor")?;
        let balance = Amount { minor, currency: row.try_get("amount_currency")? };
        Ok::<_, sqlx::Error>(Balance { account: row.try_get("account")?, balance })
    };
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}

/// The entries about one booking, oldest first.
///
/// # Errors
/// When the database does not answer.
pub async fn entries_of(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<Vec<EntryRow>, StoreError> {
    let rows = sqlx::query(
        "select l.line, e.kind, e.recorded_at, l.account, l.amount_minor, l.amount_currency
         from ledger_entries e join ledger_lines l using (entry_id)
         where e.booking_id = $1 order by e.recorded_at, e.entry_id, l.line",
    )
    .bind(booking_id)
    .fetch_all(executor)
    .await?;
    let mut entries: Vec<EntryRow> = Vec::new();
    for row in rows {
        let line: i32 = row.try_get("line")?;
        if line == 1 {
            let (kind, recorded_at) = (row.try_get("kind")?, row.try_get("recorded_at")?);
            entries.push(EntryRow { kind, recorded_at, lines: Vec::new() });
        }
        let minor = row.try_get("amount_minor")?;
        let amount = Amount { minor, currency: row.try_get("amount_currency")? };
        if let Some(entry) = entries.last_mut() {
            entry.lines.push((row.try_get("account")?, amount));
        }
    }
    Ok(entries)
}

/// Some of the bookings for which money is collected, in the order of their ids.
///
/// # Errors
/// When the database does not answer.
pub async fn collected_after(
    executor: impl PgExecutor<'_>,
    last: Option<Id<Booking>>,
    many: i64,
) -> Result<Vec<Id<Booking>>, StoreError> {
    let ids = sqlx::query_scalar(
        "select booking_id from collections where $1::uuid is null or booking_id > $1
         order by booking_id limit $2",
    )
    .bind(last)
    .bind(many)
    .fetch_all(executor)
    .await?;
    Ok(ids)
}

/// How many of these entries are written.
///
/// # Errors
/// When the database does not answer.
pub async fn written(
    executor: impl PgExecutor<'_>,
    entries: &[Entry],
) -> Result<usize, StoreError> {
    let causes: Vec<&str> = entries.iter().map(|entry| entry.cause.as_str()).collect();
    let found: i64 =
        sqlx::query_scalar("select count(*) from ledger_entries where cause = any($1)")
            .bind(causes)
            .fetch_one(executor)
            .await?;
    Ok(usize::try_from(found).unwrap_or_default())
}

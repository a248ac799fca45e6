//! Reads the ledger.

use std::time::Duration;

use eventstore::StoreError;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use sqlx::{PgConnection, PgExecutor, Row as _};

use crate::domain::fact::Amount;
use crate::domain::ledger::Entry;

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

/// The sums of all accounts; together they are zero in each currency. It reads the last closing and
/// what was written since.
pub async fn balances(executor: impl PgExecutor<'_>) -> Result<Vec<Balance>, StoreError> {
    let rows = sqlx::query(
        "with last as (select coalesce(max(up_to_seq), 0) as up_to_seq from ledger_sums),
         parts as (
             select account, amount_currency, amount_minor
             from ledger_sums join last using (up_to_seq)
             union all
             select l.account, l.amount_currency, l.amount_minor
             from ledger_entries e join ledger_lines l using (entry_id)
             where e.seq > (select up_to_seq from last))
         select account, amount_currency, sum(amount_minor)::bigint as amount_minor
         from parts group by account, amount_currency order by account, amount_currency",
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

/// How often, and after which pause, it is looked whether earlier transactions have ended.
const LOOKS: (u32, Duration) = (100, Duration::from_millis(100));

/// Writes the sums of all accounts up to the last entry, by number and not by time. Returns whether
/// it did: not if a transaction that was writing entries does not end.
pub async fn write_closing(connection: &mut PgConnection) -> Result<bool, StoreError> {
    let last = "select coalesce(max(seq), 0) from ledger_entries";
    let up_to: i64 = sqlx::query_scalar(last).fetch_one(&mut *connection).await?;
    // An entry has its number before it is committed, and until then its transaction has this lock.
    let writers: Vec<String> = sqlx::query_scalar(
        "select distinct virtualtransaction from pg_locks
         where relation = 'ledger_entries'::regclass and mode = 'RowExclusiveLock'
           and database = (select oid from pg_database where datname = current_database())
           and pid <> pg_backend_pid()",
    )
    .fetch_all(&mut *connection)
    .await?;
    if !have_ended(connection, &writers).await? {
        return Ok(false);
    }
    sqlx::query(
        "with last as (select coalesce(max(up_to_seq), 0) as up_to_seq from ledger_sums),
         parts as (
             select account, amount_currency, amount_minor
             from ledger_sums join last using (up_to_seq)
             union all
             select l.account, l.amount_currency, l.amount_minor
             from ledger_entries e join ledger_lines l using (entry_id)
             where e.seq > (select up_to_seq from last) and e.seq <= $1)
         insert into ledger_sums (up_to_seq, account, amount_currency, amount_minor)
         select $1, account, amount_currency, sum(amount_minor)
         from parts where $1 > (select up_to_seq from last)
         group by account, amount_currency
         on conflict do nothing",
    )
    .bind(up_to)
    .execute(connection)
    .await?;
    Ok(true)
}

async fn have_ended(connection: &mut PgConnection, writers: &[String]) -> Result<bool, StoreError> {
    for _ in 0..LOOKS.0 {
        let is_there = "select exists (select from pg_locks where virtualtransaction = any($1))";
        let is_there: bool =
            sqlx::query_scalar(is_there).bind(writers).fetch_one(&mut *connection).await?;
        if !is_there {
            return Ok(true);
        }
        tokio::time::sleep(LOOKS.1).await;
    }
    Ok(false)
}

/// The accounts whose balance by the last closing is not what is open of them, as `(account, by the
/// closing, open)`; there are none unless entries are in neither.
pub async fn unequal_balances(
    executor: impl PgExecutor<'_>,
) -> Result<Vec<(String, i64, i64)>, StoreError> {
    let rows = sqlx::query_as(
        "with last as (select coalesce(max(up_to_seq), 0) as up_to_seq from ledger_sums),
         parts as (
             select account, amount_currency, amount_minor
             from ledger_sums join last using (up_to_seq)
             union all
             select l.account, l.amount_currency, l.amount_minor
             from ledger_entries e join ledger_lines l using (entry_id)
             where e.seq > (select up_to_seq from last)),
         closed as (
             select account, amount_currency, sum(amount_minor)::bigint as minor
             from parts
             where account in
                 ('provider_clearing', 'refunds_payable', 'customer_advance', 'suspense')
             group by account, amount_currency),
         open as (
             select account, amount_currency, sum(amount_minor)::bigint as minor
             from (select account, amount_currency, amount_minor from open_balances
                   union all
                   select l.account, l.amount_currency, l.amount_minor
                   from ledger_entries e join ledger_lines l using (entry_id)
                   where e.payment_id is null and l.account in
                       ('provider_clearing', 'refunds_payable', 'customer_advance', 'suspense')
                  ) as both_of_it
             group by account, amount_currency)
         select account, coalesce(closed.minor, 0), coalesce(open.minor, 0)
         from closed full join open using (account, amount_currency)
         where coalesce(closed.minor, 0) <> coalesce(open.minor, 0)
         order by account",
    )
    .fetch_all(executor)
    .await?;
    Ok(rows)
}

/// Streams of bookings whose money moved after a position of our own feed, and the position up to
/// which they are complete. Events without a position are read every time.
pub async fn streams_after(
    executor: impl PgExecutor<'_>,
    position: i64,
    many: i64,
) -> Result<(Vec<String>, i64), StoreError> {
    let row = sqlx::query(
        "with part as (
             select position, seq from feed where position > $1 order by position limit $2),
         moved as (select seq from part union all select seq from outbox)
         select coalesce(array_agg(distinct e.stream_id)
                         filter (where e.stream_id like 'collection-%'), '{}') as streams,
                (select coalesce(max(position), $1) from part) as position
         from moved join events e using (seq)",
    )
    .bind(position)
    .bind(many)
    .fetch_one(executor)
    .await?;
    Ok((row.try_get("streams")?, row.try_get("position")?))
}

/// Up to which position of our own feed the ledger is backfilled.
pub async fn backfilled_until(executor: impl PgExecutor<'_>) -> Result<i64, StoreError> {
    let position =
        sqlx::query_scalar("select position from opened_books").fetch_optional(executor).await?;
    Ok(position.unwrap_or(0))
}

/// Stores up to which position of our own feed the ledger is backfilled.
pub async fn record_backfilled(
    executor: impl PgExecutor<'_>,
    position: i64,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into opened_books (position) values ($1)
         on conflict (only_row) do update
         set position = greatest(opened_books.position, excluded.position)",
    )
    .bind(position)
    .execute(executor)
    .await?;
    Ok(())
}

/// How many of these entries are written.
pub async fn count_written(
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

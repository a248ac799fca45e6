//! The limit that bookings are measured beside: the same rows in one plain transaction. The SQL
//! lies in `sql/plain_transaction.sql`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use system::Practice;
use uuid::Uuid;

use crate::load_generator::Caller;
use crate::request_pool::rfc3339;

/// The database that it has for itself, on the practice's server.
const DATABASE: &str = "bench_plain";
const SQL: &str = include_str!("../sql/plain_transaction.sql");
/// Where its sessions begin, in seconds since 1970; the day doesn't matter.
const FIRST_START: i64 = 2_000_000_000;
const SESSION_SECONDS: i64 = 300;

/// The database with the tables of booking.
#[derive(Debug, Clone)]
pub(crate) struct SqlBaseline {
    url: String,
    made: Arc<AtomicU32>,
}

impl SqlBaseline {
    /// Makes the database, if it is not there yet.
    pub(crate) async fn on(practice: &Practice) -> Result<Self> {
        let url = database(practice, DATABASE).await?;
        let mut connection = PgConnection::connect(&url).await?;
        let made: i64 =
            sqlx::query_scalar("select count(*) from bookings").fetch_one(&mut connection).await?;
        Ok(Self { url, made: Arc::new(AtomicU32::new(u32::try_from(made)?)) })
    }

    /// So many clients, each with a connection of its own.
    pub(crate) async fn clients(&self, count: usize) -> Result<Vec<SqlClient>> {
        let mut clients = Vec::with_capacity(count);
        for _ in 0..count {
            let connection = PgConnection::connect(&self.url).await?;
            let statements = statements()?;
            clients.push(SqlClient { connection, statements, made: Arc::clone(&self.made) });
        }
        Ok(clients)
    }

    /// Refuses a run in which a committed transaction left no row.
    ///
    /// # Errors
    /// When rows are missing.
    pub(crate) async fn check(&self) -> Result<()> {
        let mut connection = PgConnection::connect(&self.url).await?;
        let sql = "select least((select count(*) from bookings), (select count(*) from timers) - 1,
                                (select count(*) from outbox) / 2,
                                (select count(*) from idempotency_keys))";
        let rows: i64 = sqlx::query_scalar(sql).fetch_one(&mut connection).await?;
        let made = i64::from(self.made.load(Ordering::SeqCst));
        ensure!(rows == made, "{made} transactions were committed, but {rows} have their rows");
        Ok(())
    }
}

/// The URL of a database of this name with the tables of booking and nothing in them; it is made
/// unless it is there.
pub(crate) async fn database(practice: &Practice, name: &str) -> Result<String> {
    database_of(practice, name, ("booking", &*booking::MIGRATIONS)).await
}

/// The URL of a database for its superuser, made with the tables of a service unless it is there.
pub(crate) async fn database_of(
    practice: &Practice,
    name: &str,
    (role, migrations): (&str, &Migrator),
) -> Result<String> {
    let record = practice.record()?;
    let admin = record.get("postgres_admin_url").and_then(Value::as_str).context("no server")?;
    let (server, _database) = admin.rsplit_once('/').context("the URL names no database")?;
    let url = format!("{server}/{name}");
    let mut connection = PgConnection::connect(admin).await?;
    let sql = "select exists (select from pg_database where datname = $1)";
    let exists: bool = sqlx::query_scalar(sql).bind(name).fetch_one(&mut connection).await?;
    if !exists {
        connection.execute(AssertSqlSafe(format!("create database {name}"))).await?;
        eventstore::migrate(&url, role, migrations).await?;
    }
    Ok(url)
}

/// The five statements of the file, without its comments.
fn statements() -> Result<[&'static str; 5]> {
    let all = SQL.split(';').map(str::trim).filter(|statement| !statement.is_empty());
    let all: Vec<&str> = all.collect();
    all.try_into().map_err(|_other: Vec<&str>| anyhow::anyhow!("five statements were expected"))
}

/// One client of the plain transaction.
#[derive(Debug)]
pub(crate) struct SqlClient {
    connection: PgConnection,
    statements: [&'static str; 5],
    made: Arc<AtomicU32>,
}

/// What one transaction writes.
struct Row {
    booking_id: Uuid,
    customer_id: Uuid,
    starts_at: i64,
    day: u32,
    version: i64,
    key: String,
}

impl Row {
    fn new(number: u32) -> Self {
        // As in the practice: one booking of each day, then the next of each day.
        let (day, turn) = (number % 365, number / 365);
        Self {
            booking_id: eventstore::new_uuid(),
            customer_id: eventstore::new_uuid(),
            starts_at: FIRST_START + i64::from(number) * SESSION_SECONDS,
            day,
            version: i64::from(turn) + 1,
            key: format!("bench-{number:07}"),
        }
    }

    fn wire_id(&self) -> String {
        format!("bkg_{}", self.booking_id.simple())
    }

    fn customer(&self) -> String {
        format!("usr_{}", self.customer_id.simple())
    }

    fn requested(&self) -> Value {
        let (starts_at, ends_at) = self.session();
        json!({
            "bookingId": self.wire_id(), "customerId": self.customer(),
            "serviceId": "meditation", "serviceTitle": "Meditation",
            "price": { "minorUnits": "60000", "currencyCode": "INR" },
            "sessions": [{ "startsAt": starts_at, "endsAt": ends_at }],
            "practitionerId": "lead", "mode": "SESSION_MODE_ONLINE", "heldUntilAt": starts_at,
        })
    }

    fn held(&self) -> Value {
        let (starts_at, ends_at) = self.session();
        json!({
            "bookingId": self.wire_id(), "startsAt": starts_at, "endsAt": ends_at,
            "heldUntilAt": starts_at,
        })
    }

    fn metadata(&self) -> Value {
        let trace = self.booking_id.simple();
        json!({
            "actor": self.customer(), "correlation": self.wire_id(),
            "traceparent": format!("00-{trace}-00f067aa0ba902b7-01"),
        })
    }

    fn session(&self) -> (String, String) {
        (rfc3339(self.starts_at), rfc3339(self.starts_at + SESSION_SECONDS))
    }
}

impl Caller for SqlClient {
    async fn call(&mut self) -> Result<()> {
        let row = Row::new(self.made.fetch_add(1, Ordering::SeqCst));
        let [events, outbox, read_models, key, timer] = self.statements;
        let metadata = row.metadata();
        let mut tx = self.connection.begin().await?;
        let seqs: Vec<i64> = sqlx::query_scalar(events)
            .bind(eventstore::new_uuid())
            .bind(format!("booking-{}", row.booking_id))
            .bind(row.requested())
            .bind(&metadata)
            .bind(eventstore::new_uuid())
            .bind(format!("day-lead-{}", row.day))
            .bind(row.version)
            .bind(row.held())
            .fetch_all(&mut *tx)
            .await?;
        sqlx::query(outbox).bind(seqs).execute(&mut *tx).await?;
        sqlx::query(read_models)
            .bind(row.booking_id)
            .bind(row.customer_id)
            .bind(row.starts_at)
            .bind("asha@customers.example")
            .execute(&mut *tx)
            .await?;
        sqlx::query(key)
            .bind(row.customer())
            .bind(&row.key)
            .bind(vec![7_u8; 32])
            .bind(row.wire_id())
            .execute(&mut *tx)
            .await?;
        sqlx::query(timer).bind(row.wire_id()).bind(&metadata).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_five_statements_in_their_order() {
        let all = statements().unwrap();
        let tables = ["into events", "into outbox", "into bookings", "into idempotency_keys"];
        for (statement, table) in all.iter().zip(tables) {
            assert!(statement.contains(table), "{table}");
        }
        assert!(all[4].contains("into timers"));
    }

    #[test]
    fn no_two_transactions_want_the_same_time_or_version() {
        let rows: Vec<Row> = (0..1000).map(Row::new).collect();
        let mut places: Vec<(u32, i64)> = rows.iter().map(|row| (row.day, row.version)).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), rows.len());
        assert!(rows.is_sorted_by(|one, next| one.starts_at + SESSION_SECONDS <= next.starts_at));
    }
}

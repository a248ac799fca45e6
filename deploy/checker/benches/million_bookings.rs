//! How much memory the check of a practice with a million bookings takes, and how long that lasts.
//! It fails when the process took more than 512 MB, or when what was made is found to be broken.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a benchmark measures time and speaks to a person"
)]

use std::sync::LazyLock;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use checker::{Report, check_practice, stores};
use secrecy::SecretString;
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};
use testkit::TestDatabase;

const BOOKINGS: usize = 1_000_000;
/// The most memory that the whole process may ever take, in MiB; 512 MB are a little more.
const MIB_MAX: u64 = 488;
const BEFORE: &str = include_str!("sql/before.sql");
const AFTER: &str = include_str!("sql/after.sql");

/// A service with its statements, and whose feeds its consumers follow.
struct Service {
    migrations: &'static LazyLock<Migrator>,
    sql: &'static str,
    consumers: &'static [(&'static str, &'static str)],
}

const SERVICES: [(&str, Service); 5] = [
    (
        "booking",
        Service {
            migrations: &booking::MIGRATIONS,
            sql: include_str!("sql/booking.sql"),
            consumers: &[
                ("booking-on-payments", "payments"),
                ("booking-on-notifications", "notifications"),
            ],
        },
    ),
    (
        "payments",
        Service {
            migrations: &payments::MIGRATIONS,
            sql: include_str!("sql/payments.sql"),
            consumers: &[("payments-on-booking", "booking")],
        },
    ),
    (
        "notifications",
        Service {
            migrations: &notifications::MIGRATIONS,
            sql: include_str!("sql/notifications.sql"),
            consumers: &[
                ("notifications-on-booking", "booking"),
                ("notifications-on-payments", "payments"),
            ],
        },
    ),
    ("identity", Service { migrations: &identity::MIGRATIONS, sql: "", consumers: &[] }),
    (
        "reviews",
        Service {
            migrations: &reviews::MIGRATIONS,
            sql: "",
            consumers: &[("reviews-on-booking", "booking")],
        },
    ),
];

#[tokio::main]
async fn main() -> Result<()> {
    let mut databases: Vec<(&str, TestDatabase)> = Vec::new();
    for (name, service) in &SERVICES {
        let database = TestDatabase::new(service.migrations).await?;
        fill(&database, service.sql).await.with_context(|| format!("{name} cannot be filled"))?;
        databases.push((name, database));
    }
    follow(&databases).await?;
    let began = Instant::now();
    let report = check(&databases).await?;
    let seconds = began.elapsed().as_secs();
    let mib = peak_mib()?;
    println!(
        "the check of {} bookings with {} events took {mib} MiB at most ({MIB_MAX} may be) and \
         {seconds} s",
        report.bookings, report.events
    );
    ensure!(report.is_sound(), "what was made is not sound: {report}");
    ensure!(report.bookings == BOOKINGS, "not all bookings were looked at");
    ensure!(mib <= MIB_MAX, "the check takes too much memory");
    Ok(())
}

/// Makes what a service has stored, as a superuser, whom no trigger stops.
async fn fill(database: &TestDatabase, sql: &str) -> Result<()> {
    let mut superuser = PgConnection::connect(&database.owner_url).await?;
    let statements = format!("{BEFORE}{sql}{AFTER}").replace("@COUNT@", &BOOKINGS.to_string());
    sqlx::raw_sql(AssertSqlSafe(statements)).execute(&mut superuser).await?;
    superuser.execute("vacuum analyze").await?;
    superuser.close().await?;
    Ok(())
}

/// Puts all consumers at the ends of their feeds.
async fn follow(databases: &[(&str, TestDatabase)]) -> Result<()> {
    let url = |name: &str| {
        let found = databases.iter().find(|(service, _)| *service == name);
        found.map(|(_, database)| database.owner_url.clone()).context("there is no such service")
    };
    for (name, service) in &SERVICES {
        for (consumer, source) in service.consumers {
            let mut source_of = PgConnection::connect(&url(source)?).await?;
            let end: i64 = sqlx::query_scalar("select coalesce(max(position), 0) from feed")
                .fetch_one(&mut source_of)
                .await?;
            let mut reader = PgConnection::connect(&url(name)?).await?;
            sqlx::query("insert into checkpoints (consumer, source, position) values ($1, $2, $3)")
                .bind(consumer)
                .bind(source)
                .bind(end)
                .execute(&mut reader)
                .await?;
        }
    }
    Ok(())
}

async fn check(databases: &[(&str, TestDatabase)]) -> Result<Report> {
    let [booking, payments, notifications, identity, reviews] = databases else {
        anyhow::bail!("a service has no database");
    };
    let url = |(_, database): &(&str, TestDatabase)| SecretString::from(database.owner_url.clone());
    let settings = stores::Settings {
        booking: url(booking),
        payments: url(payments),
        notifications: url(notifications),
        identity: Some(url(identity)),
        reviews: url(reviews),
        as_of: None,
        reminder_hours: Some(24),
    };
    check_practice(&mut stores::Stores::open(&settings).await?, None, 0).await
}

/// The most memory that this process has ever taken.
fn peak_mib() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()).context("no memory is told")?;
    Ok(kib.parse::<u64>()? / 1024)
}

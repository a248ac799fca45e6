//! What a confirmed booking costs PostgreSQL: bookings are placed, paid and mailed one at a time,
//! and the practice's databases count their transactions. What the practice does at rest meanwhile
//! is measured before and subtracted.

use std::time::Duration;

use anyhow::Result;
use sqlx::PgConnection;
use system::practice::STORES;
use system::{Customer, Practice};
use testkit::until_within;
use tokio::time::Instant;

use crate::environment::{Environment, Hours, RunningSystem};
use crate::figure::{Figure, Unit};
use crate::request_pool::rfc3339;
use crate::timetable::SERVICE;

/// How many bookings are placed.
const BOOKINGS: u32 = 20;
/// How many mails follow from each at once: the confirmation, the practice's notice, the receipt.
const MAILS: usize = 3;
/// How long they may take.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How long what follows from the mails may take.
const AFTERWARDS: Duration = Duration::from_secs(2);
/// How long the practice is measured at rest.
const REST: Duration = Duration::from_secs(20);
/// PostgreSQL's processes tell their counts within ten seconds after their last transaction.
const TOLD_WITHIN: Duration = Duration::from_secs(11);

/// What the databases have counted up to now.
#[derive(Debug, Clone, Copy)]
struct Counts {
    at: Instant,
    /// Transactions, of which most only read.
    transactions: f64,
    /// Transactions that wrote.
    writing: f64,
}

impl Counts {
    async fn read(practice: &Practice) -> Result<Self> {
        system::pause::wait_for(TOLD_WITHIN).await;
        let stores: Vec<String> = STORES.map(str::to_owned).into();
        let mut database: PgConnection = practice.database("booking").await?;
        // Writing transactions have numbers, of which this question takes one itself.
        let (transactions, writing) = sqlx::query_as(
            "select (select sum(xact_commit + xact_rollback) from pg_stat_database
                     where datname = any ($1))::float8,
                    pg_current_xact_id()::text::float8",
        )
        .bind(&stores)
        .fetch_one(&mut database)
        .await?;
        Ok(Self { at: Instant::now(), transactions, writing })
    }

    /// What came since `before`, for each of so many things.
    fn since(&self, before: &Self, each: f64) -> Self {
        Self {
            at: self.at,
            transactions: (self.transactions - before.transactions) / each,
            writing: (self.writing - before.writing) / each,
        }
    }

    fn less(&self, rest: &Self, seconds: f64) -> Self {
        Self {
            at: self.at,
            transactions: self.transactions - rest.transactions * seconds,
            writing: self.writing - rest.writing * seconds,
        }
    }
}

pub(crate) async fn measure(environment: &mut Environment) -> Result<Vec<Figure>> {
    let running = environment.at(Hours::Dense).await?;
    one_at_a_time(running, "warm", 2).await?;
    let practice = &running.practice;
    let before = Counts::read(practice).await?;
    system::pause::wait_for(REST).await;
    let after = Counts::read(practice).await?;
    let rest = after.since(&before, after.at.duration_since(before.at).as_secs_f64());
    let before = Counts::read(practice).await?;
    one_at_a_time(running, "counted", BOOKINGS).await?;
    let after = Counts::read(practice).await?;
    let seconds = after.at.duration_since(before.at).as_secs_f64() / f64::from(BOOKINGS);
    let booking = after.since(&before, f64::from(BOOKINGS)).less(&rest, seconds);
    let figure = |title: &str, ours, most| Figure::absolute(title, Unit::Count, ours, most);
    let note = format!("{:.1} write; {BOOKINGS} bookings, one at a time", booking.writing);
    let title = "transactions of a confirmed booking";
    let per_booking = figure(title, booking.transactions, (80.0, 60.0)).noting(note);
    let title = "transactions at rest, in a second";
    let note = format!("{:.2} write", rest.writing);
    Ok(vec![per_booking, figure(title, rest.transactions, (40.0, 20.0)).noting(note)])
}

/// Places bookings, each when the mails of the one before are out. Only the sandbox is asked
/// whether they are: a question to the databases would be counted.
async fn one_at_a_time(running: &RunningSystem, name: &str, count: u32) -> Result<()> {
    let (request_pool, practice) = (running.request_pool()?, &running.practice);
    for number in 0..count {
        let customer = Customer::with_issued_token(practice, &running.issuer, "Asha")?;
        let start = rfc3339(request_pool.time()?);
        let id = customer.hold(SERVICE, &start, &format!("{name}-{number:03}")).await?;
        let mailed = practice.inbox().await?.len();
        practice.pay(&customer.order(&id).await?).await?;
        until_within(TIMEOUT, "the mails are there", async || {
            Ok((practice.inbox().await?.len() >= mailed + MAILS).then_some(()))
        })
        .await?;
        system::pause::wait_for(AFTERWARDS).await;
    }
    Ok(())
}

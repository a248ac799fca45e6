//! The phases of the measurement: bookings with all that follows from them in one practice, all
//! practices at rest, and all of them under load at once.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result};
use sqlx::PgConnection;
use system::practice::STORES;
use tokio::time::Instant;

use super::account_server::{AccountServer, ServerCounts};
use super::instance::{Instance, SERVICES};
use super::usage::{CpuTime, Processes};
use crate::callers::{Booker, Reader};
use crate::catch_up::{READERS as CONSUMERS, until_taken_in};
use crate::environment::RunningSystem;
use crate::figures::confirmation;
use crate::figures::reads::connect_get;
use crate::http_client::get;
use crate::load_generator::{Round, closed_loop};
use crate::memory::{children, pss};
use crate::timetable::SERVICE;

/// How many bookings are paid and confirmed; what is measured of them is multiplied.
pub(super) const PAID: usize = 400;
/// For how long practices are at rest.
const AT_REST: Duration = Duration::from_secs(60);
/// For how long each load lasts.
const LOAD: Duration = Duration::from_secs(10);
const WARM_UP: Duration = Duration::from_secs(1);
/// How many clients each practice has at once.
const CLIENTS: usize = 2;
/// More bookings than a practice gets in a load.
const REQUESTS: usize = 2400;
const THOUSAND: f64 = 1000.0;
const BYTES_PER_MIB: f64 = 1024.0 * 1024.0;
const WEEK: &str = "%7B%22serviceId%22%3A%22{}%22%2C%22days%22%3A7%7D";
/// The reads, each with its method and its message.
pub(super) const READS: [(&str, (&str, &str)); 2] = [
    ("slot lists of a week", ("booking.v1.BookingService/ListSlots", WEEK)),
    ("lists of services", ("catalogue.v1.CatalogueService/ListServices", "%7B%7D")),
];

/// What a load took.
#[derive(Debug, Clone)]
pub(super) struct Phase {
    /// What was asked for.
    pub(super) title: &'static str,
    /// How many were answered in a second, by all practices.
    pub(super) per_second: f64,
    /// Seconds of processor for 1,000 of them.
    pub(super) per_thousand: CpuTime,
    /// The most connections to PostgreSQL of one practice.
    pub(super) connections_max: i64,
}

/// Bookings that were paid and confirmed.
#[derive(Debug, Clone)]
pub(super) struct Paid {
    /// Seconds of processor for 1,000 of them.
    pub(super) per_thousand: CpuTime,
    /// MiB on disk for 100,000 of them, in all databases of a practice.
    pub(super) disk_mib: f64,
    /// MiB of PostgreSQL's log for 100,000 of them.
    pub(super) log_mib: f64,
}

impl Paid {
    /// Books, pays and waits for the confirmations.
    pub(super) async fn measure(running: &RunningSystem) -> Result<Self> {
        confirmation::complete(running, "scale-warm", 20).await?;
        let processes = of_the_host(running)?;
        let mut database = running.practice.database("booking").await?;
        let (bytes, log) = written(&mut database).await?;
        let before = processes.cpu()?;
        confirmation::complete(running, "scale", PAID).await?;
        crate::catch_up::until_caught_up(&running.practice).await?;
        let cpu = processes.cpu()?.since(&before, &CpuTime::default());
        let (bytes_after, log_after) = written(&mut database).await?;
        let count = f64::from(u32::try_from(PAID)?);
        let of_many = |bytes: f64| bytes / count * 100_000.0 / BYTES_PER_MIB;
        Ok(Self {
            per_thousand: cpu.divided(count / THOUSAND),
            disk_mib: of_many(bytes_after - bytes),
            log_mib: of_many(log_after - log),
        })
    }
}

/// The bytes of the practice's databases, and those ever written to PostgreSQL's log.
async fn written(database: &mut PgConnection) -> Result<(f64, f64)> {
    let stores: Vec<String> = STORES.map(str::to_owned).into();
    let sql = "select (select sum(pg_database_size(datname)) from pg_database
                       where datname = any ($1))::float8,
                      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8";
    Ok(sqlx::query_as(sql).bind(&stores).fetch_one(database).await?)
}

/// What the practice that brings PostgreSQL and the sandbox takes, before others are there.
#[derive(Debug, Clone)]
pub(super) struct Alone {
    postgres_per_second: f64,
}

/// What all practices take at rest.
#[derive(Debug, Clone)]
pub(super) struct Rest {
    /// Seconds of processor in a second, of one practice.
    pub(super) cpu: CpuTime,
    /// Memory.
    pub(super) memory: Memory,
    /// Connections to PostgreSQL of all practices.
    pub(super) connections: i64,
    /// What NATS holds for all practices.
    pub(super) held: ServerCounts,
    /// MiB on disk of the databases of a practice without bookings.
    pub(super) empty_mib: f64,
    practices: f64,
}

/// MiB of one practice.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    /// Its gateway.
    pub(super) gateway: f64,
    /// Its six other services.
    pub(super) services: f64,
    /// The processes of PostgreSQL that serve its connections.
    pub(super) backends: f64,
    /// Its share of NATS.
    pub(super) nats: f64,
}

impl Rest {
    /// What PostgreSQL takes of the processors for the practice that brings it.
    pub(super) async fn of_the_host(running: &RunningSystem) -> Result<Alone> {
        let processes = Processes::new(Vec::new(), running.practice.pid("postgres")?);
        let cpu = in_time(&processes).await?;
        Ok(Alone { postgres_per_second: cpu.of("postgres") })
    }

    /// What all practices take.
    pub(super) async fn measure(
        running: &RunningSystem,
        server: &AccountServer,
        practices: &[Instance],
        alone: &Alone,
    ) -> Result<Self> {
        let processes = of_all(running, server, practices)?;
        let mut cpu = in_time(&processes).await?;
        if let Some(postgres) = cpu.0.get_mut("postgres") {
            *postgres = (*postgres - alone.postgres_per_second).max(0.0);
        }
        let count = f64::from(u32::try_from(practices.len())?);
        let mut database = running.practice.database("booking").await?;
        let empty: f64 = sqlx::query_scalar(
            "select sum(pg_database_size(datname))::float8 from pg_database
             where datname ~ '^p[0-9]{3}_'",
        )
        .fetch_one(&mut database)
        .await?;
        Ok(Self {
            cpu: cpu.divided(count),
            memory: Self::memory(running, server, practices).await?,
            connections: connections(&mut database).await?.iter().sum(),
            held: server.held().await?,
            empty_mib: empty / count / BYTES_PER_MIB,
            practices: count,
        })
    }

    /// The memory that a practice takes now.
    pub(super) async fn memory(
        running: &RunningSystem,
        server: &AccountServer,
        practices: &[Instance],
    ) -> Result<Memory> {
        let mut memory = Memory::default();
        for (service, pid) in practices.iter().flat_map(Instance::processes) {
            let is_gateway = service == "gateway";
            *(if is_gateway { &mut memory.gateway } else { &mut memory.services }) += pss(pid)?;
        }
        for child in children(running.practice.pid("postgres")?)? {
            let line = fs::read_to_string(format!("/proc/{child}/cmdline")).unwrap_or_default();
            if is_of_a_practice(&line) {
                // One that has just ended takes nothing.
                memory.backends += pss(child).unwrap_or_default();
            }
        }
        memory.nats = pss(server.pid())?;
        let count = f64::from(u32::try_from(practices.len())?);
        let of_one = [memory.gateway, memory.services, memory.backends, memory.nats];
        let [gateway, services, backends, nats] = of_one.map(|all| all / count);
        Ok(Memory { gateway, services, backends, nats })
    }
}

/// Whether a process of PostgreSQL serves a connection to one of our databases:
/// `postgres: booking p001_booking 127.0.0.1(4242) idle`.
fn is_of_a_practice(line: &str) -> bool {
    let database = line.split_whitespace().nth(2).unwrap_or_default();
    let number = database.strip_prefix('p').and_then(|rest| rest.split_once('_'));
    number.is_some_and(|(number, service)| {
        number.len() == 3 && number.parse::<u16>().is_ok() && STORES.contains(&service)
    })
}

/// Bookings in all practices at once, with all that services do after each.
pub(super) async fn bookings(
    running: &RunningSystem,
    server: &AccountServer,
    practices: &[Instance],
    rest: &Rest,
) -> Result<Phase> {
    let mut bookers = Vec::new();
    for practice in practices {
        practice.pool.refill(&running.issuer, REQUESTS)?;
        bookers.extend(Booker::at(practice.gateway, &practice.pool, CLIENTS).await?);
    }
    closed_loop(&mut bookers, WARM_UP).await?;
    until_all_caught_up(practices).await?;
    let work = async {
        let round = closed_loop(&mut bookers, LOAD).await?;
        until_all_caught_up(practices).await?;
        anyhow::Ok(round)
    };
    phase("bookings", running, server, (practices, rest), work).await
}

/// Reads of all practices at once.
pub(super) async fn reads(
    running: &RunningSystem,
    server: &AccountServer,
    practices: &[Instance],
    rest: &Rest,
    (title, (method, message)): (&'static str, (&str, &str)),
) -> Result<Phase> {
    let target = connect_get(method, &message.replace("{}", SERVICE));
    let mut readers = Vec::new();
    for practice in practices {
        let request = get(practice.gateway, &target, "");
        readers.extend(Reader::all(practice.gateway, (request.as_slice(), true), CLIENTS).await?);
    }
    closed_loop(&mut readers, WARM_UP).await?;
    let work = async { closed_loop(&mut readers, LOAD).await };
    phase(title, running, server, (practices, rest), work).await
}

/// Measures what a load takes besides what the practices take at rest.
async fn phase(
    title: &'static str,
    running: &RunningSystem,
    server: &AccountServer,
    (practices, rest): (&[Instance], &Rest),
    work: impl Future<Output = Result<Round>>,
) -> Result<Phase> {
    let processes = of_all(running, server, practices)?;
    let mut database = running.practice.database("booking").await?;
    let (before, began) = (processes.cpu()?, Instant::now());
    let round = work.await?;
    let seconds = began.elapsed().as_secs_f64();
    let at_rest = rest.cpu.divided(1.0 / (rest.practices * seconds));
    let cpu = processes.cpu()?.since(&before, &at_rest);
    let count = f64::from(u32::try_from(round.waits.len())?);
    // A pool keeps what it has opened for ten minutes, so this is the most that there was.
    let connections_max = connections(&mut database).await?.into_iter().max().unwrap_or_default();
    let per_thousand = cpu.divided(count / THOUSAND);
    Ok(Phase { title, per_second: round.per_second(), per_thousand, connections_max })
}

/// How many connections to PostgreSQL each practice has.
async fn connections(database: &mut PgConnection) -> Result<Vec<i64>> {
    let sql = "select count(*) from pg_stat_activity where datname ~ '^p[0-9]{3}_'
               group by substr(datname, 1, 4)";
    Ok(sqlx::query_scalar(sql).fetch_all(database).await?)
}

/// Waits until all services have taken in what concerns them.
async fn until_all_caught_up(practices: &[Instance]) -> Result<()> {
    for practice in practices {
        let mut booking = practice.databases(&["booking"]).await?;
        let booking = booking.pop().context("there is no database of booking")?;
        until_taken_in(booking, practice.databases(&CONSUMERS).await?).await?;
    }
    Ok(())
}

/// What processes take of the processors in a second.
async fn in_time(processes: &Processes) -> Result<CpuTime> {
    let (before, began) = (processes.cpu()?, Instant::now());
    system::pause::wait_for(AT_REST).await;
    let taken = processes.cpu()?.since(&before, &CpuTime::default());
    Ok(taken.divided(began.elapsed().as_secs_f64()))
}

/// The processes of the practice that brings PostgreSQL, with its own NATS.
fn of_the_host(running: &RunningSystem) -> Result<Processes> {
    let parts = SERVICES.into_iter().chain(["nats"]);
    let pids = parts.map(|part| Ok((part, running.practice.pid(part)?)));
    Ok(Processes::new(pids.collect::<Result<_>>()?, running.practice.pid("postgres")?))
}

/// The processes of all practices, with PostgreSQL and NATS.
fn of_all(
    running: &RunningSystem,
    server: &AccountServer,
    practices: &[Instance],
) -> Result<Processes> {
    let services = practices.iter().flat_map(Instance::processes);
    let pids = services.chain([("nats", server.pid())]).collect();
    Ok(Processes::new(pids, running.practice.pid("postgres")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_of_postgresql_is_known_by_the_database_that_it_serves() {
        assert!(is_of_a_practice("postgres: booking p001_booking 127.0.0.1(4242) idle"));
        for other in [
            "postgres: booking booking 127.0.0.1(4242) idle",
            "postgres: walwriter ",
            "postgres: booking p1_booking 127.0.0.1(1) idle",
            "postgres: a p001_other 127.0.0.1(1) idle",
            "",
        ] {
            assert!(!is_of_a_practice(other), "{other}");
        }
    }
}

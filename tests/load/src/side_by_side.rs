//! `make scale`: practices side by side on one PostgreSQL server and one NATS server, each with its
//! own processes, databases and account, as each namespace of a cluster has them. It measures what
//! a practice takes at rest, and what bookings and reads take of a core.

mod account_server;
mod instance;
mod usage;
mod phases;
mod report;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};

use crate::environment::{Environment, Hours, RunningSystem};
use crate::say;

use self::account_server::AccountServer;
use self::instance::Instance;
use self::phases::{Paid, Phase, Rest};

/// How many practices run beside each other, unless the command line says it.
const PRACTICES: usize = 10;
/// How many connections to PostgreSQL each process may open, unless the command line says it.
const CONNECTIONS_PER_PROCESS: u32 = 3;
/// For how long nothing is done before it is measured what a practice takes at rest.
const SETTLING: Duration = Duration::from_secs(20);

/// What is measured, and where the figures go.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Settings {
    folder: PathBuf,
    practices: usize,
    connections: u32,
}

impl Settings {
    /// Reads `FOLDER [PRACTICES [CONNECTIONS]]`.
    fn read(arguments: &[String]) -> Result<Self> {
        let usage = "usage: side_by_side FOLDER [PRACTICES [CONNECTIONS]]";
        let (folder, numbers) = arguments.split_first().context(usage)?;
        let (practices, connections) = match numbers {
            [] => (PRACTICES, CONNECTIONS_PER_PROCESS),
            [practices] => (practices.parse()?, CONNECTIONS_PER_PROCESS),
            [practices, connections] => (practices.parse()?, connections.parse()?),
            _ => bail!(usage),
        };
        anyhow::ensure!(practices > 0 && connections > 0, "{usage}: numbers from 1 on");
        Ok(Self { folder: PathBuf::from(folder), practices, connections })
    }
}

/// Measures, prints the table and writes it as JSON.
///
/// # Errors
/// When an answer was wrong, or something does not run.
pub fn run(arguments: &[String]) -> Result<()> {
    let settings = Settings::read(arguments)?;
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most })?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        tokio::select! {
            measured = measure(&settings) => measured,
            _ = interrupt.recv() => bail!("interrupted"),
            _ = terminate.recv() => bail!("asked to end"),
        }
    })
}

async fn measure(settings: &Settings) -> Result<()> {
    let mut environment = Environment::open().await?;
    let running = environment.at(Hours::Dense).await?;
    say("· bookings until their confirmation is mailed, in one practice\n");
    let paid = Paid::measure(running).await?;
    system::pause::wait_for(SETTLING).await;
    let alone = Rest::of_the_host(running).await?;

    let server = AccountServer::start(running, settings.practices).await?;
    let mut practices = Vec::with_capacity(settings.practices);
    for number in 1..=settings.practices {
        let limit = settings.connections;
        practices.push(Instance::start(running, &server, number, limit).await?);
        say(&format!("· practice {number} of {} is ready\n", settings.practices));
    }
    system::pause::wait_for(SETTLING).await;
    say("· at rest\n");
    let rest = Rest::measure(running, &server, &practices, &alone).await?;
    say("· bookings in all practices at once\n");
    let bookings = phases::bookings(running, &server, &practices, &rest).await?;
    let mut phases = vec![bookings];
    for (title, read) in phases::READS {
        say(&format!("· {title}\n"));
        phases.push(phases::reads(running, &server, &practices, &rest, (title, read)).await?);
    }
    let loaded = Rest::memory(running, &server, &practices).await?;
    write(settings, running, (&paid, &rest, &phases, &loaded)).await
}

/// Prints the table, and writes the figures as JSON.
async fn write(
    settings: &Settings,
    running: &RunningSystem,
    (paid, rest, phases, loaded): (&Paid, &Rest, &[Phase], &phases::Memory),
) -> Result<()> {
    let rows = report::rows(settings.practices, (paid, rest, phases, loaded));
    say(&format!("\n{}\n", report::table(&rows)));
    let all = json!({
        "machine": crate::machine_of(running).await?,
        "practices": settings.practices,
        "connections_per_process": settings.connections,
        "figures": report::json(&rows),
    });
    fs::create_dir_all(&settings.folder)?;
    let file = settings.folder.join("side_by_side.json");
    fs::write(&file, serde_json::to_vec_pretty(&all)?)?;
    say(&format!("written to {}\n", file.display()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<Settings> {
        Settings::read(&words.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn ten_practices_unless_another_number_is_named() {
        let folder = PathBuf::from("out");
        let ten = Settings { folder: folder.clone(), practices: 10, connections: 3 };
        assert_eq!(read("out").unwrap(), ten);
        assert_eq!(read("out 4 6").unwrap(), Settings { folder, practices: 4, connections: 6 });
        for wrong in ["", "out 0", "out 1 0", "out x", "out 1 2 3"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}

//! Measures how fast and how small Sukoon is, on the release programs, over the loopback interface,
//! each figure beside a limit that is measured in the same run. In reading order:

#![expect(
    clippy::float_arithmetic,
    reason = "a measurement divides times by times; no money is reckoned with here"
)]

mod samples;
mod figure;
mod table;
mod http_client;
mod load_generator;
mod timetable;
mod request_pool;
mod environment;
mod callers;
mod sql_baseline;
mod reference_servers;
mod catch_up;
mod memory;
mod log_database;
mod second_instance;
mod figures;
mod settings;
pub mod siege;
pub mod side_by_side;

use std::fs;
use std::io::Write as _;

use anyhow::{Context as _, Result, bail};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::Instant;

use crate::environment::{Environment, Hours, RunningSystem};
use crate::figure::{Figure, Verdict};
use crate::memory::Memory;

pub use settings::Settings;

/// Measures what was asked for, prints the table and writes it as JSON.
///
/// # Errors
/// When an answer was wrong, a row is missing, or something does not run. A figure that misses what
/// was to be reached is no error.
pub fn run(settings: &Settings) -> Result<()> {
    // A thousand connections are more than a process may usually have open.
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most })?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        // What runs is stopped when the measurement is dropped.
        tokio::select! {
            measured = measure(settings) => measured,
            _ = interrupt.recv() => bail!("interrupted"),
            _ = terminate.recv() => bail!("asked to end"),
        }
    })
}

async fn measure(settings: &Settings) -> Result<()> {
    let mut environment = Environment::open().await?;
    let (mut figures, mut rest) = (Vec::new(), None);
    let began = Instant::now();
    for name in &settings.names {
        let since = Instant::now();
        if rest.is_none() && settings.measures("memory") && settings::is_load(name) {
            rest = Some(figures::memory::at_rest(&mut environment).await?);
        }
        match one(&mut environment, settings, name, rest.as_ref()).await {
            Ok(measured) => figures.extend(measured),
            Err(error) => {
                // What was measured before is right, and the rest of the run would not be.
                say(&table::text(&figures));
                return Err(error.context(format!("{name} went wrong")));
            }
        }
        say(&format!("· {name} ({:.0} s)\n", since.elapsed().as_secs_f64()));
    }
    let machine = machine(&mut environment).await?;
    let seconds = began.elapsed().as_secs_f64();
    let missed = figures.iter().filter(|it| it.verdict() == Verdict::Missed).count();
    say(&format!("\n{}\n", table::text(&figures)));
    say(&format!("{} figures, {missed} missed, {seconds:.0} seconds\n", figures.len()));
    let all = json!({
        "machine": machine, "seconds": seconds, "figures": table::json(&figures),
    });
    fs::create_dir_all(&settings.folder)?;
    fs::write(settings.file(), serde_json::to_vec_pretty(&all)?)?;
    say(&format!("written to {}\n", settings.file().display()));
    Ok(())
}

/// Measures the figures of one name.
async fn one(
    environment: &mut Environment,
    settings: &Settings,
    name: &str,
    rest: Option<&Memory>,
) -> Result<Vec<Figure>> {
    match name {
        "start" => figures::start::measure(environment).await,
        "rest" => figures::rest::measure(environment).await,
        "transactions" => figures::transactions::measure(environment).await,
        "slots" => figures::reads::slots(environment).await,
        "catalogue" => figures::reads::catalogue(environment).await,
        "page" => figures::reads::page(environment, settings.nginx()?).await,
        "gateway" => figures::gateway::measure(environment).await,
        "rush" => figures::rush::measure(environment).await,
        "bookings" => figures::bookings::measure(environment).await,
        "latency" => figures::latency::measure(environment).await,
        "sign_ins" => figures::sign_ins::measure(environment).await,
        "tls" => figures::tls::measure(environment).await,
        "consumers" => figures::consumers::measure(environment).await,
        "confirmation" => figures::confirmation::measure(environment).await,
        "long_log" => figures::long_log::measure(environment).await,
        "alarms" => figures::alarms::measure(environment).await,
        "late_start" => figures::late_start::measure(environment).await,
        "drain" => figures::drain::measure(environment).await,
        "crowd" => figures::crowd::measure(environment).await,
        "rebuild" => figures::rebuild::measure(environment).await,
        "memory" => {
            let rest = rest.context("memory at rest was not measured")?;
            // Alone it is the ten minutes that the figure's name promises.
            let stretches = if settings.names.len() == 1 { 60 } else { 2 };
            figures::memory::measure(environment, rest, stretches).await
        }
        other => bail!("there is no figure {other}"),
    }
}

/// What it was measured on.
async fn machine(environment: &mut Environment) -> Result<Value> {
    machine_of(environment.at(Hours::Dense).await?).await
}

/// The machine that this practice runs on.
async fn machine_of(running: &RunningSystem) -> Result<Value> {
    let mut database = running.practice.database("booking").await?;
    let sql = "select version(), clock_timestamp()::text, current_setting('synchronous_commit')";
    let (postgres, at, commit): (String, String, String) =
        sqlx::query_as(sql).fetch_one(&mut database).await?;
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.unwrap_or_default().trim_start_matches([' ', '\t', ':']).to_owned();
    Ok(json!({
        "measured_at": at, "postgres": postgres, "synchronous_commit": commit,
        "cores": std::thread::available_parallelism()?.get(), "processor": model,
    }))
}

/// Prints progress; a write error is ignored, because the file and the exit code remain.
fn say(words: &str) {
    let mut out = std::io::stdout();
    out.write_all(words.as_bytes()).and_then(|()| out.flush()).ok();
}

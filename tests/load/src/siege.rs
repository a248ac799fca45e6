//! A siege of a practice that runs with its usual limits: hostile clients of all kinds attack its
//! gateway, each kind from an address of its own, while 220 honest clients book, 200 of them behind
//! one address. The same clients book in a quiet run before, while the same attack hits a program
//! that is no part of the practice, so that both runs have the same share of the machine.

mod attackers;
mod honest_clients;
mod observation;

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use system::{Practice, TokenIssuer};
use tokio::time::Instant;

use crate::environment::{address_of, home};
use crate::figure::{Bound, Figure, Unit, Verdict};
use crate::reference_servers::ReferenceServer;
use crate::samples::millis;
use crate::siege::attackers::Target;
use crate::siege::honest_clients::{HonestClients, Journeys};
use crate::siege::observation::Observation;
use crate::{say, table, timetable};

/// How long each run takes, and how long attackers are at work before honest clients come.
const LENGTH: Duration = Duration::from_secs(40);
const HEAD_START: Duration = Duration::from_secs(5);
/// The multiple of the quiet run's times that the siege may cost honest clients.
const P99_MAX: f64 = 3.0;
/// The most memory that the gateway ever has: 8,192 heads, the budget of bodies, and itself.
const MEMORY_MIB_MAX: f64 = 256.0;
/// Until everything is as before.
const RECOVERY_SECONDS_MAX: f64 = 10.0;

/// Runs the siege, or attacks: `attack ADDRESS SECONDS TOKEN FILE` is what the attackers' own
/// process is started with.
///
/// # Errors
/// When something does not run, an honest client is refused, or a figure is missed.
pub fn run(arguments: &[String]) -> Result<()> {
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most })?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    runtime.block_on(async {
        match words.as_slice() {
            [] => besiege().await,
            ["attack", target, seconds, token, large_file] => {
                let length = Duration::from_secs(seconds.parse()?);
                say(&attackers::attack(target.parse()?, length, (token, large_file)).await);
                Ok(())
            }
            _ => bail!("usage: siege"),
        }
    })
}

async fn besiege() -> Result<()> {
    let place = Place::new()?;
    let mut practice = place.start().await?;
    practice.wait_until_ready().await?;
    let gateway = address_of(&practice.url)?;
    let issuer = TokenIssuer::of(&practice).await?;
    let (_attacker, token) = issuer.token("mallory@attackers.example")?;
    let honest = HonestClients::new(&practice, &issuer).await?;
    let target = |address| Target { address, token: token.clone() };

    // The first calls of a practice that has just started are slower than all others.
    honest.run(gateway, Duration::ZERO, Duration::from_secs(5)).await?;
    let beside = ReferenceServer::bare().await?;
    say("· a quiet run, while the attack hits another program\n");
    let (quiet, _) = attacked(&honest, gateway, target(beside.address)).await?;
    drop(beside);

    let before = Observation::of(&practice)?;
    say("· the siege\n");
    let (besieged, outcomes) = attacked(&honest, gateway, target(gateway)).await?;
    let recovery = until_recovered(&honest, &practice, &before).await?;
    let after = Observation::of(&practice)?;
    practice.stop();

    let figures = figures(&quiet, &besieged, (recovery, &after));
    say(&format!("\n{outcomes}\n{}\n", table::text(&figures)));
    for refusal in besieged.refusals.iter().take(5) {
        say(&format!("  refused: {refusal}\n"));
    }
    let missed = figures.iter().filter(|it| it.verdict() == Verdict::Missed).count();
    ensure!(missed == 0, "{missed} of {} figures were missed", figures.len());
    Ok(())
}

/// The honest clients' journeys while a target is attacked, and what came of the attack.
async fn attacked(
    honest: &HonestClients,
    gateway: std::net::SocketAddr,
    target: Target,
) -> Result<(Journeys, String)> {
    let attack = attackers::start(&target, HEAD_START + LENGTH)?;
    let journeys = honest.run(gateway, HEAD_START, LENGTH).await?;
    let ended = attack.wait_with_output().await?;
    ensure!(ended.status.success(), "the attackers broke down: {}", ended.status);
    Ok((journeys, String::from_utf8_lossy(&ended.stdout).into_owned()))
}

/// How long it takes until the gateway has no more open files than before and serves a client.
async fn until_recovered(
    honest: &HonestClients,
    practice: &Practice,
    before: &Observation,
) -> Result<Duration> {
    let since = Instant::now();
    loop {
        let now = Observation::of(practice)?;
        let served = honest.one_is_served(address_of(&practice.url)?).await;
        if served && now.has_as_few_files_as(before) {
            return Ok(since.elapsed());
        }
        ensure!(since.elapsed() < Duration::from_secs(120), "it does not recover: {now:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn figures(
    quiet: &Journeys,
    besieged: &Journeys,
    (recovery, after): (Duration, &Observation),
) -> Vec<Figure> {
    let refused =
        |journeys: &Journeys| f64::from(u32::try_from(journeys.refusals.len()).unwrap_or(u32::MAX));
    let none = |title: &str, journeys: &Journeys| {
        Figure {
            stretch: None,
            reach: Bound::AtMost(0.0),
            ..Figure::absolute(title, Unit::Count, refused(journeys), (0.0, 0.0))
        }
        .noting(format!("of {} calls", journeys.waits.len()))
    };
    let p99 = |journeys: &Journeys| millis(journeys.waits.p99());
    vec![
        none("refused in the quiet run", quiet),
        none("refused in the siege", besieged),
        Figure::times("p99 of a call", p99(besieged), ("quiet", p99(quiet)), (P99_MAX, 1.5))
            .noting(format!(
                "p50 {:.1} ms, quiet {:.1} ms",
                millis(besieged.waits.p50()),
                millis(quiet.waits.p50())
            )),
        Figure::absolute(
            "memory of the gateway at most",
            Unit::Mebibytes,
            after.memory_mib_max,
            (MEMORY_MIB_MAX, MEMORY_MIB_MAX / 2.0),
        ),
        Figure::absolute(
            "until it is as before",
            Unit::Seconds,
            recovery.as_secs_f64(),
            (RECOVERY_SECONDS_MAX, RECOVERY_SECONDS_MAX / 2.0),
        )
        .noting(format!("{} open files", after.files)),
    ]
}

/// The folders of the run, which are removed at its end.
struct Place {
    data: PathBuf,
    hours: PathBuf,
}

impl Place {
    fn new() -> Result<Self> {
        let name = format!("sukoon-siege-{}", std::process::id());
        let place =
            Self { data: home().join(&name), hours: home().join(format!("{name}-practice")) };
        timetable::write(&place.hours)?;
        Ok(place)
    }

    /// A practice whose times do not run out, with its usual limits.
    async fn start(&self) -> Result<Practice> {
        let log = File::create(self.hours.with_extension("log"))?;
        let hours = self.hours.to_string_lossy();
        Practice::spawn_in(self.data.clone(), &[("PRACTICE_DIR", &hours)], Stdio::from(log))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A folder that cannot be removed only takes disk space.
        fs::remove_dir_all(&self.data).ok();
        fs::remove_dir_all(&self.hours).ok();
        fs::remove_file(self.hours.with_extension("log")).ok();
    }
}

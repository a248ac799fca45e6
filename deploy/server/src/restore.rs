//! `sukoon restore`: puts a backup in the practice's place, and does what has to be done after
//! that. The data that was there stays beside it. Where it does not succeed, that data is put back
//! and the practice opens with it.
mod aside;
mod put_back;
mod since;
mod wanted;

use super::backrest;
use super::check_settings::check_settings;
use super::cluster::Cluster;
use super::layout::Layout;
use super::moments;
use super::pictures;
use super::power::{self, StartWatch};
use super::rights;
use anyhow::{Context, Result, bail};
pub(crate) use aside::{left_to_a_person, remove_old};
use machine::checker;
use machine::environment::Environment;
use machine::output;
use machine::paths;
use std::fmt;
use std::fs;
use std::io::{BufRead, IsTerminal};
use std::os::unix::fs::{MetadataExt, chown};
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::Instant;
pub(crate) use wanted::RestoreOptions;
use wanted::Target;

/// How long the log of changes may be read.
const READ_WITHIN: Duration = Duration::from_secs(2 * 60 * 60);

/// Restores, starts the practice and checks it.
pub(crate) async fn run(layout: &Layout, wanted: &RestoreOptions) -> Result<ExitCode> {
    let target = wanted.target(layout)?;
    if !wanted.is_confirmed && !confirmed(&target)? {
        output::line("Nothing was changed.");
        return Ok(ExitCode::FAILURE);
    }
    output::line(format_args!("The practice stops and comes back {}.", target.says));
    let began = Instant::now();
    let replaced = replace(layout, wanted, &target).await;
    let is_sound = match replaced {
        Ok(is_sound) => is_sound,
        Err(error) if error.is::<Killed>() => return Err(error),
        Err(error) => return Err(put_back::after(layout, error).await),
    };
    power::start_services(layout)?;
    output::line(format_args!(
        "The practice was restored in {} and is starting.",
        moments::length(i64::try_from(began.elapsed().as_secs()).unwrap_or(i64::MAX))
    ));
    if is_sound {
        aside::note_good_end(layout)?;
    } else {
        output::line(format_args!(
            "What the check has found needs a person; the practice opens nevertheless. The data \
             that was replaced stays in {} until you remove it.",
            aside::place(layout).display()
        ));
    }
    since::tell(layout).await?;
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Puts the backup in place, up to where the services may start; whether it is sound.
async fn replace(layout: &Layout, wanted: &RestoreOptions, target: &Target) -> Result<bool> {
    power::stop_services(layout)?;
    let goes_on = rights::is_unfinished(layout);
    if !goes_on {
        // What lies there from now on is what this restore has replaced.
        aside::make_room(layout)?;
        rights::remember(layout, target.is_moment()).await?;
    }
    failpoint("list-kept")?;
    mark_the_end(layout);
    power::stop_cluster(layout)?;
    output::step("restoring the databases");
    restore_cluster(layout, target, goes_on)?;
    failpoint("databases-restored")?;
    let mut watch = StartWatch::default();
    power::start_cluster(layout)
        .or_else(|error| watch.require_running(layout).and(Err(error)))
        .context(UNREACHED)?;
    let cluster = power::cluster(layout)?;
    let opening = cluster.wait_while(READ_WITHIN, || watch.require_running(layout));
    opening.await.context(UNREACHED)?;
    output::step("checking what was restored");
    let is_sound = check_restored(layout, &cluster).await?;
    for step in STEPS {
        output::step(step.says);
        (step.run)(layout, &cluster)?;
    }
    output::step("ending what had ended");
    rights::take_away(layout, &cluster, wanted.with_ended_rights)?;
    failpoint("rights-taken-away")?;
    rights::forget(layout)?;
    Ok(is_sound)
}

/// What it means when the restored cluster ends while it reads its log.
const UNREACHED: &str = "the restored databases do not open; if they say that recovery ended \
                         before the target, nothing was archived after that moment, and \
                         `sukoon restore` without --to brings everything";

/// Writes one more change, so that a moment after which nothing happened can be reached: PostgreSQL
/// stops at the first change that is later. A cluster that is lost has none.
fn mark_the_end(layout: &Layout) {
    let marked = power::cluster(layout)
        .and_then(|cluster| cluster.ask("postgres", "select pg_current_xact_id()"));
    // What the cluster cannot do here, the restore does not need.
    drop(marked);
}

/// Whether what was restored was as it had to be when it was written. The provider, who may know
/// more by now, is not asked.
async fn check_restored(layout: &Layout, cluster: &Cluster) -> Result<bool> {
    let mut settings = check_settings(layout)?;
    let last = cluster.last_change()?;
    settings.extend(last.map(|moment| ("CHECK_AS_OF".to_owned(), moment)));
    let options = checker::CheckOptions { is_json: false, without_provider: true };
    checker::is_sound(&settings, options).await
}

fn confirmed(target: &Target) -> Result<bool> {
    let input = std::io::stdin();
    if !input.is_terminal() {
        bail!("a restore replaces all data of the practice; add --yes without a terminal");
    }
    output::line(format_args!(
        "The practice stops and comes back {}. What happened since is lost to it, but for what the \
         payment provider knows and for rights that had ended. Go on? [yes/no]",
        target.says
    ));
    let mut answer = String::new();
    input.lock().read_line(&mut answer).context("no answer can be read")?;
    Ok(answer.trim() == "yes")
}

/// A test has ended the restore at a place, as a power cut would.
#[derive(Debug)]
struct Killed(&'static str);

impl fmt::Display for Killed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "stopped at {}", self.0)
    }
}

impl std::error::Error for Killed {}

/// Ends the restore at a place that a test names.
fn failpoint(name: &'static str) -> Result<()> {
    let environment = Environment::of_this_process();
    anyhow::ensure!(environment.get("SUKOON_RESTORE_STOPS_AT") != Some(name), Killed(name));
    Ok(())
}

/// Puts the backup in place of the data, which is put aside. A restore that goes on replaces what
/// the one before has begun; what that put aside stays.
fn restore_cluster(layout: &Layout, target: &Target, goes_on: bool) -> Result<()> {
    let (data, aside) = (layout.cluster(), aside::place(layout));
    if goes_on && aside.exists() {
        aside::remove(&data)?;
    } else {
        fs::rename(&data, &aside).context("the old data cannot be put aside")?;
    }
    let owner = fs::metadata(&aside).context("the cluster is not there")?;
    aside::note(&aside)?;
    paths::create_private(&data)?;
    chown(&data, Some(owner.uid()), Some(owner.gid()))
        .with_context(|| format!("{} cannot be given to its owner", data.display()))?;
    backrest::restore(layout, &data, target.for_postgres().as_deref(), &[])
}

/// Something that has to be done after a restore, before the services start.
pub(crate) struct Step {
    /// What it is, as a step.
    says: &'static str,
    /// Does it. It may be done again.
    run: fn(&Layout, &Cluster) -> Result<()>,
}

/// All of it, in order.
pub(crate) const STEPS: [Step; 3] = [
    Step { says: "restoring pictures", run: restore_pictures },
    Step { says: "rewinding consumers to what is stored", run: forget_streams },
    Step { says: "having the provider asked about all that is open", run: ask_the_provider },
];

fn restore_pictures(layout: &Layout, _cluster: &Cluster) -> Result<()> {
    let into = layout.pictures();
    if into.is_dir() {
        pictures::restore(layout, &into)?;
    }
    Ok(())
}

/// The broker may hold messages of events that the restored databases do not have. Without them,
/// relays publish what is stored, and consumers read the feeds from where their checkpoints are.
fn forget_streams(layout: &Layout, _cluster: &Cluster) -> Result<()> {
    let streams = layout.streams().join("jetstream");
    match fs::remove_dir_all(&streams) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", streams.display()))
        }
        _ => Ok(()),
    }
}

/// What was paid or given back since the backup, only the provider knows: its lists are read at
/// once, and every order that is still polled is asked about.
fn ask_the_provider(_layout: &Layout, cluster: &Cluster) -> Result<()> {
    cluster.ask("payments", include_str!("restore/ask_the_provider.sql")).map(drop)
}

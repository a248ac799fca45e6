//! `sukoon restore`: puts a backup in the practice's place, and does what has to be done after
//! that. The data that was there stays beside it for a week.
mod wanted;

use super::backrest;
use super::check_settings::check_settings;
use super::cluster::Cluster;
use super::layout::Layout;
use super::pictures;
use super::power;
use super::rights;
use super::user::command_as_owner;
use anyhow::{Context, Result, bail};
use machine::checker;
use machine::environment::Environment;
use machine::output;
use machine::paths;
use machine::process::output_of;
use std::fs;
use std::io::{BufRead, IsTerminal};
use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::Instant;
pub(crate) use wanted::RestoreOptions;
use wanted::Target;

/// How long the data that was replaced stays.
const KEPT_ASIDE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The file in it that says since when it lies there.
const PUT_ASIDE: &str = "sukoon-put-aside";
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
    power::stop_services(layout)?;
    let goes_on = rights::is_unfinished(layout);
    if !goes_on {
        // What lies there from now on is what this restore has replaced.
        remove(&layout.cluster().with_extension("before"))?;
        rights::remember(layout, target.is_moment()).await?;
    }
    failpoint("list-kept")?;
    power::stop_cluster(layout)?;
    output::step("restoring the databases");
    if let Err(error) = restore_cluster(layout, &target, goes_on) {
        // What was there is there again, so it may open as it was.
        rights::forget(layout)?;
        return Err(error);
    }
    failpoint("databases-restored")?;
    power::start_cluster(layout)?;
    let cluster = power::cluster(layout)?;
    cluster.wait_until_writable(READ_WITHIN).await?;
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
    power::start_services(layout)?;
    output::line(format_args!(
        "The practice was restored in {} s and is starting.",
        began.elapsed().as_secs()
    ));
    if !is_sound {
        output::line("What the check has found needs a person; the practice opens all the same.");
    }
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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

/// Fails at a place that a test names.
fn failpoint(name: &str) -> Result<()> {
    let environment = Environment::of_this_process();
    anyhow::ensure!(environment.get("SUKOON_RESTORE_STOPS_AT") != Some(name), "stopped at {name}");
    Ok(())
}

/// Removes what a restore has put aside, once it has lain there for a week: it is personal data.
pub(crate) fn remove_put_aside(layout: &Layout) -> Result<()> {
    let aside = layout.cluster().with_extension("before");
    let since = fs::metadata(aside.join(PUT_ASIDE)).and_then(|note| note.modified());
    let age = since.ok().and_then(|since| since.elapsed().ok());
    if age.is_none_or(|age| age < KEPT_ASIDE) {
        return Ok(());
    }
    // The unit of backups may not write beside the folder, so the folder itself may stay, empty.
    let mut remove = command_as_owner("find", &aside)?;
    remove.arg(&aside).args(["-mindepth", "1", "-delete"]);
    output_of(&mut remove).context("what a restore has put aside cannot be removed")?;
    output::line("What was put aside by a restore a week ago was removed.");
    Ok(())
}

/// Removes a folder, if it is there.
fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Puts the backup in place of the data, which is put aside. A restore that fails puts it back. One
/// that goes on replaces what the one before has begun; what that put aside stays.
fn restore_cluster(layout: &Layout, target: &Target, goes_on: bool) -> Result<()> {
    let data = layout.cluster();
    let aside = data.with_extension("before");
    if goes_on && aside.exists() {
        remove(&data)?;
    } else {
        fs::rename(&data, &aside).context("the old data cannot be put aside")?;
    }
    let owner = fs::metadata(&aside).context("the cluster is not there")?;
    output_of(command_as_owner("touch", &aside)?.arg(aside.join(PUT_ASIDE)))?;
    let restoring = || -> Result<()> {
        paths::create_private(&data)?;
        chown(&data, Some(owner.uid()), Some(owner.gid()))
            .with_context(|| format!("{} cannot be given to its owner", data.display()))?;
        backrest::restore(layout, &data, target.for_postgres().as_deref(), &[])
    };
    restoring().or_else(|error| {
        remove(&data)?;
        fs::rename(&aside, &data).context("the old data cannot be put back")?;
        Err(error)
    })
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

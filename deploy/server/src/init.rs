//! `sukoon init`: makes a practice of a machine on which the package was installed. It may be run
//! again: what is there stays, and only settings are written anew.
use super::backrest;
use super::backup::{self, Extent};
use super::changes::Settings;
use super::decisions::Decisions;
use super::files;
use super::layout::Layout;
use super::opening;
use super::outside;
use super::owner_account;
use super::pictures;
use super::places;
use super::power;
use super::requirements;
use super::sample;
use super::units;
use super::user::command_as_owner;
use anyhow::{Context, Result, bail};
use machine::databases;
use machine::output;
use machine::process::output_of;
use machine::secrets::SecretStore;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// How long the cluster may take to be ready.
const READY_WITHIN: Duration = Duration::from_secs(180);

/// What the command was told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct InitOptions {
    file: Option<PathBuf>,
    without: Vec<String>,
}

impl InitOptions {
    /// Reads the words after `init`.
    pub(crate) fn read(words: &[&str]) -> Result<Self> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--without" => {
                    let names = words.next().context("--without needs the names of checks")?;
                    options.without.extend(names.split(',').map(str::to_owned));
                }
                file if !file.starts_with("--") && options.file.is_none() => {
                    options.file = Some(PathBuf::from(file));
                }
                other => bail!("`sukoon init` does not know {other}"),
            }
        }
        let unknown =
            options.without.iter().find(|it| !requirements::names().contains(&it.as_str()));
        if let Some(unknown) = unknown {
            bail!(
                "there is no check {unknown}; the checks are {}",
                requirements::names().join(", ")
            );
        }
        Ok(options)
    }
}

/// Sets the practice up, starts it, and ends with its address.
pub(crate) async fn run(layout: &Layout, options: &InitOptions) -> Result<ExitCode> {
    let decisions = match &options.file {
        Some(file) => Decisions::read(file)?,
        None => Decisions::ask()?,
    };
    output::step("looking at this machine");
    let is_open = layout.is_the_machine() && units::state(units::TARGET) == "active";
    let mut without = options.without.clone();
    // The practice that runs has these ports itself.
    without.extend(is_open.then(|| "ports".to_owned()));
    if layout.is_the_machine() {
        make_room()?;
    }
    requirements::check(&decisions, &without).await?;
    output::step("writing settings");
    let started = Settings::started(layout).unwrap_or_else(|| Settings::of_files(layout));
    let mut secret_store = SecretStore::open(&layout.secrets())?;
    files::write(layout, &decisions, requirements::memory_mib()?, &mut secret_store)?;
    decisions.keep(layout)?;
    own_practice(layout)?;
    if !without.iter().any(|it| it == places::NAME) {
        output::step("trying the place for sessions online");
        places::check(layout)?;
    }
    output::step("creating the databases");
    create_cluster(layout, &mut secret_store).await?;
    output::step("taking the first backup");
    backrest::create(layout)?;
    pictures::create_key(layout)?;
    if backrest::newest(layout)?.is_none() {
        backup::take(layout, Extent::Full)?;
    }
    if !layout.is_the_machine() {
        return Ok(ExitCode::SUCCESS);
    }
    let settings = Settings::of_files(layout);
    let changed = if is_open { started.changed(&settings) } else { Vec::new() };
    start(&changed)?;
    settings.keep(layout)?;
    opening::wait_until_open().await?;
    owner_account::ensure(layout, &decisions)?;
    tell(layout, &decisions.domain).await
}

/// The packages of Caddy and nats-server start servers of their own, which would have our ports or
/// our memory.
fn make_room() -> Result<()> {
    for unit in ["caddy.service", "nats-server.service"] {
        if units::state(unit) == "active" {
            output::step(format_args!("stopping {unit}, in whose place Sukoon starts its own"));
            units::systemctl(&["disable", "--now", unit])?;
        }
    }
    let clusters = output_of(std::process::Command::new("pg_lsclusters").arg("-h"));
    for (version, port) in debians_clusters(&clusters.unwrap_or_default()) {
        if is_unused(&port) {
            output::step("stopping Debian's own PostgreSQL cluster, which is empty");
            let unit = format!("postgresql@{version}-main.service");
            units::systemctl(&["disable", "--now", "postgresql.service", &unit])?;
        }
    }
    Ok(())
}

/// Versions and ports of the clusters `main`, which Debian's package makes, as far as they run.
fn debians_clusters(listed: &str) -> Vec<(String, String)> {
    let cluster = |line: &str| {
        let mut words = line.split_whitespace();
        let (version, name, port) = (words.next()?, words.next()?, words.next()?);
        let runs = name == "main" && words.next()?.starts_with("online");
        runs.then(|| (version.to_owned(), port.to_owned()))
    };
    listed.lines().filter_map(cluster).collect()
}

/// Whether a cluster of Debian's has no database that a person made.
fn is_unused(port: &str) -> bool {
    let sql = "select count(*) from pg_database
               where datname not in ('postgres', 'template0', 'template1')";
    let mut asked = std::process::Command::new("runuser");
    asked.args(["-u", "postgres", "--", "psql", "-XAtc", sql, "--port", port]).current_dir("/");
    output_of(&mut asked).is_ok_and(|count| count.trim() == "0")
}

/// The practice's own files, which are there to be edited.
fn own_practice(layout: &Layout) -> Result<()> {
    let (own, shipped) = (layout.practice(), Path::new("/usr/share/sukoon/practice"));
    if own.exists() || !shipped.is_dir() {
        return Ok(());
    }
    let mut copy = std::process::Command::new("cp");
    output_of(copy.arg("-R").arg(shipped).arg(&own)).map(drop)
}

async fn create_cluster(layout: &Layout, secret_store: &mut SecretStore) -> Result<()> {
    for (folder, user) in [
        (layout.cluster(), "sukoon-postgres"),
        (layout.backups(), "sukoon-postgres"),
        (layout.socket(), "sukoon-postgres"),
        (layout.operations(), "sukoon-postgres"),
    ] {
        if !folder.exists() {
            fs::create_dir_all(&folder)
                .with_context(|| format!("{} cannot be made", folder.display()))?;
            files::give_to(layout, user, &folder, 0o700)?;
        }
    }
    let cluster = power::cluster(layout)?;
    if !cluster.data.join("PG_VERSION").is_file() {
        let mut initdb = command_as_owner(cluster.programs.join("initdb"), &cluster.data)?;
        initdb.args(["--encoding=UTF8", "--locale=C", "--data-checksums", "--auth=peer"]);
        initdb.arg("--username=postgres");
        output_of(initdb.arg(format!("--pgdata={}", cluster.data.display())))
            .context("the databases could not be created")?;
    }
    if cluster.ask("postgres", "select 1").is_err() {
        power::start_cluster(layout)?;
    }
    cluster.wait_until_writable(READY_WITHIN).await?;
    set_passwords(layout, secret_store)
}

/// Makes what is missing of databases and roles, and gives the roles the passwords of the secrets.
pub(crate) fn set_passwords(layout: &Layout, secret_store: &mut SecretStore) -> Result<()> {
    let cluster = power::cluster(layout)?;
    for service in databases::SERVICES {
        let (outside, inside) = databases::scripts(service, secret_store)?;
        cluster.run_script("postgres", &outside)?;
        cluster.run_script(service, &inside)?;
    }
    Ok(())
}

/// Starts everything, and again what runs with other settings than it now has.
fn start(changed: &[String]) -> Result<()> {
    units::systemctl(&["daemon-reload"])?;
    if !changed.is_empty() {
        let names: Vec<&str> = changed.iter().map(|unit| units::short(unit)).collect();
        let names = names.join(", ");
        output::step(format_args!("starting again with other settings: {names}"));
        let words = ["restart"].into_iter().chain(changed.iter().map(String::as_str));
        units::systemctl(&words.collect::<Vec<_>>())?;
    }
    output::step("starting");
    units::systemctl(&["enable", "--now", units::TARGET]).map(drop)
}

/// Says whether visitors reach the practice.
async fn tell(layout: &Layout, domain: &str) -> Result<ExitCode> {
    output::step("asking for the site as its visitors do");
    let seen = outside::wait_until_open(domain).await;
    match &seen {
        Ok(days) => output::line(format_args!(
            "The practice is open: https://{domain} (certificate for {days} days)"
        )),
        Err(error) => output::line(format_args!(
            "! The practice runs on this machine, and visitors do not reach it: {error:#}. \
             `sukoon status` asks again."
        )),
    }
    output::line(
        "Keep /etc/sukoon/secrets and /etc/sukoon/pgbackrest.d elsewhere too: without \
                  them no backup can be read.",
    );
    warn_of_sample(&sample::left(layout));
    Ok(if seen.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The sample's own addresses would get the mails of real clients: they are read by no person.
fn warn_of_sample(left: &[String]) {
    if !sample::addresses(left).is_empty() {
        output::line("! THIS IS STILL THE SITE OF THE SAMPLE, A PERSON WHO DOES NOT EXIST:");
        left.iter().for_each(|word| output::line(format_args!("!   {word}")));
        output::line(
            "! Write your own words in /etc/sukoon/practice; `sukoon ready` lists the rest.",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_debian_s_own_cluster_that_runs_is_looked_at() {
        let listed = "15 main 5432 online postgres /var/lib/postgresql/15/main /var/log/a.log\n\
                      15 shop 5433 online postgres /var/lib/postgresql/15/shop /var/log/b.log\n\
                      14 main 5434 down   postgres /var/lib/postgresql/14/main /var/log/c.log\n";
        assert_eq!(debians_clusters(listed), [("15".to_owned(), "5432".to_owned())]);
        assert_eq!(debians_clusters(""), []);
    }

    #[test]
    fn words_are_a_file_and_checks_to_leave_out() {
        let options = InitOptions::read(&["mine.toml", "--without", "dns,mail"]).unwrap();
        assert_eq!(options.file, Some(PathBuf::from("mine.toml")));
        assert_eq!(options.without, ["dns", "mail"]);
        assert!(InitOptions::read(&["--without", "luck"]).is_err());
        assert!(InitOptions::read(&["a", "b"]).is_err());
    }
}

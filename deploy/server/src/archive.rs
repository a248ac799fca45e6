//! `sukoon export FILE` and `sukoon import FILE`: a whole practice as one sealed archive, for a
//! move to another server. What it holds is checked before and after.
use super::check_settings::check_settings;
use super::cluster::Cluster;
use super::layout::Layout;
use super::power;
use super::user::command_as_owner;
use anyhow::{Context, Result, bail};
use machine::checker::{self, CheckOptions};
use machine::databases;
use machine::environment::Environment;
use machine::output;
use machine::paths;
use machine::process::output_of;
use machine::secrets::{self, SecretStore};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// The form of the archive.
const FORM: u64 = 1;
/// Secrets that what is stored depends on; all others belong to a server.
const WORDS: [&str; 6] = [
    "identity-code-key",
    "notifications-address-key",
    "booking-consent-key",
    "booking-feed-key",
    "reviews-invitation-key",
    "owner-password",
];
/// The key with which sessions that go on were signed.
const SIGNING_KEY: &str = "identity-signing";
/// The variable with the archive's key.
const KEY: &str = "SUKOON_ARCHIVE_KEY";

/// Closes the practice, checks it, and writes everything into a sealed file. Its key is printed,
/// once.
pub(crate) async fn export(layout: &Layout, file: &Path, keep_open: bool) -> Result<ExitCode> {
    if file.exists() {
        bail!("{} is there already", file.display());
    }
    output::step("closing the practice, so that nothing is written any more");
    power::stop_all_but_cluster(layout)?;
    let written = write_archive(layout, file).await;
    if keep_open || written.is_err() {
        power::start_services(layout)?;
    }
    let key = written?;
    output::line(format_args!("The practice is in {}. Its key, which is shown only now:", {
        file.display()
    }));
    output::line(key);
    if !keep_open {
        output::line(
            "The practice is closed here, so that nothing is booked that the archive lacks; \
             `systemctl start sukoon.target` opens it again.",
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the archive of a practice that is closed; its key.
async fn write_archive(layout: &Layout, file: &Path) -> Result<String> {
    let closed_at = moment().to_string();
    require_sound(layout, &closed_at, "the practice is not as it must be, so it is not exported")
        .await?;
    let staging = Staging::make(layout)?;
    let cluster = power::cluster(layout)?;
    for service in databases::SERVICES {
        output::step(format_args!("writing {service}"));
        let mut dump = command_as_owner(cluster.programs.join("pg_dump"), &cluster.data)?;
        dump.args(["--format=custom", "--username=postgres"]);
        dump.arg(format!("--host={}", cluster.socket.display()));
        dump.arg(format!("--port={}", cluster.port)).arg(format!("--dbname={service}"));
        let target = fs::File::create(staging.folder.join(format!("{service}.dump")))
            .context("a database cannot be written")?;
        let status = dump.stdout(target).stderr(Stdio::inherit()).status();
        if !status.context("pg_dump cannot be started")?.success() {
            bail!("the database of {service} could not be written");
        }
    }
    copy(&layout.pictures(), &staging.folder.join("pictures"))?;
    copy(&layout.practice(), &staging.folder.join("practice"))?;
    let secret_store = SecretStore::open(&layout.secrets())?;
    let words = WORDS.iter().filter_map(|name| Some((*name, secret_store.get(name)?)));
    let note = json!({
        "form": FORM,
        "closed_at": closed_at,
        "words": words.collect::<std::collections::BTreeMap<_, _>>(),
        "signing_key": secret_store.private_key(SIGNING_KEY)?,
    });
    let note = serde_json::to_vec_pretty(&note)?;
    secrets::write_private(&staging.folder.join("practice.json"), &note)?;
    seal(&staging.folder, file)
}

/// Puts the practice of an archive in place of the one that `sukoon init` has made here.
pub(crate) async fn import(
    environment: &Environment,
    layout: &Layout,
    file: &Path,
) -> Result<ExitCode> {
    let key = environment.get(KEY).with_context(|| {
        format!("{KEY} is missing: set it to the key that `sukoon export` has printed")
    })?;
    let staging = Staging::make(layout)?;
    unseal(file, key, &staging.folder)?;
    let note = fs::read(staging.folder.join("practice.json")).context("it is no practice")?;
    let note: serde_json::Value = serde_json::from_slice(&note)?;
    if note.get("form") != Some(&json!(FORM)) {
        bail!("the archive is of another version; upgrade this server first");
    }
    power::stop_all_but_cluster(layout)?;
    let cluster = power::cluster(layout)?;
    let mut secret_store = SecretStore::open(&layout.secrets())?;
    for service in databases::SERVICES {
        output::step(format_args!("reading {service}"));
        replace_database(&cluster, service, &staging.folder, &mut secret_store)?;
    }
    take_secrets(layout, &note, &mut secret_store)?;
    copy(&staging.folder.join("pictures"), &layout.pictures())?;
    copy(&staging.folder.join("practice"), &layout.practice())?;
    drop(staging);
    let closed_at = note.get("closed_at").and_then(|it| it.as_str()).unwrap_or_default();
    require_sound(layout, closed_at, "what was imported is not as it must be").await?;
    power::start_services(layout)?;
    output::line("The practice is imported. `sukoon init` writes its settings anew.");
    Ok(ExitCode::SUCCESS)
}

#[expect(
    clippy::disallowed_methods,
    reason = "when a practice is closed is a matter of its server"
)]
fn moment() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

/// Checks what is stored, as of the moment at which the practice was closed.
async fn require_sound(layout: &Layout, closed_at: &str, says: &str) -> Result<()> {
    let mut settings = check_settings(layout)?;
    settings.push(("CHECK_AS_OF".to_owned(), closed_at.to_owned()));
    let options = CheckOptions { is_json: false, without_provider: true };
    if !checker::is_sound(&settings, options).await? {
        bail!("{says}");
    }
    Ok(())
}

fn replace_database(
    cluster: &Cluster,
    service: &str,
    from: &Path,
    secret_store: &mut SecretStore,
) -> Result<()> {
    cluster.ask("postgres", &format!("drop database if exists {service} with (force)"))?;
    let (outside, inside) = databases::scripts(service, secret_store)?;
    cluster.run_script("postgres", &outside)?;
    cluster.run_script(service, &inside)?;
    let mut restore = command_as_owner(cluster.programs.join("pg_restore"), &cluster.data)?;
    // The schema and its extensions are there; all else has the owners and rights that it had.
    restore.args(["--username=postgres", "--exit-on-error", "--clean", "--if-exists"]);
    restore.arg(format!("--host={}", cluster.socket.display()));
    restore.arg(format!("--port={}", cluster.port)).arg(format!("--dbname={service}"));
    let dump = from.join(format!("{service}.dump"));
    restore.stdin(fs::File::open(&dump).context("a database is missing in the archive")?);
    output_of(&mut restore)?;
    // What came has the rights of where it comes from.
    cluster.run_script(service, &inside)
}

fn take_secrets(
    layout: &Layout,
    note: &serde_json::Value,
    secret_store: &mut SecretStore,
) -> Result<()> {
    let words = note.get("words").and_then(|it| it.as_object()).into_iter().flatten();
    for (name, word) in words {
        let word = word.as_str().map(str::to_owned);
        if WORDS.contains(&name.as_str()) && word.is_some() {
            secret_store.set(&[(name.as_str(), word)])?;
        }
    }
    let key = note.get("signing_key").and_then(|it| it.as_str()).context("no signing key")?;
    let secrets = layout.secrets();
    secrets::write_private(&secrets.join(format!("{SIGNING_KEY}.pem")), key.as_bytes())
}

/// Packs a folder and seals it with a new key, which is returned.
fn seal(folder: &Path, file: &Path) -> Result<String> {
    let made = output_of(&mut Command::new("age-keygen"))?;
    let key = made.lines().find(|line| line.starts_with("AGE-SECRET-KEY-"));
    let key = key.context("age-keygen makes no key")?.to_owned();
    let mut derive = Command::new("age-keygen");
    let recipient = fed(derive.arg("-y"), key.as_bytes())?;
    let mut tar = Command::new("tar");
    tar.args(["--create", "--owner=0", "--group=0", "--directory"]).arg(folder).arg(".");
    let mut tar = tar.stdout(Stdio::piped()).spawn().context("tar cannot be started")?;
    let packed = tar.stdout.take().context("tar has no output")?;
    let mut age = Command::new("age");
    age.args(["--encrypt", "--recipient", recipient.trim(), "--output"]).arg(file);
    output_of(age.stdin(packed))?;
    if !tar.wait().context("tar did not end")?.success() {
        bail!("not everything could be packed");
    }
    Ok(key)
}

/// Opens a sealed file into a folder.
fn unseal(file: &Path, key: &str, folder: &Path) -> Result<()> {
    let identity = folder.with_extension("key");
    secrets::write_private(&identity, key.as_bytes())?;
    let mut age = Command::new("age");
    age.arg("--decrypt").arg("--identity").arg(&identity).arg(file);
    let opened = age.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut age = opened.context("age cannot be started")?;
    let packed = age.stdout.take().context("age has no output")?;
    let mut tar = Command::new("tar");
    tar.args(["--extract", "--no-same-owner", "--directory"]).arg(folder);
    let unpacked = output_of(tar.stdin(packed));
    let done = age.wait_with_output().context("age did not end")?;
    fs::remove_file(&identity).context("the key's copy cannot be removed")?;
    if !done.status.success() {
        bail!("the archive cannot be opened: {}", String::from_utf8_lossy(&done.stderr).trim());
    }
    unpacked.map(drop)
}

/// Runs a program with an input and returns its output.
fn fed(command: &mut Command, input: &[u8]) -> Result<String> {
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = spawned.context("a program cannot be started")?;
    if let Some(mut pipe) = child.stdin.take() {
        pipe.write_all(input).context("a program does not read its input")?;
    }
    let done = child.wait_with_output().context("a program did not end")?;
    if !done.status.success() {
        bail!("a program failed");
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// Copies what a folder holds, if it is there, with owners of the target.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(to).with_context(|| format!("{} cannot be made", to.display()))?;
    output_of(Command::new("cp").arg("-R").arg(from.join(".")).arg(to)).map(drop)?;
    use std::os::unix::fs::MetadataExt;
    let parent = to.parent().unwrap_or(to);
    let owner = fs::metadata(parent).with_context(|| format!("no {}", parent.display()))?;
    let names = format!("{}:{}", owner.uid(), owner.gid());
    output_of(Command::new("chown").arg("-R").arg(names).arg(to)).map(drop)
}

/// A folder that holds a practice while it is packed or unpacked.
#[derive(Debug)]
struct Staging {
    folder: PathBuf,
}

impl Staging {
    fn make(layout: &Layout) -> Result<Self> {
        let folder = layout.operations().join("archive");
        if folder.exists() {
            fs::remove_dir_all(&folder).context("an interrupted move cannot be cleared away")?;
        }
        fs::create_dir_all(layout.operations()).context("no room for the archive")?;
        paths::create_private(&folder)?;
        Ok(Self { folder })
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            let error = anyhow::Error::from(error);
            output::problem(&error.context(format!("remove {}", self.folder.display())));
        }
    }
}

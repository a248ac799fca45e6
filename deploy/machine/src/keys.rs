//! `sukoon keys rotate`: new keys for signing tokens and for deriving codes, and every person stays
//! signed in. The steps, of which each can be interrupted and repeated:
//!
//! 1. The next signing key is made and published beside the current one.
//! 2. After the time for which others keep published keys, the next one becomes the current one.
//!    The former still verifies tokens.
//! 3. After the lifetime of an access token the former signing key is removed. The former code key
//!    stays until the next rotation, for codes and secrets that were given out.
use crate::certificates::Certificates;
use crate::clock;
use crate::healthz;
use crate::output;
use crate::paths::Paths;
use crate::process::Identity;
use crate::run_state;
use crate::secrets::{self, SecretStore};
use anyhow::{Context, Result, bail};
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The names of the signing key, its successor and its predecessor among the secrets.
const SIGNING: [&str; 3] =
    ["identity-signing", "identity-signing-next", "identity-signing-previous"];
/// The same of the code key.
const CODE: [&str; 3] =
    ["identity-code-key", "identity-code-key-next", "identity-code-key-previous"];
/// How long other services and caches keep the published keys.
const CACHED_SECONDS: u64 = 600;
/// How long the longest access token is valid.
const TOKEN_SECONDS: u64 = 3600;
/// How long identity may take to run again.
const RESTART_SECONDS: u64 = 60;

/// How far a rotation is, with the time of its last step in seconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
enum Progress {
    /// No rotation is under way.
    #[default]
    Finished,
    /// The next keys are published.
    Published { at: u64 },
    /// The next keys are the current ones.
    Switched { at: u64 },
}

/// The keys of a data folder and how far their rotation is.
#[derive(Debug)]
pub struct Rotation {
    folder: PathBuf,
    progress: Progress,
}

impl Rotation {
    /// Reads the state of a folder of secrets.
    pub fn open(folder: &Path) -> Result<Self> {
        let progress = match fs::read(file(folder)) {
            Ok(text) => {
                serde_json::from_slice(&text).context("the state of the keys is damaged")?
            }
            Err(_missing) => Progress::Finished,
        };
        Ok(Self { folder: folder.to_owned(), progress })
    }

    fn advance(&mut self, progress: Progress) -> Result<()> {
        secrets::write_private(&file(&self.folder), &serde_json::to_vec(&progress)?)?;
        self.progress = progress;
        Ok(())
    }

    /// Makes the next keys, if they are missing.
    fn make_next(&self) -> Result<()> {
        let mut store = SecretStore::open(&self.folder)?;
        store.private_key(SIGNING[1])?;
        store.get_or_create(CODE[1])?;
        Ok(())
    }

    /// Makes the next keys the current ones. Each key changes in one step or not at all, and a key
    /// that has changed is left alone when this is repeated.
    fn switch(&self) -> Result<()> {
        let mut store = SecretStore::open(&self.folder)?;
        if let Some(next) = store.get(CODE[1]) {
            let former = store.get(CODE[0]);
            store.set(&[(CODE[0], Some(next)), (CODE[1], None), (CODE[2], former)])?;
        }
        let [current, next, former] = SIGNING.map(|name| store.key_path(name));
        if next.is_file() {
            let pem = store.private_key(SIGNING[0])?;
            secrets::write_private(&former, pem.as_bytes())?;
            fs::rename(&next, &current).context("the next key cannot be moved")?;
        }
        Ok(())
    }

    /// Removes the former signing key when no token of it can be valid any more. Returns whether
    /// there was one to remove.
    pub fn finish_if_due(&mut self, now: u64) -> Result<bool> {
        let Progress::Switched { at } = self.progress else { return Ok(false) };
        if now < at + TOKEN_SECONDS {
            return Ok(false);
        }
        let former = SecretStore::open(&self.folder)?.key_path(SIGNING[2]);
        if former.is_file() {
            fs::remove_file(&former).context("the former key cannot be removed")?;
        }
        self.advance(Progress::Finished)?;
        Ok(true)
    }
}

fn file(folder: &Path) -> PathBuf {
    folder.join("key-rotation.json")
}

/// The settings of identity's keys as they are now, each the file of a key; `None` unsets one. They
/// are read at each start of the process, so that a rotation needs only a restart.
pub fn identity_settings(folder: &Path) -> Result<Vec<(String, Option<String>)>> {
    let mut store = SecretStore::open(folder)?;
    let optional = |name: &str, store: &SecretStore| {
        store.key_path(name).is_file().then(|| store.private_key(name)).transpose()
    };
    let next = optional(SIGNING[1], &store)?;
    let former = optional(SIGNING[2], &store)?;
    let settings = [
        ("IDENTITY_SIGNING_KEY", Some(store.private_key(SIGNING[0])?)),
        ("IDENTITY_SIGNING_KEY_NEXT", next),
        ("IDENTITY_SIGNING_KEY_PREVIOUS", former),
        ("IDENTITY_CODE_KEY", Some(store.get_or_create(CODE[0])?)),
        ("IDENTITY_CODE_KEY_PREVIOUS", store.get(CODE[2])),
    ];
    let file = |(name, value): &(&str, Option<String>)| {
        let path = match value {
            Some(value) => Some(store.setting_file("identity", name, value)?),
            None => store.remove_setting_file("identity", name).map(|()| None)?,
        };
        Ok((format!("{name}_FILE"), path.map(|path| path.to_string_lossy().into_owned())))
    };
    settings.iter().map(file).collect()
}

/// The words that sign links and files, and hash addresses.
const LINKS: [&str; 4] = [
    "booking-feed-key",
    "booking-consent-key",
    "notifications-address-key",
    "reviews-invitation-key",
];

/// New words for links, files and addresses; those before are accepted until this is repeated, so
/// that a repetition has to be meant.
pub fn renew_links(folder: &Path, end_previous: bool) -> Result<()> {
    let mut store = SecretStore::open(folder)?;
    if !end_previous && LINKS.iter().any(|word| store.get(&format!("{word}-previous")).is_some()) {
        bail!(
            "these keys were renewed before: another time ends every link, file and unsubscription \
             of the keys before. `sukoon keys renew-links --end-previous` does that"
        );
    }
    let changes = LINKS.map(|word| {
        let [new, former] = [Some(secrets::random_secret()), store.get(word)];
        ((word, new), (format!("{word}-previous"), former))
    });
    let all: Vec<(&str, Option<String>)> = changes
        .iter()
        .flat_map(|((word, new), (previous, former))| {
            [(*word, new.clone()), (previous.as_str(), former.clone())]
        })
        .collect();
    store.set(&all)?;
    output::step("the keys are new, and links and files of those before stay good");
    Ok(())
}

/// Runs the command on the practice of a data folder.
pub fn links(paths: &Paths, end_previous: bool) -> Result<ExitCode> {
    let folder = paths.data.join("secrets");
    if !folder.is_dir() {
        bail!("there is no practice in {}", paths.data.display());
    }
    renew_links(&folder, end_previous)?;
    output::line("The next start of the practice uses them.");
    Ok(ExitCode::SUCCESS)
}

/// New certificates for all processes, which take them without a restart, except PostgreSQL and
/// NATS, which show theirs until they start again.
pub fn renew_certificates(paths: &Paths) -> Result<ExitCode> {
    let certificates = Certificates::existing(&paths.data.join("secrets"));
    let certificates = certificates
        .context("this practice has no certificates; a start with SUKOON_TLS=true makes them")?;
    certificates.renew(Duration::ZERO)?;
    output::line("The certificates are new.");
    Ok(ExitCode::SUCCESS)
}

/// Runs the command, from wherever an earlier run of it stopped.
pub async fn rotate(paths: &Paths, at_once: bool) -> Result<ExitCode> {
    let folder = paths.data.join("secrets");
    if !folder.is_dir() {
        bail!("there is no practice in {}", paths.data.display());
    }
    let lock = File::create(folder.join("key-rotation.lock")).context("no lock can be made")?;
    if lock.try_lock().is_err() {
        bail!("the keys are being rotated already");
    }
    let mut rotation = Rotation::open(&folder)?;
    if rotation.finish_if_due(clock::now())? {
        restart_identity(paths).await?;
        output::line("The former signing key is removed. That ends the rotation.");
        return Ok(ExitCode::SUCCESS);
    }
    // A step is recorded after identity has read the keys, so that an interrupted one is repeated.
    if rotation.progress == Progress::Finished {
        rotation.make_next()?;
        restart_identity(paths).await?;
        rotation.advance(Progress::Published { at: clock::now() })?;
        output::step("the next signing key is published");
    }
    if let Progress::Published { at } = rotation.progress {
        let left = (at + CACHED_SECONDS).saturating_sub(clock::now());
        if left > 0 && !at_once {
            output::step(format_args!(
                "waiting {left} s, until all who keep the published keys have it; the command can \
                 be interrupted and run again, and `--now` does not wait"
            ));
            sleep(Duration::from_secs(left)).await;
        }
        rotation.switch()?;
        restart_identity(paths).await?;
        rotation.advance(Progress::Switched { at: clock::now() })?;
        output::step("the next key signs");
    }
    if let Progress::Switched { at } = rotation.progress {
        let left = (at + TOKEN_SECONDS).saturating_sub(clock::now()).div_ceil(60);
        output::line(format_args!(
            "The keys are new, and all sessions go on. The former signing key verifies tokens for \
             {left} more minutes. The next start of the practice after that removes it, and so \
             does this command."
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Restarts identity, so that it reads the keys; `sukoon up` starts it again at once. Without a
/// running practice there is nothing to do: the next start reads them.
async fn restart_identity(paths: &Paths) -> Result<()> {
    let Some(process) = running_identity(paths) else {
        output::step("the practice does not run; its next start reads the keys");
        return Ok(());
    };
    process.signal(Signal::TERM);
    let deadline = Instant::now() + Duration::from_secs(RESTART_SECONDS);
    loop {
        if running_identity(paths).is_some_and(|again| again != process)
            && publishes_keys(paths).await
        {
            return Ok(());
        }
        if Instant::now() >= deadline {
            bail!("identity does not run again; its log says why. Run the command again then");
        }
        sleep(Duration::from_millis(100)).await;
    }
}

/// The running process of identity.
fn running_identity(paths: &Paths) -> Option<Identity> {
    let part = run_state::previous_run(&paths.data).parts.remove("identity")?;
    part.process.filter(Identity::is_alive)
}

/// Whether identity's keys can be read, by way of the gateway: identity itself may take calls only
/// of our own services.
async fn publishes_keys(paths: &Paths) -> bool {
    let gateway = run_state::previous_run(&paths.data).parts.remove("gateway");
    let Some(port) = gateway.and_then(|part| part.ports.get("http").copied()) else { return false };
    let answer = healthz::get(port, "/auth/v1/.well-known/jwks.json").await;
    answer.is_some_and(|answer| answer.status == 200)
}

#[cfg(test)]
mod tests;

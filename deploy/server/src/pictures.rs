//! Backups of the pictures of reviews. A picture never changes and its name is drawn by chance, so
//! each is sealed once, by `age`; one that is gone from the practice goes from the backups later.
use super::layout::Layout;
use super::user::command_as_owner;
use anyhow::{Context, Result, bail};
use machine::process::output_of;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a picture that is gone stays in the backups: as long as a restore may go back.
const KEPT: Duration = Duration::from_secs(35 * 24 * 60 * 60);
/// What a sealed file's name ends with while the practice has the picture.
const SEALED: &str = ".age";
/// What it ends with once the practice has it no more.
const GONE: &str = ".gone";

/// How many pictures were sealed and how many were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// Newly in the backups, or newly restored.
    pub(crate) added: usize,
    /// No longer in the backups.
    pub(crate) removed: usize,
}

/// The key of the pictures' backups.
fn key(layout: &Layout) -> PathBuf {
    layout.backrest_secrets().join("pictures.key")
}

fn sealed_folder(layout: &Layout) -> PathBuf {
    layout.backups().join("pictures")
}

/// Makes the key, if there is none.
pub(crate) fn create_key(layout: &Layout) -> Result<()> {
    let key = key(layout);
    if key.is_file() {
        return Ok(());
    }
    let mut command = command_as_owner("age-keygen", &layout.backups())?;
    output_of(command.arg("-o").arg(&key)).map(drop).context("no key for pictures was made")
}

/// Seals the pictures that are not among the backups yet, and removes those that are long gone.
pub(crate) fn backup(layout: &Layout) -> Result<Changes> {
    let (pictures, sealed) = (layout.pictures(), sealed_folder(layout));
    let mut mkdir = command_as_owner("mkdir", &layout.backups())?;
    output_of(mkdir.args(["-p", "-m", "0700"]).arg(&sealed))?;
    let there: BTreeSet<String> = names(&pictures)?.into_iter().collect();
    let mut changes = Changes::default();
    for name in &there {
        let target = sealed.join(format!("{name}{SEALED}"));
        let gone = sealed.join(format!("{name}{GONE}"));
        if gone.is_file() {
            // A restore has brought it back.
            fs::rename(&gone, &target).context("a picture cannot be kept again")?;
        }
        if target.is_file() {
            continue;
        }
        let unfinished = sealed.join(format!("{name}.unfinished"));
        let mut age = command_as_owner("age", &layout.backups())?;
        age.arg("--encrypt").arg("--identity").arg(key(layout)).arg("--output").arg(&unfinished);
        // Who owns the backups need not be able to open the picture.
        let picture = File::open(pictures.join(name)).context("a picture cannot be read")?;
        output_of(age.stdin(picture))?;
        fs::rename(&unfinished, &target).context("a sealed picture cannot be put in its place")?;
        changes.added += 1;
    }
    for name in names(&sealed)? {
        let path = sealed.join(&name);
        if let Some(picture) = name.strip_suffix(SEALED).filter(|it| !there.contains(*it)) {
            // Its time counts from now on.
            output_of(command_as_owner("touch", &layout.backups())?.arg(&path))?;
            let gone = sealed.join(format!("{picture}{GONE}"));
            fs::rename(&path, gone).context("a picture that is gone cannot be marked")?;
        } else if name.ends_with(GONE) && is_older_than(&path, KEPT) {
            fs::remove_file(&path).context("an old picture cannot be removed from the backups")?;
            changes.removed += 1;
        }
    }
    Ok(changes)
}

/// Puts every picture back that the backups have and the practice has not.
pub(crate) fn restore(layout: &Layout, into: &Path) -> Result<Changes> {
    let sealed = sealed_folder(layout);
    let mut changes = Changes::default();
    if !sealed.is_dir() {
        return Ok(changes);
    }
    let owner = fs::metadata(into).context("there is no folder of pictures")?;
    for name in names(&sealed)? {
        let picture = name.strip_suffix(SEALED).or_else(|| name.strip_suffix(GONE));
        let Some(picture) = picture else { continue };
        let target = into.join(picture);
        if target.exists() {
            continue;
        }
        let mut age = command_as_owner("age", &layout.backups())?;
        age.arg("--decrypt").arg("--identity").arg(key(layout)).arg(sealed.join(&name));
        let file = File::create(&target).context("a picture cannot be written")?;
        chown(&target, Some(owner.uid()), Some(owner.gid())).context("a picture has no owner")?;
        let opened = age.stdout(file).status().context("age cannot be started")?;
        if !opened.success() {
            fs::remove_file(&target).context("half a picture cannot be removed")?;
            bail!("{name} cannot be opened");
        }
        changes.added += 1;
    }
    Ok(changes)
}

/// The files of a folder that lie directly in it, by name.
fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(names),
        Err(error) => {
            return Err(error).with_context(|| format!("{} cannot be read", folder.display()));
        }
    };
    for entry in entries {
        let entry = entry.context("a folder of pictures cannot be read")?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            bail!("{} is a folder among the pictures", entry.path().display());
        }
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn is_older_than(path: &Path, age: Duration) -> bool {
    let changed = fs::metadata(path).and_then(|found| found.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|passed| passed > age))
}

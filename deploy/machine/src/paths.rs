//! Paths: the checkout, the data folder, the unpacked packages, and the services' programs.
use crate::account::{self, DatabaseUser};
use crate::environment::Environment;
use anyhow::{Context, Result, bail};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folders from which all other paths are derived.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The root of the checkout that this program was built from.
    pub checkout: PathBuf,
    /// The folder of the practice's own files; by default the practice of the checkout.
    pub practice: PathBuf,
    /// The practice's data: databases, secrets, logs.
    pub data: PathBuf,
    /// The data of the shared test servers, deleted at each of their starts.
    pub test_data: PathBuf,
    /// The folder for packages that cannot be installed and are unpacked instead.
    pub packages: PathBuf,
    /// The folder of our own program, which also contains the services' programs.
    pub programs: PathBuf,
}

impl Paths {
    /// Derives all folders from the environment and creates none.
    pub fn find(environment: &Environment) -> Result<Self> {
        let program = std::env::current_exe().context("our own path is not known")?;
        let programs = program.parent().context("our own path has no folder")?.to_owned();
        let here = std::env::current_dir().context("the current folder is not known")?;
        let checkout = find_checkout(&programs)
            .or_else(|| find_checkout(&here))
            .context("start Sukoon inside its checkout: no folder with deploy/local was found")?;
        let home = default_data_folder(&checkout, account::is_root());
        let given = |name: &str| {
            let folder = here.join(environment.get(name)?);
            Some(fs::canonicalize(&folder).unwrap_or(folder))
        };
        // A link is not resolved, so that changing the link changes the practice.
        let practice = environment.get("PRACTICE_DIR").map(|folder| here.join(folder));
        Ok(Self {
            practice: practice.unwrap_or_else(|| shipped_practice(&checkout)),
            data: given("SUKOON_DATA").unwrap_or_else(|| home.clone()),
            test_data: given("SUKOON_TEST_DATA")
                .or_else(|| in_memory(&checkout))
                .unwrap_or_else(|| home.join("test")),
            packages: home.join("packages"),
            checkout,
            programs,
        })
    }
}

/// The practice that comes with the checkout.
pub fn shipped_practice(checkout: &Path) -> PathBuf {
    checkout.join("deploy/local/practice")
}

fn find_checkout(from: &Path) -> Option<PathBuf> {
    let is_checkout = |folder: &&Path| {
        folder.join("Cargo.toml").is_file() && folder.join("deploy/local").is_dir()
    };
    from.ancestors().find(is_checkout).map(Path::to_owned)
}

/// `.local` in the checkout; for root a folder that the database user can enter as well.
fn default_data_folder(checkout: &Path, root: bool) -> PathBuf {
    if !root {
        return checkout.join(".local");
    }
    Path::new("/var/tmp").join(format!("sukoon-{}", short_digest(checkout)))
}

/// A few digits that differ from checkout to checkout.
fn short_digest(checkout: &Path) -> String {
    let digest = Sha256::digest(checkout.as_os_str().as_encoded_bytes());
    format!("{:.12}", HEXLOWER.encode(&digest))
}

/// Where systems keep files in memory; some have no such folder.
const MEMORY: &str = "/dev/shm";
/// How many bytes have to be free there for the tests' databases; they take a fraction of it.
const MEMORY_FREE_MIN: u64 = 4 << 30;

/// A folder in memory for the tests' databases, if there is room. A database consists of three
/// hundred files, and each test makes and drops one: some file systems take more time for that than
/// the test does.
fn in_memory(checkout: &Path) -> Option<PathBuf> {
    let there = rustix::fs::statvfs(MEMORY).ok()?;
    let has_room = there.f_bavail.saturating_mul(there.f_frsize) >= MEMORY_FREE_MIN;
    let user = rustix::process::geteuid().as_raw();
    let name = format!("sukoon-test-{user}-{}", short_digest(checkout));
    has_room.then(|| Path::new(MEMORY).join(name))
}

/// Creates a folder that others may traverse but not list. Refuses a folder of another user: every
/// user can write to `/var/tmp`, so another user may have created it.
pub fn create_traversable(folder: &Path) -> Result<()> {
    let shown = folder.display();
    DirBuilder::new()
        .recursive(true)
        .mode(0o711)
        .create(folder)
        .with_context(|| format!("the folder {shown} cannot be created"))?;
    let found = fs::symlink_metadata(folder).with_context(|| format!("{shown} cannot be read"))?;
    if found.uid() != rustix::process::geteuid().as_raw() || !found.is_dir() {
        bail!(
            "the folder {shown} belongs to someone else; set SUKOON_DATA to a folder of your own"
        );
    }
    Ok(())
}

/// Creates a folder that only its owner may enter.
pub fn create_private(folder: &Path) -> Result<()> {
    let shown = folder.display();
    fs::create_dir_all(folder).with_context(|| format!("the folder {shown} cannot be created"))?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
        .with_context(|| format!("the folder {shown} cannot be closed to others"))
}

/// Fails with one sentence when the database user cannot enter the data folder.
pub fn check_access(folder: &Path, user: Option<&DatabaseUser>) -> Result<()> {
    let Some(user) = user else { return Ok(()) };
    let entered = Command::new("/bin/sh")
        .args(["-c", "cd \"$1\"", "sh"])
        .arg(folder)
        .uid(user.uid)
        .gid(user.gid)
        .current_dir("/")
        .stderr(Stdio::null())
        .status()
        .context("/bin/sh cannot be started")?;
    if !entered.success() {
        bail!(
            "PostgreSQL refuses to run as root and its user {} cannot enter {}: set SUKOON_DATA \
             to a folder that everyone may pass through, for example below /var/tmp",
            user.name,
            folder.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_user_keeps_data_in_the_checkout_and_root_outside() {
        let checkout = Path::new("/home/asha/sukoon");
        assert_eq!(default_data_folder(checkout, false), checkout.join(".local"));
        let for_root = default_data_folder(checkout, true);
        assert!(for_root.starts_with("/var/tmp"));
        assert_ne!(for_root, default_data_folder(Path::new("/home/asha/other"), true));
    }

    #[test]
    fn a_practice_of_ones_own_is_found_from_where_the_command_was_given() {
        let found = |given: &str| {
            let environment = Environment::from([("PRACTICE_DIR", given)]);
            Paths::find(&environment).unwrap().practice
        };
        assert_eq!(found("mine"), std::env::current_dir().unwrap().join("mine"));
        assert_eq!(found("/srv/mine"), Path::new("/srv/mine"));
        assert!(found("").ends_with("deploy/local/practice"));
    }

    #[test]
    fn a_folder_that_is_really_a_link_is_refused() {
        let link = std::env::temp_dir().join(format!("sukoon-link-{}", std::process::id()));
        std::os::unix::fs::symlink("/tmp", &link).unwrap();
        let refused = create_traversable(&link).unwrap_err();
        fs::remove_file(&link).unwrap();
        assert!(refused.to_string().contains("someone else"));
    }
}

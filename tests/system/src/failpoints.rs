//! The failpoints of a practice: which places its processes have passed, and where they are to die.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::pause::wait_for;
use crate::practice::Practice;

/// How often deaths are looked for.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The folder that processes look into; it goes away with this value.
#[derive(Debug)]
pub struct Failpoints {
    folder: PathBuf,
}

impl Failpoints {
    /// A new folder.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn new() -> Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::SeqCst);
        let name = format!("sukoon-failpoints-{}-{count}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        for part in ["seen", "arm", "died"] {
            std::fs::create_dir_all(folder.join(part))?;
        }
        Ok(Self { folder })
    }

    /// The setting that makes a practice look here.
    ///
    /// # Errors
    /// When the folder's name is not text.
    pub fn setting(&self) -> Result<(&str, &str)> {
        Ok(("FAILPOINTS_DIR", self.folder.to_str().context("no text")?))
    }

    /// Every place that was passed.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn seen(&self) -> Result<BTreeSet<String>> {
        names(&self.folder.join("seen"))
    }

    /// Where a process is still to die.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn armed(&self) -> Result<BTreeSet<String>> {
        names(&self.folder.join("arm"))
    }

    /// Where a process has died.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn died(&self) -> Result<BTreeSet<String>> {
        names(&self.folder.join("died"))
    }

    /// Lets the next process die that passes this place.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn arm(&self, name: &str) -> Result<()> {
        Ok(std::fs::write(self.folder.join("arm").join(name), "")?)
    }

    /// Ends the leases of processes that have died here, for as long as it is awaited. A timer's
    /// lease outlives its process by 25 seconds; to wait for that at each of some hundred places
    /// would show nothing that the first did not. The tests that kill otherwise do wait.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub async fn end_leases_of_the_dead(&self, practice: &Practice) -> Result<()> {
        let mut known = self.died()?;
        loop {
            wait_for(LOOK_EVERY).await;
            let died = self.died()?;
            let services = died.difference(&known).filter_map(|name| name.split('.').next());
            for service in services.collect::<BTreeSet<_>>() {
                // Its successor needs longer than this to start, so no lease is a living one's.
                let mut database = practice.database(service).await?;
                sqlx::query("update timers set lease_until_at = '-infinity'")
                    .execute(&mut database)
                    .await?;
                if service == "notifications" {
                    // What the mail server may have taken without anybody writing it down.
                    let on_their_way: i64 =
                        sqlx::query_scalar("select count(*) from mails where state = 'sending'")
                            .fetch_one(&mut database)
                            .await?;
                    practice.witness.mails_may_repeat(usize::try_from(on_their_way)?);
                }
            }
            known = died;
        }
    }

    /// Lets nobody die there any more.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn disarm_all(&self) -> Result<()> {
        for name in self.armed()? {
            // One that was claimed meanwhile is gone already.
            std::fs::remove_file(self.folder.join("arm").join(name)).ok();
        }
        Ok(())
    }
}

impl Drop for Failpoints {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

fn names(folder: &Path) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(folder)? {
        names.insert(entry?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

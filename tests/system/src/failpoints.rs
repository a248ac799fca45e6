//! The failpoints of a practice: which ones its processes have passed, and at which ones they are
//! to die.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::pause::wait_for;
use crate::practice::{Practice, STORES};

/// How often the folder is read for deaths.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The folder that processes read; it is deleted when this value is dropped.
#[derive(Debug)]
pub struct Failpoints {
    folder: PathBuf,
}

impl Failpoints {
    /// A new folder.
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

    /// The setting that makes a practice use this folder.
    ///
    /// # Errors
    /// When the folder's name is not text.
    pub fn setting(&self) -> Result<(&str, &str)> {
        Ok(("FAILPOINTS_DIR", self.folder.to_str().context("no text")?))
    }

    /// Every failpoint that was passed.
    pub fn seen(&self) -> Result<BTreeSet<String>> {
        names(&self.folder.join("seen"))
    }

    /// Every failpoint that is armed.
    pub fn armed(&self) -> Result<BTreeSet<String>> {
        names(&self.folder.join("arm"))
    }

    /// Every failpoint at which a process has died.
    pub fn died(&self) -> Result<BTreeSet<String>> {
        names(&self.folder.join("died"))
    }

    /// Arms a failpoint: the next process that passes it dies.
    pub fn arm(&self, name: &str) -> Result<()> {
        Ok(std::fs::write(self.folder.join("arm").join(name), "")?)
    }

    /// Ends the leases of processes that have died at failpoints, until it is dropped. A timer's
    /// lease outlives its process by 25 seconds; waiting for that at each of hundreds of failpoints
    /// would test nothing more. Tests with other kills do wait.
    pub async fn end_leases_of_dead_processes(&self, practice: &Practice) -> Result<()> {
        let mut known = self.died()?;
        loop {
            wait_for(POLL_INTERVAL).await;
            let died = self.died()?;
            let services = died.difference(&known).filter_map(|name| name.split('.').next());
            let mut services: BTreeSet<&str> = services.collect();
            if !services.is_empty() && practice.is_one_process()? {
                // With one service all have died, whatever they were about.
                services.extend(STORES);
            }
            for service in services {
                // The next process takes longer than this to start, so no lease belongs to a
                // running one. Where it has started, what it has locked is no dead process's.
                let database = practice.pool(service)?;
                sqlx::query(
                    "update timers set lease_until_at = '-infinity' where timer_id in (
                         select timer_id from timers where lease_until_at > clock_timestamp()
                         for update skip locked)",
                )
                .execute(&database)
                .await?;
                if service == "notifications" {
                    // Mails that the server may have accepted before that was recorded.
                    let being_sent: i64 =
                        sqlx::query_scalar("select count(*) from mails where state = 'sending'")
                            .fetch_one(&database)
                            .await?;
                    practice.recorder.allow_mail_repeats(usize::try_from(being_sent)?);
                }
            }
            known = died;
        }
    }

    /// Disarms all failpoints.
    pub fn disarm_all(&self) -> Result<()> {
        for name in self.armed()? {
            // One that a process has just claimed is gone already.
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

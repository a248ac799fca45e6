//! What the gateway's process takes of the machine.

use std::fs;

use anyhow::{Context as _, Result};
use system::Practice;

/// Open files that may differ: connections to services come and go.
const FILES_MORE: usize = 20;

/// The state of the gateway's process.
#[derive(Debug)]
pub(super) struct Observation {
    /// Open files, connections among them.
    pub(super) files: usize,
    /// The most memory that it ever had, in MiB.
    pub(super) memory_mib_max: f64,
}

impl Observation {
    /// Looks at the process.
    ///
    /// # Errors
    /// When there is none.
    pub(super) fn of(practice: &Practice) -> Result<Self> {
        let pid = practice.pid("gateway")?;
        let files = fs::read_dir(format!("/proc/{pid}/fd"))?.count();
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let memory_mib_max = highest(&status).context("the process states no memory")?;
        Ok(Self { files, memory_mib_max })
    }

    /// Whether nothing of an attack is left.
    pub(super) fn has_as_few_files_as(&self, before: &Self) -> bool {
        self.files <= before.files + FILES_MORE
    }
}

fn highest(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u32 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(f64::from(kibibytes) / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::highest;

    #[test]
    fn the_highest_memory_is_read() {
        assert_eq!(highest("VmPeak: 9000 kB\nVmHWM:\t   2048 kB\nVmRSS: 1 kB\n"), Some(2.0));
        assert_eq!(highest(""), None);
    }
}

//! How much memory processes take: their proportional share (PSS), so that what several share is
//! counted once.

use std::fs;

use anyhow::{Context as _, Result};
use serde_json::Value;
use system::Practice;

/// Our programs. The sandbox plays third parties and is no part of a practice.
const OURS: [&str; 7] =
    ["booking", "catalogue", "gateway", "identity", "notifications", "payments", "reviews"];

/// What a running practice takes, in MiB.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    /// Our programs and `sukoon`, which keeps them running.
    pub(crate) ours: f64,
    /// The same with PostgreSQL, all of its processes, and NATS.
    pub(crate) all: f64,
    /// Each part in words.
    pub(crate) parts: String,
}

impl Memory {
    /// What it takes now.
    pub(crate) fn of(practice: &Practice) -> Result<Self> {
        let mut parts = Vec::new();
        let record = practice.record()?;
        let supervisor = record.get("sukoon").and_then(|it| it.get("pid")).and_then(Value::as_u64);
        parts.push(("sukoon", pss(supervisor.context("sukoon has no process")?)?));
        for name in OURS {
            parts.push((name, pss(practice.pid(name)?)?));
        }
        let ours = parts.iter().map(|(_name, size)| size).sum::<f64>();
        let server = practice.pid("postgres")?;
        let mut postgres = pss(server)?;
        for child in children(server)? {
            // One that has just ended takes nothing.
            postgres += pss(child).unwrap_or_default();
        }
        parts.push(("postgres", postgres));
        parts.push(("nats", pss(practice.pid("nats")?)?));
        let all = parts.iter().map(|(_name, size)| size).sum();
        let parts: Vec<String> =
            parts.iter().map(|(name, size)| format!("{name} {size:.1}")).collect();
        Ok(Self { ours, all, parts: parts.join(", ") })
    }
}

/// The share of one process in MiB.
///
/// # Errors
/// When it has ended.
pub(crate) fn pss(pid: u64) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))
        .with_context(|| format!("the memory of process {pid} cannot be read"))?;
    let kibibytes = read_pss(&text).with_context(|| format!("process {pid} states no memory"))?;
    Ok(f64::from(kibibytes) / 1024.0)
}

fn read_pss(rollup: &str) -> Option<u32> {
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// The processes that a process has started and that still run.
///
/// # Errors
/// When the list of processes cannot be read.
pub(crate) fn children(parent: u64) -> Result<Vec<u64>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        if parent_of(&stat) == Some(parent) {
            found.push(pid);
        }
    }
    Ok(found)
}

/// The name in parentheses may hold spaces, so fields are counted from behind it.
fn parent_of(stat: &str) -> Option<u64> {
    let (_name, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_read_and_not_what_is_called_alike() {
        let rollup = "5600-7fff ---p 00000000 [rollup]\nRss:   9000 kB\nPss:   2048 kB\n\
                      Pss_Anon:   1000 kB\n";
        assert_eq!(read_pss(rollup), Some(2048));
        assert_eq!(read_pss("Rss: 1 kB\n"), None);
    }

    #[test]
    fn a_parent_is_found_behind_any_name() {
        assert_eq!(parent_of("17 (postgres: a ) b) S 4 17 17 0"), Some(4));
        assert_eq!(parent_of(""), None);
    }

    #[test]
    fn this_process_takes_some() {
        assert!(pss(u64::from(std::process::id())).unwrap() > 0.1);
    }
}

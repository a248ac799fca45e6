//! What processes have taken of the processors, from /proc.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context as _, Result};

use crate::memory::children;

/// What /proc counts in: Linux fixes it for programs, whatever its own clock is.
const TICKS_PER_SECOND: f64 = 100.0;

/// Processes with the name under which each is counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Processes {
    alone: Vec<(&'static str, u64)>,
    /// The server of PostgreSQL, with a process for each connection.
    postgres: Option<u64>,
}

/// Seconds of processor by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CpuTime(pub(super) BTreeMap<&'static str, f64>);

impl Processes {
    /// These, and all of the PostgreSQL server.
    pub(super) fn new(alone: Vec<(&'static str, u64)>, postgres: u64) -> Self {
        Self { alone, postgres: Some(postgres) }
    }

    /// What they have taken since they were started.
    ///
    /// # Errors
    /// When one of them has ended.
    pub(super) fn cpu(&self) -> Result<CpuTime> {
        let mut seconds: BTreeMap<&'static str, f64> = BTreeMap::new();
        for (name, pid) in &self.alone {
            *seconds.entry(*name).or_default() += ticks(*pid)?.own;
        }
        if let Some(server) = self.postgres {
            let mut all = ticks(server)?;
            for child in children(server)? {
                // One that has just ended is counted by its parent the next time.
                all.own += ticks(child).map(|it| it.own).unwrap_or_default();
            }
            *seconds.entry("postgres").or_default() += all.own + all.of_children;
        }
        let seconds = seconds.into_iter().map(|(name, it)| (name, it / TICKS_PER_SECOND));
        Ok(CpuTime(seconds.collect()))
    }
}

impl CpuTime {
    /// What was taken since an earlier reading, less what the same processes take at rest.
    pub(super) fn since(&self, before: &Self, at_rest: &Self) -> Self {
        let taken = |(name, seconds): (&&'static str, &f64)| {
            let of = |other: &Self| other.0.get(name).copied().unwrap_or_default();
            (*name, (seconds - of(before) - of(at_rest)).max(0.0))
        };
        Self(self.0.iter().map(taken).collect())
    }

    /// Each divided by a number.
    pub(super) fn divided(&self, by: f64) -> Self {
        Self(self.0.iter().map(|(name, seconds)| (*name, seconds / by)).collect())
    }

    /// All of it.
    pub(super) fn total(&self) -> f64 {
        self.0.values().sum()
    }

    /// Of one name.
    pub(super) fn of(&self, name: &str) -> f64 {
        self.0.get(name).copied().unwrap_or_default()
    }
}

/// Ticks of the clock of a process, and of its children that have ended.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ticks {
    own: f64,
    of_children: f64,
}

fn ticks(pid: u64) -> Result<Ticks> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))
        .with_context(|| format!("process {pid} has ended"))?;
    read_ticks(&stat).with_context(|| format!("process {pid} does not say what it has taken"))
}

/// The name in parentheses may hold spaces, so fields are counted from behind it.
fn read_ticks(stat: &str) -> Option<Ticks> {
    let (_name, fields) = stat.rsplit_once(')')?;
    let mut numbers = fields.split_whitespace().skip(11).map(|it| it.parse::<f64>().ok());
    let mut pair = || Some(numbers.next()?? + numbers.next()??);
    Some(Ticks { own: pair()?, of_children: pair()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_user_and_system_are_added_and_children_are_apart() {
        let stat = "17 (a ) b) S 4 17 17 0 -1 4194304 1 2 3 4 100 20 30 4 20 0 1 0 5";
        assert_eq!(read_ticks(stat), Some(Ticks { own: 120.0, of_children: 34.0 }));
        assert_eq!(read_ticks("17 (a) S 4"), None);
    }

    #[test]
    fn what_is_taken_at_rest_does_not_count() {
        let time = |seconds| CpuTime(BTreeMap::from([("booking", seconds)]));
        let taken = time(12.0).since(&time(9.0), &time(1.0));
        assert_eq!(taken, time(2.0));
        assert_eq!((taken.divided(4.0).of("booking"), taken.total()), (0.5, 2.0));
        assert_eq!(time(1.0).since(&time(1.0), &time(1.0)), time(0.0));
    }

    #[test]
    fn this_process_has_taken_some() {
        let own = Processes { alone: vec![("own", u64::from(std::process::id()))], postgres: None };
        assert!(own.cpu().unwrap().total() >= 0.0);
    }
}

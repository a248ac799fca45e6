//! What was found, what could not be judged, and how much was looked at.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Value, json};

use crate::violation::{Invariant, Violation};

/// How many violations of one invariant are named; the others are counted.
const NAMED_MAX: usize = 1_000;

/// The result of a check.
#[derive(Debug, Clone, Default)]
pub struct Report {
    found: BTreeMap<Invariant, BrokenInvariant>,
    /// What could not be judged, in sentences.
    pub unjudged: Vec<String>,
    /// What waits for a person, in sentences. It breaks nothing.
    pub tasks: Vec<String>,
    /// What earlier releases have left and the upgrade mends, in sentences, or what it has mended.
    /// It breaks nothing.
    pub mends: Vec<String>,
    /// Whether the practice was left by a release before those mends.
    pub(crate) is_before_mends: bool,
    /// How many bookings were looked at.
    pub bookings: usize,
    /// How many events were looked at.
    pub events: usize,
}

/// What is wrong with one invariant.
#[derive(Debug, Clone, Default)]
struct BrokenInvariant {
    named: Vec<String>,
    unnamed: usize,
}

impl Report {
    /// Adds what was found.
    pub(crate) fn add(&mut self, violations: Vec<Violation>) {
        for violation in violations {
            if self.is_before_mends && violation.is_mended_by_upgrade {
                self.mends.push(format!("{}, which the upgrade mends", violation.what));
                continue;
            }
            let broken = self.found.entry(violation.invariant).or_default();
            if broken.named.len() < NAMED_MAX {
                broken.named.push(violation.what);
            } else {
                broken.unnamed += 1;
            }
        }
    }

    /// Whether all invariants hold, as far as they could be judged.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.found.is_empty()
    }

    /// The invariants that are broken.
    #[must_use]
    pub fn broken(&self) -> Vec<Invariant> {
        self.found.keys().copied().collect()
    }

    /// What was found of an invariant.
    #[must_use]
    pub fn of(&self, invariant: Invariant) -> &[String] {
        self.found.get(&invariant).map_or(&[], |broken| broken.named.as_slice())
    }

    /// The same for programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let broken = self.found.iter().map(|(invariant, broken)| {
            json!({
                "invariant": format!("{invariant:?}"),
                "means": invariant.sentence(),
                "found": broken.named,
                "further": broken.unnamed,
            })
        });
        json!({
            "sound": self.is_sound(),
            "bookings": self.bookings,
            "events": self.events,
            "broken": broken.collect::<Vec<_>>(),
            "unjudged": self.unjudged,
            "tasks": self.tasks,
            "mends": self.mends,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bookings, events, .. } = self;
        writeln!(f, "{bookings} bookings and {events} events were checked.")?;
        for (invariant, broken) in &self.found {
            writeln!(f, "broken: {invariant:?}, {}", invariant.sentence())?;
            for what in &broken.named {
                writeln!(f, "  {what}")?;
            }
            if broken.unnamed > 0 {
                writeln!(f, "  and {} more", broken.unnamed)?;
            }
        }
        for what in &self.tasks {
            writeln!(f, "for a person: {what}")?;
        }
        for what in &self.mends {
            writeln!(f, "left by an earlier release: {what}")?;
        }
        for what in &self.unjudged {
            writeln!(f, "not judged: {what}")?;
        }
        match self.found.len() {
            0 => writeln!(f, "All that could be judged is as it must be."),
            1 => writeln!(f, "One of {} invariants is broken.", Invariant::ALL.len()),
            some => writeln!(f, "{some} of {} invariants are broken.", Invariant::ALL.len()),
        }
    }
}

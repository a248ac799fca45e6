//! Whether what a run left behind keeps the invariants I1 to I9. The checker reads what can be read
//! from outside, decides nothing and knows nothing of how the run went.
//!
//! `tests/system` fills a [`Snapshot`] from real databases; the simulator fills one from its model.

mod acknowledgements;
mod confirmations;
mod duplicates;
mod history;
mod ledger;
mod log;
mod mail;
mod money;
pub(crate) mod overlap;
mod projection;
mod receipts;
pub mod snapshot;
mod unfinished;

use std::fmt;

pub use snapshot::Snapshot;
pub use unfinished::{HumanTask, human_tasks};

use history::History;

/// What must always be true. `tests/simulation/README.md` lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invariant {
    /// Nothing that was acknowledged is lost.
    I1,
    /// No two live sessions of a practitioner overlap.
    I2,
    /// Money closes: captured is kept for one live booking or went back.
    I3,
    /// Once: one capture kept, one refund for each cause, one receipt for the money of a booking.
    I4,
    /// No booking is confirmed without its money.
    I5,
    /// No mail is missing, and repeats are the injected ones, with one Message-ID.
    I6,
    /// Everything is over, under way with a timer of its own, or a person's task.
    I7,
    /// Streams and feeds have no holes and keep their order.
    I8,
    /// The rows are the fold of the events.
    I9,
}

impl Invariant {
    /// All of them.
    pub const ALL: [Self; 9] =
        [Self::I1, Self::I2, Self::I3, Self::I4, Self::I5, Self::I6, Self::I7, Self::I8, Self::I9];
}

/// Something that must never be true and was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Which invariant is broken.
    pub invariant: Invariant,
    /// How, with the ids that it concerns.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.invariant, self.what)
    }
}

/// The violations of one invariant, as they are found.
struct Finding {
    invariant: Invariant,
    violations: Vec<Violation>,
}

impl Finding {
    fn of(invariant: Invariant) -> Self {
        Self { invariant, violations: Vec::new() }
    }

    fn add(&mut self, what: String) {
        self.violations.push(Violation { invariant: self.invariant, what });
    }
}

/// Everything that is wrong with what a run left behind; nothing, when all invariants hold.
///
/// The run has to be over: faults are healed, and nothing is under way but what waits for its time.
#[must_use]
pub fn check(snapshot: &Snapshot) -> Vec<Violation> {
    let history = History::read(snapshot);
    let mut all = log::check(snapshot);
    let unreadable = history.unreadable.iter().cloned();
    all.extend(unreadable.map(|what| Violation { invariant: Invariant::I8, what }));
    all.extend(acknowledgements::check(snapshot, &history));
    all.extend(overlap::check(snapshot, &history));
    all.extend(money::check(snapshot, &history));
    all.extend(duplicates::check(snapshot, &history));
    all.extend(receipts::check(snapshot, &history));
    all.extend(confirmations::check(snapshot, &history));
    all.extend(mail::check(snapshot, &history));
    all.extend(unfinished::check(snapshot, &history));
    all.extend(projection::check(snapshot, &history));
    all
}

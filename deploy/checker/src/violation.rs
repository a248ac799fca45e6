//! Invariants, and what was found to break them.

use std::fmt;

/// What must always be true. `deploy/checker/README.md` lists them.
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
    /// What it says, as a part of a sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::I1 => "nothing that was acknowledged is lost",
            Self::I2 => "no two live sessions overlap",
            Self::I3 => "money closes with the provider's book and in the ledger",
            Self::I4 => "no capture, refund or receipt is there twice",
            Self::I5 => "nothing is confirmed without its money",
            Self::I6 => "no mail is missing or dropped that is owed",
            Self::I7 => "what is not over has a timer that is not late, or is a person's task",
            Self::I8 => "streams and feeds have no hole and keep their order",
            Self::I9 => "the rows are the fold of the events",
        }
    }

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
    /// Whether the upgrade to this release mends it, once, where an earlier one has left it.
    pub is_mended_by_upgrade: bool,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.invariant, self.what)
    }
}

/// The violations of one invariant, as they are found.
pub(crate) struct Finding {
    invariant: Invariant,
    /// What was found.
    pub(crate) violations: Vec<Violation>,
}

impl Finding {
    /// None yet.
    pub(crate) fn of(invariant: Invariant) -> Self {
        Self { invariant, violations: Vec::new() }
    }

    /// Adds what is wrong, with the ids that it concerns.
    pub(crate) fn add(&mut self, what: String) {
        let invariant = self.invariant;
        self.violations.push(Violation { invariant, what, is_mended_by_upgrade: false });
    }

    /// The same of what earlier releases have left, and the upgrade mends.
    pub(crate) fn add_mended_by_upgrade(&mut self, what: String) {
        let invariant = self.invariant;
        self.violations.push(Violation { invariant, what, is_mended_by_upgrade: true });
    }
}

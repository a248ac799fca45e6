//! What the checker says of a practice after a run with faults, counted as lost, double and
//! unresolved.

use anyhow::Result;
use checker::snapshot::Snapshot;
use checker::{HumanTask, Invariant, Violation, check, human_tasks};

use crate::practice::Practice;

/// The counts of a run.
#[derive(Debug, Default)]
pub struct Verdict {
    /// How much was acknowledged.
    pub acknowledged: usize,
    /// Violations of I1 and I6: what was acknowledged and is not there.
    pub lost: usize,
    /// Violations of I2, I4 and I5, and mails that came twice.
    pub double: usize,
    /// All other violations, and what did not end.
    pub unresolved: usize,
    /// A description of everything that was wrong.
    pub details: Vec<String>,
}

impl Verdict {
    /// Reads the state of a practice that is idle, and judges it. `wrong` is what the run itself
    /// has found.
    pub async fn of(practice: &Practice, wrong: Vec<String>) -> Result<Self> {
        Ok(Self::of_snapshot(&practice.snapshot().await?, wrong))
    }

    /// The same for a state that was read already.
    #[must_use]
    pub fn of_snapshot(snapshot: &Snapshot, mut wrong: Vec<String>) -> Self {
        let mut details = Vec::new();
        for task in human_tasks(snapshot) {
            // No fault parks an event, so a parked event is a defect.
            match task {
                HumanTask::EventParked(what) => wrong.push(format!("parked: {what}")),
                HumanTask::RefundFailed(what) => {
                    details.push(format!("for a person: refund {what}"));
                }
                HumanTask::OwedAtDesk(what) => details.push(format!("to be given back: {what}")),
                HumanTask::MailFailed(what) => details.push(format!("for a person: mail {what}")),
            }
        }
        let violations = check(snapshot);
        let is_repeat =
            |it: &&Violation| it.invariant == Invariant::I6 && it.what.contains("twice");
        let repeats = violations.iter().filter(is_repeat).count();
        let count = |wanted: &[Invariant]| {
            violations.iter().filter(|it| wanted.contains(&it.invariant)).count()
        };
        let lost = count(&[Invariant::I1, Invariant::I6]) - repeats;
        let double = count(&[Invariant::I2, Invariant::I4, Invariant::I5]) + repeats;
        let open = count(&[Invariant::I3, Invariant::I7, Invariant::I8, Invariant::I9]);
        let unresolved = open + wrong.len();
        details.extend(wrong);
        details.extend(violations.iter().map(Violation::to_string));
        Self { acknowledged: snapshot.acks.len(), lost, double, unresolved, details }
    }

    /// Takes out what a drill knows to be so, and counts it.
    pub(crate) fn take_known(&mut self, is_known: impl Fn(&str) -> bool) -> usize {
        let known = self.details.extract_if(.., |what| is_known(what));
        let known: Vec<String> = known.collect();
        let of_loss = known.iter().filter(|it| it.starts_with("I1") || it.starts_with("I6"));
        let lost = of_loss.count();
        self.lost = self.lost.saturating_sub(lost);
        self.unresolved = self.unresolved.saturating_sub(known.len() - lost);
        known.len()
    }

    /// Whether nothing is lost, double or unresolved.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.lost == 0 && self.double == 0 && self.unresolved == 0
    }
}

//! Chooses the next kind of fault: drawn from a shuffled set, so that each kind occurs as often as
//! its weight says.

use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    Failpoint,
    Kill,
    KillAll,
    PostgresStopped,
    CommitKilled,
    NatsKilled,
    NatsWiped,
    Zombie,
    Drops,
    Smtp,
    Provider,
    Webhook,
    SecondProcess,
    Amounts,
    Restore,
}

impl FaultKind {
    /// Its name in the report.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Failpoint => "failpoint",
            Self::Kill => "kill",
            Self::KillAll => "kill all",
            Self::PostgresStopped => "postgres stopped",
            Self::CommitKilled => "commit killed",
            Self::NatsKilled => "nats killed",
            Self::NatsWiped => "nats wiped",
            Self::Zombie => "zombie",
            Self::Drops => "dropped requests",
            Self::Smtp => "smtp",
            Self::Provider => "provider",
            Self::Webhook => "webhook",
            Self::SecondProcess => "two relays",
            Self::Amounts => "other amounts",
            Self::Restore => "restore",
        }
    }
}

/// How often each kind is in the set: cheap faults more often.
const WEIGHTS: [(FaultKind, usize); 15] = [
    (FaultKind::Failpoint, 20),
    (FaultKind::Kill, 10),
    (FaultKind::KillAll, 3),
    (FaultKind::PostgresStopped, 4),
    (FaultKind::CommitKilled, 10),
    (FaultKind::NatsKilled, 3),
    (FaultKind::NatsWiped, 3),
    (FaultKind::Zombie, 4),
    (FaultKind::Drops, 10),
    (FaultKind::Smtp, 8),
    (FaultKind::Provider, 12),
    (FaultKind::Webhook, 8),
    (FaultKind::SecondProcess, 4),
    (FaultKind::Amounts, 4),
    (FaultKind::Restore, 1),
];

/// Kinds that are drawn until none is left, and then shuffled again.
#[derive(Debug, Default)]
pub(super) struct ShuffledKinds {
    remaining: Vec<FaultKind>,
}

impl ShuffledKinds {
    pub(super) fn draw(&mut self, rng: &mut StdRng) -> FaultKind {
        if self.remaining.is_empty() {
            let all = WEIGHTS.iter().flat_map(|(kind, count)| std::iter::repeat_n(*kind, *count));
            self.remaining = all.collect();
            self.remaining.shuffle(rng);
            // Every kind is drawn once before any is drawn twice, so that a short run has all of
            // them.
            self.remaining.extend(WEIGHTS.iter().rev().map(|(kind, _)| *kind));
            let first = self.remaining.len() - WEIGHTS.len();
            self.remaining.get_mut(first..).unwrap_or_default().shuffle(rng);
        }
        self.remaining.pop().unwrap_or(FaultKind::Kill)
    }
}

/// The names of all kinds.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    WEIGHTS.iter().map(|(kind, _)| kind.name())
}

//! Chooses the next kind of fault: drawn from a shuffled set, so that each kind occurs as often as
//! its weight says.

use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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

impl Kind {
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
const CARDS: [(Kind, usize); 15] = [
    (Kind::Failpoint, 20),
    (Kind::Kill, 10),
    (Kind::KillAll, 3),
    (Kind::PostgresStopped, 4),
    (Kind::CommitKilled, 10),
    (Kind::NatsKilled, 3),
    (Kind::NatsWiped, 3),
    (Kind::Zombie, 4),
    (Kind::Drops, 10),
    (Kind::Smtp, 8),
    (Kind::Provider, 12),
    (Kind::Webhook, 8),
    (Kind::SecondProcess, 4),
    (Kind::Amounts, 4),
    (Kind::Restore, 1),
];

/// Kinds that are drawn until none is left, and then shuffled again.
#[derive(Debug, Default)]
pub(super) struct Deck {
    cards: Vec<Kind>,
}

impl Deck {
    pub(super) fn draw(&mut self, dice: &mut StdRng) -> Kind {
        if self.cards.is_empty() {
            let all = CARDS.iter().flat_map(|(kind, count)| std::iter::repeat_n(*kind, *count));
            self.cards = all.collect();
            self.cards.shuffle(dice);
            // Every kind is drawn once before any is drawn twice, so that a short run has all of
            // them.
            self.cards.extend(CARDS.iter().rev().map(|(kind, _)| *kind));
            let first = self.cards.len() - CARDS.len();
            self.cards.get_mut(first..).unwrap_or_default().shuffle(dice);
        }
        self.cards.pop().unwrap_or(Kind::Kill)
    }
}

/// The names of all kinds.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    CARDS.iter().map(|(kind, _)| kind.name())
}

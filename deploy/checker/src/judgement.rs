//! What is wrong with a snapshot.

use crate::history::History;
use crate::snapshot::Snapshot;
use crate::violation::{Invariant, Violation};
use crate::{
    acknowledgements, confirmations, duplicates, log, mail, money, overlap, projection, receipts,
    unfinished,
};

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
    all.extend(money::entries(snapshot));
    all.extend(duplicates::own_orders(snapshot));
    all.extend(receipts::numbers(snapshot));
    all.extend(mail::inbox(snapshot));
    all.extend(unfinished::late(snapshot));
    all
}

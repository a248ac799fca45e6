//! What is wrong with a snapshot: all of it, or the bookings of a part.

use crate::history::History;
use crate::scope::Scope;
use crate::sessions::Sessions;
use crate::snapshot::Snapshot;
use crate::times::Times;
use crate::violation::{Finding, Invariant, Violation};
use crate::{
    acknowledgements, cancellations, confirmations, duplicates, log, mail, money, overlap,
    projection, promises, proposals, receipts, refund_requests, unfinished,
};

/// Everything that is wrong with what a run left behind; nothing, when all invariants hold.
///
/// The run has to be over: faults are healed, and nothing is under way but what waits for its time.
#[must_use]
pub fn check(snapshot: &Snapshot) -> Vec<Violation> {
    let history = History::read(snapshot);
    let mut all = log::check(snapshot);
    let (times, in_days) = overlap::days(&history);
    all.extend(in_days);
    all.extend(acknowledgements::check(snapshot, &history));
    let mut sessions = Sessions::default();
    all.extend(check_part(snapshot, &history, (&times, &Scope::All), &mut sessions));
    let mut found = Finding::of(Invariant::I2);
    sessions.check(&mut found);
    all.extend(found.violations);
    all.extend(sessions.graces.check());
    all.extend(overlap::rows(&snapshot.booking.reservations));
    all.extend(money::entries(snapshot));
    all.extend(duplicates::own_orders(snapshot));
    all.extend(receipts::numbers(snapshot));
    all.extend(mail::inbox(snapshot));
    all.extend(unfinished::late(snapshot));
    all
}

/// What is wrong with the bookings of a part of a practice, each looked at by itself. The snapshot
/// holds everything about these bookings, and the times and the sessions are those of all.
pub(crate) fn check_part(
    snapshot: &Snapshot,
    history: &History,
    place: (&Times, &Scope),
    sessions: &mut Sessions,
) -> Vec<Violation> {
    let unreadable = history.unreadable.iter().cloned();
    let mut found = Finding::of(Invariant::I8);
    unreadable.for_each(|what| found.add(what));
    let mut all = found.violations;
    all.extend(overlap::bookings(snapshot, history, place, sessions));
    all.extend(money::check(snapshot, history));
    all.extend(duplicates::check(snapshot, history));
    all.extend(receipts::check(snapshot, history));
    all.extend(refund_requests::check(snapshot, history));
    all.extend(confirmations::check(snapshot, history));
    all.extend(mail::check(snapshot, history));
    all.extend(promises::check(snapshot, history));
    all.extend(cancellations::check(history));
    all.extend(proposals::check(history));
    sessions.graces.take_in(history);
    all.extend(unfinished::check(snapshot, history));
    all.extend(projection::check(snapshot, history, place));
    all
}

//! I3: a client gets grace as often as the booking's policy says, over all bookings. Uses are
//! collected from all parts of a practice and compared at the end.

use booking::domain::booking::{Event, PendingCancellation};
use kernel::id::{Booking, Customer};
use kernel::{Grace, Id, Timestamp};

use crate::history::{History, HistoryEvent};
use crate::violation::{Finding, Invariant, Violation};

/// The minutes of the shortest month, so that whatever counts here counts in every calendar.
const MONTH_MINUTES: i64 = 28 * 24 * 60;

/// The sessions that were cancelled with grace.
#[derive(Debug, Default)]
pub(crate) struct Graces(Vec<Use>);

#[derive(Debug, Clone, Copy)]
struct Use {
    booking: Id<Booking>,
    owner: Owner,
    grace: Option<Grace>,
    decided_at: Timestamp,
    at: Timestamp,
}

/// Whose a booking is, and whose it became.
#[derive(Debug, Clone, Copy)]
struct Owner {
    first: Id<Customer>,
    later: Option<(Timestamp, Id<Customer>)>,
}

impl Owner {
    fn at(&self, moment: Timestamp) -> Id<Customer> {
        let later = self.later.filter(|(since, _)| *since <= moment);
        later.map_or(self.first, |(_, customer)| customer)
    }
}

impl Graces {
    /// Adds those of a part.
    pub(crate) fn take_in(&mut self, history: &History) {
        for (id, past) in &history.bookings {
            self.of_booking(*id, past);
        }
    }

    fn of_booking(&mut self, booking: Id<Booking>, past: &[HistoryEvent<Event>]) {
        let facts = past.iter().find_map(|it| match &it.event {
            Event::Requested { facts, .. } => Some(facts),
            _ => None,
        });
        let Some(facts) = facts else { return };
        let later = past.iter().find_map(|it| match &it.event {
            Event::Adopted { customer_id } => Some((it.at, *customer_id)),
            _ => None,
        });
        let owner = Owner { first: facts.customer_id, later };
        let grace = facts.policy.as_ref().and_then(|policy| policy.grace());
        let mut pending: Option<PendingCancellation> = None;
        for it in past {
            match &it.event {
                Event::CancellationRequested(asked) => pending = Some(*asked),
                Event::CancellationUndone => pending = None,
                Event::SessionCancelled { by_grace: true, .. }
                | Event::Cancelled { by_grace: true, .. } => {
                    let decided_at = pending.map_or(it.at, |pending| pending.asked_at);
                    self.0.push(Use { booking, owner, grace, decided_at, at: it.at });
                }
                _ => {}
            }
        }
    }

    /// Compares all uses.
    pub(crate) fn check(mut self) -> Vec<Violation> {
        let mut found = Finding::of(Invariant::I3);
        self.0.sort_by_key(|it| (it.decided_at, it.booking));
        for (index, one) in self.0.iter().enumerate() {
            let Some(grace) = one.grace else { continue };
            let client = one.owner.at(one.decided_at);
            let counts = |other: &&Use| {
                other.owner.at(one.decided_at) == client
                    && other.at.plus_minutes(i64::from(grace.months) * MONTH_MINUTES)
                        > one.decided_at
            };
            let before = self.0.iter().take(index).filter(counts).count();
            if before >= usize::from(grace.times) {
                let booking = one.booking;
                found.add(format!("{booking} was cancelled with grace that was used up"));
            }
        }
        found.violations
    }
}

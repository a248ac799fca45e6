//! I3: a client whose session the practice can't hold loses nothing. Until another time is chosen
//! a cancellation of it gives back all of its share, and it is neither held nor marked.

use std::collections::BTreeSet;

use booking::domain::booking::{Event, Facts, MoveProposal};
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use crate::history::{History, HistoryEvent};
use crate::violation::{Finding, Invariant, Violation};

/// Goes through all proposals.
pub(crate) fn check(history: &History) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I3);
    for (id, past) in &history.bookings {
        let mut known = Displaced::default();
        for it in past {
            known.take_in(*id, it, &mut found);
        }
    }
    found.violations
}

/// What a cancelled session gives back.
#[derive(Debug, Clone, Copy)]
struct Given {
    session: usize,
    share: i64,
    refund: i64,
}

/// What a booking's events have said so far.
#[derive(Debug, Default)]
struct Displaced {
    facts: Option<Facts>,
    open: Option<MoveProposal>,
    /// The sessions that ended without a choice.
    lapsed: BTreeSet<usize>,
}

impl Displaced {
    fn take_in(&mut self, id: Id<Booking>, it: &HistoryEvent<Event>, found: &mut Finding) {
        match &it.event {
            Event::Requested { facts, .. } => self.facts = Some(facts.clone()),
            Event::MoveProposed(proposal) => self.open = Some(*proposal),
            Event::MoveProposalWithdrawn { session, .. } => self.end(*session),
            Event::Moved { number, .. } => {
                if self.lapsed.contains(number) {
                    found.add(format!("session {number} of {id} was moved after it had lapsed"));
                }
                self.end(*number);
            }
            Event::SessionCancelled { number, share, refund, .. } => {
                let sum = Given { session: *number, share: share.minor, refund: refund.minor };
                self.cancelled(id, sum, it.at, found);
            }
            Event::Cancelled { refund, .. } if self.is_single() => {
                let price = self.facts.as_ref().map_or(0, |facts| facts.price.minor);
                let sum = Given { session: 1, share: price, refund: refund.minor };
                self.cancelled(id, sum, it.at, found);
            }
            Event::SessionCompleted { number, .. } => self.held(id, *number, found),
            Event::Completed if self.is_single() => self.held(id, 1, found),
            Event::AttendanceMarked { number, .. } if self.is_displaced(*number) => {
                let what = "was marked, and the practice could not hold it";
                found.add(format!("session {number} of {id} {what}"));
            }
            _ => {}
        }
    }

    fn is_single(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.package.is_none())
    }

    fn is_open(&self, session: usize) -> bool {
        self.open.is_some_and(|proposal| proposal.session == session)
    }

    fn is_displaced(&self, session: usize) -> bool {
        self.is_open(session) || self.lapsed.contains(&session)
    }

    fn end(&mut self, session: usize) {
        self.open = self.open.filter(|proposal| proposal.session != session);
    }

    fn cancelled(
        &mut self,
        id: Id<Booking>,
        Given { session, share, refund }: Given,
        at: Timestamp,
        found: &mut Finding,
    ) {
        let Some(proposal) = self.open.filter(|proposal| proposal.session == session) else {
            return;
        };
        if refund != share {
            let what = "could not be held, and not all of it goes back";
            found.add(format!("session {session} of {id} {what}: {refund} of {share}"));
        }
        if proposal.choose_until <= at {
            self.lapsed.insert(session);
        }
        self.end(session);
    }

    fn held(&mut self, id: Id<Booking>, session: usize, found: &mut Finding) {
        if self.is_open(session) {
            let what = "counts as held, and the practice could not hold it";
            found.add(format!("session {session} of {id} {what}"));
        }
        self.end(session);
    }
}

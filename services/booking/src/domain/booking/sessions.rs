//! The decisions about a package whose sessions end one by one, and what follows for the booking.

use kernel::Timestamp;

use super::cancellation::{Cancellation, CancelledBy, GivenBack, Share};
use super::ended_sessions::{EndedSessions, SessionEnd};
use super::facts::Facts;
use super::model::{ConfirmationBasis, Event, Rejection, State};

/// Adds what an event says of a session.
pub(super) fn evolve(ended: &mut EndedSessions, event: &Event) {
    match event {
        Event::SessionCompleted { number, .. } => ended.insert(*number, SessionEnd::Completed),
        Event::SessionCancelled { number, refund, .. } => {
            ended.insert(*number, SessionEnd::Cancelled { refund: *refund });
        }
        Event::Requested { .. }
        | Event::CheckoutOpened { .. }
        | Event::Confirmed { .. }
        | Event::Paid { .. }
        | Event::MeetingScheduled { .. }
        | Event::Expired
        | Event::Released
        | Event::Cancelled { .. }
        | Event::CancellationRequested(_)
        | Event::CancellationUndone
        | Event::Moved { .. }
        | Event::MoveProposed(_)
        | Event::MoveProposalWithdrawn { .. }
        | Event::Unplaced { .. }
        | Event::Adopted { .. }
        | Event::PageRequested { .. }
        | Event::ConsentCodeRequested { .. }
        | Event::PageCodeRequested { .. }
        | Event::AttendanceMarked { .. }
        | Event::Completed => {}
    }
}

/// A package that is placed, with its sessions.
pub(super) struct PlacedPackage<'s> {
    pub(super) facts: &'s Facts,
    pub(super) basis: &'s ConfirmationBasis,
    pub(super) ended: &'s EndedSessions,
}

impl<'s> PlacedPackage<'s> {
    /// The package of a state, unless it is a single session, not placed, or over.
    pub(super) fn of(state: &'s State) -> Option<Self> {
        match state {
            State::Confirmed { facts, basis, ended }
            | State::MeetingScheduled { facts, basis, ended, .. } => {
                facts.package.as_ref().map(|_| Self { facts, basis, ended })
            }
            State::Absent
            | State::Held { .. }
            | State::AwaitingPayment { .. }
            | State::Completed { .. }
            | State::Expired { .. }
            | State::Released { .. }
            | State::Cancelled { .. }
            | State::PaidUnplaced { .. } => None,
        }
    }

    /// Completes the sessions whose end has passed, and with the last one the booking.
    pub(super) fn complete(&self, now: Timestamp) -> Vec<Event> {
        let events = self.due(now);
        if events.is_empty() { events } else { self.conclude(events, None) }
    }

    /// Cancels one session, or all that have not ended, each by the policy with its share.
    pub(super) fn cancel(
        &self,
        cancellation: &Cancellation,
        now: Timestamp,
    ) -> Result<Vec<Event>, Rejection> {
        let session = cancellation.session;
        if session.is_some_and(|number| self.facts.session(number).is_none()) {
            return Err(Rejection::SessionUnknown);
        }
        if session.is_some_and(|number| self.ended.is_cancelled(number)) {
            return Ok(Vec::new());
        }
        let mut events = self.due(now);
        let over = self.after(&events);
        let is_meant = |number: &usize| {
            session.is_none_or(|wanted| wanted == *number) && over.get(*number).is_none()
        };
        let meant: Vec<usize> = self.facts.numbers().filter(is_meant).collect();
        if meant.is_empty() {
            return Err(Rejection::NotCancellable);
        }
        let mut left = cancellation.grace_left;
        for number in meant {
            let share = self.facts.share(number);
            let starts_at = self.facts.session(number).map(|session| session.starts_at());
            let of_session = Share { amount: share, starts_at };
            let GivenBack { refund, by_grace } = if self.ended.is_displaced(number) {
                GivenBack::whole(share)
            } else {
                cancellation.given_back(of_session, self.facts, now, left)
            };
            left = left.saturating_sub(u16::from(by_grace));
            events.push(Event::SessionCancelled {
                number,
                by: cancellation.by,
                share,
                refund,
                unpaid: *self.basis == ConfirmationBasis::Claim,
                with_all: false,
                by_grace,
            });
        }
        Ok(self.conclude(events, Some(cancellation.by)))
    }

    fn due(&self, now: Timestamp) -> Vec<Event> {
        let has_ended = |number: &usize| {
            self.facts.session(*number).is_some_and(|session| session.ends_at() <= now)
        };
        self.facts
            .numbers()
            .filter(|number| self.ended.get(*number).is_none())
            .filter(|number| !self.ended.is_displaced(*number))
            .filter(has_ended)
            .map(|number| Event::SessionCompleted { number, share: self.facts.share(number) })
            .collect()
    }

    fn after(&self, events: &[Event]) -> EndedSessions {
        let mut after = self.ended.clone();
        events.iter().for_each(|event| evolve(&mut after, event));
        after
    }

    /// Adds the booking's own end, once all of its sessions have ended: it is completed if one of
    /// them took place.
    fn conclude(&self, mut events: Vec<Event>, cancelled_by: Option<CancelledBy>) -> Vec<Event> {
        let after = self.after(&events);
        if self.facts.numbers().any(|number| after.get(number).is_none()) {
            return events;
        }
        match (cancelled_by, after.refund()) {
            (Some(by), Some(refund)) if !after.has_completed() => {
                let unpaid = *self.basis == ConfirmationBasis::Claim;
                for event in &mut events {
                    if let Event::SessionCancelled { with_all, .. } = event {
                        *with_all = true;
                    }
                }
                events.push(Event::Cancelled { by, refund, unpaid, by_grace: false });
            }
            _ => events.push(Event::Completed),
        }
        events
    }
}

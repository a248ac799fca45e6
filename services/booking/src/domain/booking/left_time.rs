//! What becomes of the time of a session that the practice can't hold.

use kernel::id::{Block, Booking};
use kernel::{Id, Timestamp};
use uuid::Uuid;

use super::effects::{Effect, Timer, effects};
use super::model::{Event, State};
use super::proposal::MoveProposal;
use crate::domain::day;
use crate::domain::span::Span;

/// The time of a session for which the practice asks for another one, before a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProposedTime {
    booking_id: Id<Booking>,
    proposal: MoveProposal,
    span: Span,
}

impl ProposedTime {
    /// That of a booking; `None` without a proposal.
    #[must_use]
    pub fn of(state: &State) -> Option<Self> {
        let (facts, proposal) = (state.facts()?, state.move_proposal()?);
        let span = facts.session(proposal.session)?;
        Some(Self { booking_id: facts.booking_id, proposal, span })
    }

    /// The closed time that it becomes.
    #[must_use]
    pub fn block_id(&self) -> Id<Block> {
        let MoveProposal { number, session, starts_at, .. } = self.proposal;
        let name = format!("{session} {} {number}", starts_at.micros());
        Id::from_uuid(Uuid::new_v5(&self.booking_id.uuid(), name.as_bytes()))
    }

    /// The same effect, but the session leaves a closed time.
    fn closing(self, effect: Effect) -> Effect {
        match effect {
            Effect::Day { session, command: day::Command::Cancel { booking_id }, whose }
                if session == self.span =>
            {
                let command = day::Command::Close { booking_id, block_id: self.block_id() };
                Effect::Day { session, command, whose }
            }
            other @ (Effect::Day { .. } | Effect::SetTimer { .. } | Effect::EndTimer(_)) => other,
        }
    }
}

/// What follows from a whole decision. `before` is the time that was proposed before it: a session
/// that leaves it in the same decision leaves it closed, so that it is never offered, unless the
/// proposal says otherwise.
#[must_use]
pub fn follow(
    before: Option<ProposedTime>,
    state: &State,
    events: &[Event],
    now: Timestamp,
) -> Vec<Effect> {
    let mut all: Vec<Effect> = events.iter().flat_map(|event| effects(state, event, now)).collect();
    let Some(left) = before.filter(|_| state.move_proposal().is_none()) else { return all };
    // Where staff have moved it by less than its length to the same practitioner's day, the time
    // is taken by the session itself.
    let is_overlapped = |effect: &Effect| match effect {
        Effect::Day { command: day::Command::Place { span, .. }, .. } => left.span.overlaps(span),
        Effect::Day { .. } | Effect::SetTimer { .. } | Effect::EndTimer(_) => false,
    };
    let stays = |event: &Event| !matches!(event, Event::Moved { practitioner: Some(_), .. });
    let is_taken = all.iter().any(is_overlapped) && events.iter().all(stays);
    if !left.proposal.opens_again && !is_taken {
        all = all.into_iter().map(|effect| left.closing(effect)).collect();
    }
    all.push(Effect::EndTimer(Timer::ProposalEnd));
    all
}

//! The decisions about moves: a session gets another time, or another practitioner, and everything
//! else of the booking stays.

use kernel::Timestamp;

use super::ended_sessions::{Attendance, EndedSessions};
use super::facts::Facts;
use super::model::{Event, Rejection, State};
use super::move_request::{MoveRequest, MovedBy};
use crate::domain::span::Span;

/// A session that may be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Movable {
    /// Its number, from 1.
    pub number: usize,
    /// When it is.
    pub span: Span,
    /// Until when its client can move it.
    pub until: Timestamp,
    /// How often its client can still move it.
    pub left: u16,
    /// Whether the practice can't hold it, so that its own time is none to choose from.
    pub leaves_closed: bool,
}

impl Movable {
    /// The session of a request, if it may be moved now.
    ///
    /// # Errors
    /// `SessionUnknown`, `NotMovable`, `CancellationPending`, and for the client itself
    /// `MoveTooLate` or `MovedTooOften`.
    pub fn of(state: &State, request: &MoveRequest, now: Timestamp) -> Result<Self, Rejection> {
        let (facts, ended) = placed(state)?;
        let MoveRequest { number, by, unwritten, practitioner_id: _ } = request;
        let span = facts.session(*number).ok_or(Rejection::SessionUnknown)?;
        let is_open = ended.get(*number).is_none()
            && ended.attendance(*number) == Attendance::Unmarked
            && now < span.ends_at();
        if !is_open {
            return Err(Rejection::NotMovable);
        }
        if ended.pending.is_some() {
            return Err(Rejection::CancellationPending);
        }
        let limits = facts.policy(unwritten).moves();
        let until = span.starts_at().plus_minutes(-60 * i64::from(limits.until_hours));
        let left = limits.times.saturating_sub(ended.own_moves(*number));
        // Where the practice asks for another time, no limit counts but its own.
        let displaced = ended.proposal.filter(|proposal| proposal.session == *number);
        let until = displaced.map_or(until, |proposal| proposal.choose_until);
        let left = if displaced.is_some() { left.max(1) } else { left };
        match by {
            MovedBy::Customer if now > until => Err(Rejection::MoveTooLate),
            MovedBy::Customer if left == 0 => Err(Rejection::MovedTooOften),
            MovedBy::Customer | MovedBy::CustomerAsked | MovedBy::Practice => {
                let leaves_closed = displaced.is_some_and(|proposal| !proposal.opens_again);
                Ok(Self { number: *number, span, until, left, leaves_closed })
            }
        }
    }
}

/// The session gets the time `to`, if it is at the time that was shown. `shown` is its start.
pub(super) fn relocate(
    state: &State,
    request: &MoveRequest,
    shown: Timestamp,
    to: Span,
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    let (facts, ended) = placed(state)?;
    let practitioner = request.practitioner_id.clone().filter(|it| *it != facts.practitioner_id);
    // Asked once more.
    if facts.session(request.number) == Some(to) && practitioner.is_none() {
        return Ok(Vec::new());
    }
    let Movable { number, span: from, leaves_closed, .. } = Movable::of(state, request, now)?;
    if from.starts_at() != shown {
        return Err(Rejection::ChangedSince);
    }
    if !stays_in_order(facts, number, to) {
        return Err(Rejection::OutOfOrder);
    }
    if practitioner.is_some() && facts.sessions.len() > 1 {
        return Err(Rejection::KeepsPractitioner);
    }
    let is_own = request.by == MovedBy::Customer;
    // The practice can't hold the session then.
    if is_own && leaves_closed && from.overlaps(&to) {
        return Err(Rejection::SlotTaken);
    }
    // What a client chooses because the practice has asked is the practice's move.
    let by = if is_own && ended.is_displaced(number) { MovedBy::Practice } else { request.by };
    let move_number = ended.moves(number).saturating_add(1);
    Ok(vec![Event::Moved { number, from, to, by, move_number, practitioner }])
}

/// The sessions of a package are numbered by their starts, which stay in order.
fn stays_in_order(facts: &Facts, number: usize, to: Span) -> bool {
    let before = number.checked_sub(1).and_then(|before| facts.session(before));
    let after = facts.session(number.saturating_add(1));
    before.is_none_or(|before| before.ends_at() <= to.starts_at())
        && after.is_none_or(|after| to.ends_at() <= after.starts_at())
}

pub(super) fn placed(state: &State) -> Result<(&Facts, &EndedSessions), Rejection> {
    match state {
        State::Confirmed { facts, ended, .. } | State::MeetingScheduled { facts, ended, .. } => {
            Ok((facts, ended))
        }
        State::Absent => Err(Rejection::Absent),
        State::Held { .. }
        | State::AwaitingPayment { .. }
        | State::Completed { .. }
        | State::Expired { .. }
        | State::Released { .. }
        | State::Cancelled { .. }
        | State::PaidUnplaced { .. } => Err(Rejection::NotMovable),
    }
}

/// The same state after a move, or with a proposal or without it.
pub(super) fn evolve(mut state: State, event: &Event) -> State {
    if let Event::Moved { number, to, practitioner, .. } = event
        && let Some(facts) = state.facts_mut()
    {
        if let Some(session) = facts.session_mut(*number) {
            *session = *to;
        }
        if let Some(practitioner) = practitioner {
            practitioner.clone_into(&mut facts.practitioner_id);
        }
    }
    if let State::Confirmed { ended, .. } | State::MeetingScheduled { ended, .. } = &mut state {
        if let Event::Moved { number, by, .. } = event {
            ended.count_move(*number, *by == MovedBy::Customer);
            ended.end_proposal(*number);
        }
        if let Event::MoveProposed(proposal) = event {
            ended.propose(*proposal);
        }
        if let Event::MoveProposalWithdrawn { session, .. } = event {
            ended.end_proposal(*session);
        }
    }
    // Another practitioner has another room.
    let is_handed_over = matches!(event, Event::Moved { practitioner: Some(_), .. });
    if is_handed_over && let State::MeetingScheduled { facts, basis, ended, .. } = state {
        return State::Confirmed { facts, basis, ended };
    }
    state
}

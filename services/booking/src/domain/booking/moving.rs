//! The decisions about moves: a session gets another time of its practitioner, and everything else
//! of the booking stays.

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
}

impl Movable {
    /// The session of a request, if it may be moved now.
    ///
    /// # Errors
    /// `SessionUnknown`, `NotMovable`, `CancellationPending`, and for the client itself
    /// `MoveTooLate` or `MovedTooOften`.
    pub fn of(state: &State, request: &MoveRequest, now: Timestamp) -> Result<Self, Rejection> {
        let (facts, ended) = placed(state)?;
        let MoveRequest { number, by, unwritten } = request;
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
        match by {
            MovedBy::Customer if now > until => Err(Rejection::MoveTooLate),
            MovedBy::Customer if left == 0 => Err(Rejection::MovedTooOften),
            MovedBy::Customer | MovedBy::CustomerAsked | MovedBy::Practice => {
                Ok(Self { number: *number, span, until, left })
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
    // Asked once more.
    if facts.session(request.number) == Some(to) {
        return Ok(Vec::new());
    }
    let Movable { number, span: from, .. } = Movable::of(state, request, now)?;
    if from.starts_at() != shown {
        return Err(Rejection::ChangedSince);
    }
    if !stays_in_order(facts, number, to) {
        return Err(Rejection::OutOfOrder);
    }
    let move_number = ended.moves(number).saturating_add(1);
    Ok(vec![Event::Moved { number, from, to, by: request.by, move_number }])
}

/// The sessions of a package are numbered by their starts, which stay in order.
fn stays_in_order(facts: &Facts, number: usize, to: Span) -> bool {
    let before = number.checked_sub(1).and_then(|before| facts.session(before));
    let after = facts.session(number.saturating_add(1));
    before.is_none_or(|before| before.ends_at() <= to.starts_at())
        && after.is_none_or(|after| to.ends_at() <= after.starts_at())
}

fn placed(state: &State) -> Result<(&Facts, &EndedSessions), Rejection> {
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

/// The same state with a session at its new time.
pub(super) fn evolve(mut state: State, number: usize, to: Span, by: MovedBy) -> State {
    if let Some(session) = state.facts_mut().and_then(|facts| facts.session_mut(number)) {
        *session = to;
    }
    if let State::Confirmed { ended, .. } | State::MeetingScheduled { ended, .. } = &mut state {
        ended.count_move(number, by == MovedBy::Customer);
    }
    state
}

//! The practice can't hold a session at its time and asks its client to choose another one. The
//! session keeps its time until then, and the client loses nothing, chosen or not.

use kernel::{CancellationPolicy, Timestamp};

use super::cancellation::{Cancellation, CancelledBy, RefundChoice};
use super::cancelling::cancel;
use super::model::{Event, Rejection, State};
use super::moving::placed;
use super::proposal::{MoveProposal, ProposedMove};

/// So long before its start a session has to have its other time, in minutes.
const CHOSEN_BEFORE_MINUTES: i64 = 24 * 60;
/// Where the practice asks later than this before the start, a time can be chosen until the start.
const ASKED_BEFORE_MINUTES: i64 = 36 * 60;

/// Until when a time can be chosen in place of one that starts then.
fn choose_until(starts_at: Timestamp, now: Timestamp) -> Timestamp {
    let is_early = now <= starts_at.plus_minutes(-ASKED_BEFORE_MINUTES);
    if is_early { starts_at.plus_minutes(-CHOSEN_BEFORE_MINUTES) } else { starts_at }
}

/// The practice asks for another time of a session.
pub(super) fn propose(
    state: &State,
    asked: ProposedMove,
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    let (facts, ended) = placed(state)?;
    let ProposedMove { session, shown, opens_again } = asked;
    let span = facts.session(session).ok_or(Rejection::SessionUnknown)?;
    let starts_at = span.starts_at();
    match ended.proposal {
        Some(open) if open.session == session && starts_at == shown => return Ok(Vec::new()),
        Some(open) if open.session != session => return Err(Rejection::MoveProposed),
        Some(_) | None => {}
    }
    if ended.get(session).is_some() || starts_at <= now {
        return Err(Rejection::NotMovable);
    }
    if ended.pending.is_some() {
        return Err(Rejection::CancellationPending);
    }
    if starts_at != shown {
        return Err(Rejection::ChangedSince);
    }
    Ok(vec![Event::MoveProposed(MoveProposal {
        number: ended.proposals.saturating_add(1),
        session,
        starts_at,
        choose_until: choose_until(starts_at, now),
        opens_again,
    })])
}

/// The session takes place at its time after all. A cancellation under way has promised what only a
/// proposal gives.
pub(super) fn withdraw(state: &State, now: Timestamp) -> Result<Vec<Event>, Rejection> {
    let (_facts, ended) = placed(state)?;
    let open = ended.proposal.filter(|proposal| now < proposal.choose_until);
    let MoveProposal { session, number, .. } = open.ok_or(Rejection::NoMoveProposal)?;
    if ended.pending.is_some() {
        return Err(Rejection::CancellationPending);
    }
    Ok(vec![Event::MoveProposalWithdrawn { session, number }])
}

/// No time was chosen: the practice cancels the session, as of the moment until which one could be.
pub(super) fn lapse(state: &State, unwritten: CancellationPolicy, now: Timestamp) -> Vec<Event> {
    let due = state.move_proposal().filter(|proposal| proposal.choose_until <= now);
    let Some(MoveProposal { session, choose_until, .. }) = due else { return Vec::new() };
    let (by, refund) = (CancelledBy::Practice, RefundChoice::ByPolicy);
    let cancellation =
        Cancellation { by, refund, session: Some(session), unwritten, grace_left: 0 };
    cancel(state, &cancellation, choose_until).unwrap_or_default()
}

//! The events of moves and of the practice's proposals, and who wanted a move.

use contract::booking::v1 as wire;
use contract::convert::to_wire;

use super::times::{instant, read_number, span, wire_number};
use crate::domain::booking::{Event, MoveProposal, MovedBy};

/// A move, as it is stored; nothing of another event.
pub(super) fn write(booking_id: String, event: &Event) -> wire::BookingMoved {
    let Event::Moved { number, from, to, by, move_number, practitioner } = event else {
        return wire::BookingMoved::default();
    };
    let moved_by = match by {
        MovedBy::Customer => wire::MovedBy::Customer,
        MovedBy::CustomerAsked => wire::MovedBy::CustomerAsked,
        MovedBy::Practice => wire::MovedBy::Practice,
    };
    wire::BookingMoved {
        booking_id,
        session_number: wire_number(*number),
        previous_starts_at: Some(to_wire(from.starts_at())),
        previous_ends_at: Some(to_wire(from.ends_at())),
        starts_at: Some(to_wire(to.starts_at())),
        ends_at: Some(to_wire(to.ends_at())),
        moved_by: moved_by.into(),
        move_number: (*move_number).into(),
        practitioner_id: practitioner.clone().unwrap_or_default(),
    }
}

pub(super) fn read(event: wire::BookingMoved) -> Option<Event> {
    Some(Event::Moved {
        number: read_number(event.session_number)?,
        from: span(event.previous_starts_at, event.previous_ends_at)?,
        to: span(event.starts_at, event.ends_at)?,
        by: read_moved_by(event.moved_by)?,
        move_number: u16::try_from(event.move_number).ok()?,
        practitioner: Some(event.practitioner_id).filter(|id| !id.is_empty()),
    })
}

/// A proposal, as it is stored.
pub(super) fn proposed(booking_id: String, proposal: MoveProposal) -> wire::BookingMoveProposed {
    wire::BookingMoveProposed {
        booking_id,
        session_number: wire_number(proposal.session),
        starts_at: Some(to_wire(proposal.starts_at)),
        choose_until_at: Some(to_wire(proposal.choose_until)),
        opens_again: proposal.opens_again,
        proposal_number: proposal.number.into(),
    }
}

/// That it was withdrawn, as it is stored.
pub(super) fn withdrawn(
    booking_id: String,
    session: usize,
    number: u16,
) -> wire::BookingMoveProposalWithdrawn {
    let (session_number, proposal_number) = (wire_number(session), number.into());
    wire::BookingMoveProposalWithdrawn { booking_id, session_number, proposal_number }
}

pub(super) fn read_proposed(event: &wire::BookingMoveProposed) -> Option<Event> {
    Some(Event::MoveProposed(MoveProposal {
        number: u16::try_from(event.proposal_number).ok()?,
        session: read_number(event.session_number)?,
        starts_at: instant(event.starts_at)?,
        choose_until: instant(event.choose_until_at)?,
        opens_again: event.opens_again,
    }))
}

pub(super) fn read_withdrawn(event: &wire::BookingMoveProposalWithdrawn) -> Option<Event> {
    let session = read_number(event.session_number)?;
    let number = u16::try_from(event.proposal_number).ok()?;
    Some(Event::MoveProposalWithdrawn { session, number })
}

/// Reads who wanted a session moved; `None` when unspecified.
#[must_use]
pub fn read_moved_by(by: i32) -> Option<MovedBy> {
    match wire::MovedBy::try_from(by).ok()? {
        wire::MovedBy::Unspecified => None,
        wire::MovedBy::Customer => Some(MovedBy::Customer),
        wire::MovedBy::CustomerAsked => Some(MovedBy::CustomerAsked),
        wire::MovedBy::Practice => Some(MovedBy::Practice),
    }
}

//! The event of a move, and who wanted it.

use contract::booking::v1 as wire;
use contract::convert::to_wire;

use super::times::{read_number, span, wire_number};
use crate::domain::booking::{self, MovedBy};
use crate::domain::span::Span;

/// A move, as it is stored, without its booking.
pub(super) fn write(
    number: usize,
    from: Span,
    to: Span,
    by: MovedBy,
    move_number: u16,
) -> wire::BookingMoved {
    let moved_by = match by {
        MovedBy::Customer => wire::MovedBy::Customer,
        MovedBy::CustomerAsked => wire::MovedBy::CustomerAsked,
        MovedBy::Practice => wire::MovedBy::Practice,
    };
    wire::BookingMoved {
        booking_id: String::new(),
        session_number: wire_number(number),
        previous_starts_at: Some(to_wire(from.starts_at())),
        previous_ends_at: Some(to_wire(from.ends_at())),
        starts_at: Some(to_wire(to.starts_at())),
        ends_at: Some(to_wire(to.ends_at())),
        moved_by: moved_by.into(),
        move_number: move_number.into(),
    }
}

pub(super) fn read(event: &wire::BookingMoved) -> Option<booking::Event> {
    Some(booking::Event::Moved {
        number: read_number(event.session_number)?,
        from: span(event.previous_starts_at, event.previous_ends_at)?,
        to: span(event.starts_at, event.ends_at)?,
        by: read_moved_by(event.moved_by)?,
        move_number: u16::try_from(event.move_number).ok()?,
    })
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

//! Times and numbers of sessions, on the wire and back.

use contract::convert::timestamp;
use kernel::Timestamp;

use crate::domain::span::Span;

/// The number of a session, on the wire.
pub(super) fn wire_number(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Reads the number of a session, from 1.
#[must_use]
pub fn read_number(number: i32) -> Option<usize> {
    usize::try_from(number).ok().filter(|number| *number > 0)
}

pub(super) fn instant(wire: Option<prost_types::Timestamp>) -> Option<Timestamp> {
    wire.as_ref().and_then(timestamp)
}

pub(super) fn span(
    from: Option<prost_types::Timestamp>,
    to: Option<prost_types::Timestamp>,
) -> Option<Span> {
    Span::new(instant(from)?, instant(to)?)
}

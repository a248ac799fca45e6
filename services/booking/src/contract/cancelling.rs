//! Cancellations, to and from the wire.

use contract::booking::v1 as wire;
use contract::convert::{money, to_wire};
use kernel::Money;

use super::times::{instant, read_number, wire_number};
use crate::domain::booking::{self, CancelledBy, PendingCancellation};

pub(super) fn session_cancelled(
    booking_id: String,
    by: CancelledBy,
    share: Money,
    refund: Money,
) -> wire::BookingSessionCancelled {
    wire::BookingSessionCancelled {
        booking_id,
        cancelled_by: wire_cancelled_by(by).into(),
        share: Some(share.into()),
        refund: Some(refund.into()),
        ..wire::BookingSessionCancelled::default()
    }
}

pub(super) fn cancelled(
    booking_id: String,
    by: CancelledBy,
    refund: Money,
) -> wire::BookingCancelled {
    let cancelled_by = wire_cancelled_by(by).into();
    let refund = Some(refund.into());
    wire::BookingCancelled { booking_id, cancelled_by, refund, unpaid: false, by_grace: false }
}

pub(super) fn cancellation_requested(
    booking_id: String,
    pending: PendingCancellation,
) -> wire::BookingCancellationRequested {
    wire::BookingCancellationRequested {
        booking_id,
        session_number: pending.session.map_or(0, wire_number),
        refund: Some(pending.refund.into()),
        asked_at: Some(to_wire(pending.asked_at)),
        takes_effect_at: Some(to_wire(pending.takes_effect_at)),
        grace_times: pending.grace_times.into(),
    }
}

pub(super) fn read_cancellation_requested(
    event: &wire::BookingCancellationRequested,
) -> Option<booking::Event> {
    Some(booking::Event::CancellationRequested(PendingCancellation {
        session: match event.session_number {
            0 => None,
            number => Some(read_number(number)?),
        },
        refund: event.refund.as_ref().and_then(money)?,
        asked_at: instant(event.asked_at)?,
        takes_effect_at: instant(event.takes_effect_at)?,
        grace_times: u16::try_from(event.grace_times).ok()?,
    }))
}

pub(super) fn read_session_cancelled(
    event: &wire::BookingSessionCancelled,
) -> Option<booking::Event> {
    Some(booking::Event::SessionCancelled {
        number: read_number(event.session_number)?,
        by: read_cancelled_by(event.cancelled_by)?,
        share: event.share.as_ref().and_then(money)?,
        refund: event.refund.as_ref().and_then(money)?,
        unpaid: event.unpaid,
        with_all: event.with_all,
        by_grace: event.by_grace,
    })
}

/// Who requested the cancellation, on the wire.
#[must_use]
fn wire_cancelled_by(by: CancelledBy) -> wire::CancelledBy {
    match by {
        CancelledBy::Customer => wire::CancelledBy::Customer,
        CancelledBy::Practice => wire::CancelledBy::Practice,
    }
}

/// Reads who requested the cancellation; `None` when unspecified.
#[must_use]
pub fn read_cancelled_by(by: i32) -> Option<CancelledBy> {
    match wire::CancelledBy::try_from(by) {
        Ok(wire::CancelledBy::Customer) => Some(CancelledBy::Customer),
        Ok(wire::CancelledBy::Practice) => Some(CancelledBy::Practice),
        Ok(wire::CancelledBy::Unspecified) | Err(_) => None,
    }
}

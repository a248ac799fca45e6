//! Until when, and how often, the client of a booking can still move its sessions.

use contract::booking::v1 as wire;
use contract::convert::{self, to_wire};

/// States it of each session that may still be moved: nothing of it depends on the present moment.
pub(super) fn set_limits(booking: &mut wire::Booking, own_moves: &[i32]) {
    let is_placed = matches!(
        booking.state(),
        wire::BookingState::Confirmed | wire::BookingState::MeetingScheduled
    );
    let policy = booking.cancellation_policy.as_ref().and_then(convert::cancellation_policy);
    let limits = policy.filter(|_| is_placed).map(|policy| policy.moves());
    let Some(limits) = limits else { return };
    let displaced = booking.move_proposal.take();
    for ((session, moved), number) in booking.sessions.iter_mut().zip(own_moves).zip(1..) {
        // Where the practice asks for another time, no limit counts but its own.
        if let Some(proposal) = displaced.as_ref().filter(|it| it.session_number == number) {
            session.moves_left = 1;
            session.movable_until_at = proposal.choose_until_at;
            continue;
        }
        let left = i32::from(limits.times).saturating_sub(*moved).max(0);
        let starts_at = session.starts_at.as_ref().and_then(convert::timestamp);
        if session.cancelled || left == 0 {
            continue;
        }
        session.moves_left = left;
        let minutes = -60 * i64::from(limits.until_hours);
        session.movable_until_at = starts_at.map(|at| to_wire(at.plus_minutes(minutes)));
    }
    booking.move_proposal = displaced;
}

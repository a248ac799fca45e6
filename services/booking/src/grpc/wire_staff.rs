//! What staff see, on the wire.

use contract::booking::v1::{BlockedTime, MoveReason, StaffBooking};
use contract::convert::to_wire;
use practice::Practice;

use crate::read_model::query::Blocked;
use crate::read_model::view::View;
use crate::repository::move_reasons::MoveReason as Stored;

/// A booking as staff see it.
pub(super) fn wire_booking(view: View) -> StaffBooking {
    StaffBooking {
        booking: Some(view.booking),
        customer_id: view.customer_id.to_string(),
        requested_at: Some(to_wire(view.requested_at)),
        confirmed_on_claim: view.confirmed_on_claim,
        marks: view.marks,
    }
}

/// Why a session was moved.
pub(super) fn wire_reason(reason: Stored) -> MoveReason {
    MoveReason {
        session_number: reason.session,
        user_id: reason.user_id.to_string(),
        reason: reason.reason,
        said_at: Some(to_wire(reason.said_at)),
    }
}

/// A closed time.
pub(super) fn wire_blocked_time(practice: &Practice, blocked: &Blocked) -> BlockedTime {
    let practitioner_id = blocked.practitioner_id.clone();
    BlockedTime {
        block_id: blocked.block_id.to_string(),
        starts_at: Some(to_wire(blocked.span.starts_at())),
        ends_at: Some(to_wire(blocked.span.ends_at())),
        practitioner_name: practice.name_of_practitioner(&practitioner_id).to_owned(),
        practitioner_id,
        offered_until_at: blocked.offered_until.map(to_wire),
    }
}

//! Which session is to be moved, and who wants that.

use kernel::CancellationPolicy;

/// Who wanted a session moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MovedBy {
    /// The client, without staff: as late and as often as the policy says.
    Customer,
    /// The client, who asked staff for it.
    CustomerAsked,
    /// The practice.
    Practice,
}

/// Which session is to be moved, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveRequest {
    /// The number of the session, from 1.
    pub number: usize,
    /// Who wants it.
    pub by: MovedBy,
    /// The practitioner to whom it is moved; `None` for the one who has it.
    pub practitioner_id: Option<String>,
    /// The policy of bookings that carry none: the practice's when policies began to be kept.
    pub unwritten: CancellationPolicy,
}

//! A room, and what is asked of a provider for it.

use kernel::Id;
use kernel::id::Booking;

use crate::domain::span::Span;

/// A request for a room.
#[derive(Debug, Clone)]
pub struct RoomRequest {
    /// The booking; also the idempotency key.
    pub booking_id: Id<Booking>,
    /// Whose sessions take place there.
    pub practitioner_id: String,
    /// The title that the provider may show.
    pub title: String,
    /// The time of the session; of a package, of the first one.
    pub session: Span,
}

/// A meeting room.
#[derive(Clone)]
pub struct Room {
    /// An id of the room, which opens no door.
    pub meeting_id: String,
    /// The secret link: it grants access to the room.
    pub join_url: String,
}

impl std::fmt::Debug for Room {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Room").field("meeting_id", &self.meeting_id).finish_non_exhaustive()
    }
}

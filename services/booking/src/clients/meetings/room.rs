//! A room, what is asked of a provider for it, and who enters it.

use kernel::id::Booking;
use kernel::{Id, Timestamp};

use crate::domain::span::Span;

/// The maximum length of a link or id of a provider.
const ANSWER_CHARS_MAX: usize = 2000;

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
    /// Whether further sessions take place there.
    pub is_package: bool,
    /// The practice's zone, IANA's name.
    pub time_zone: String,
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

/// A person who enters a room, and from when until when it is open.
#[derive(Debug, Clone, Copy)]
pub struct Pass {
    /// Whether the person gives the session.
    pub is_host: bool,
    /// From when on.
    pub opens_at: Timestamp,
    /// Until when.
    pub closes_at: Timestamp,
}

/// The link is shown in mails and pages, so it must be a plain web address.
pub(super) fn is_usable(link: &str) -> bool {
    let web = ["https://", "http://"].iter().any(|scheme| link.starts_with(scheme));
    web && is_plain(link)
}

/// Whether a text is short and plain.
pub(super) fn is_plain(text: &str) -> bool {
    (1..=ANSWER_CHARS_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic())
}

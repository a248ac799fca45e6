//! What was booked: by whom, which service, when, and the price.

use kernel::id::{Booking, Customer};
use kernel::{Id, Money, Timestamp};

use crate::domain::span::Span;

/// How a session takes place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// By a meeting link.
    Online,
    /// At the practice.
    InPerson,
}

/// What was booked; it never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The booking's id.
    pub booking_id: Id<Booking>,
    /// The customer who owns it.
    pub customer_id: Id<Customer>,
    /// The service that was booked.
    pub service_id: String,
    /// Its title at the time of booking.
    pub service_title: String,
    /// Its price.
    pub price: Money,
    /// Its sessions, at least one, in the order of their starts.
    pub sessions: Vec<Span>,
    /// The practitioner whose days hold the time.
    pub practitioner_id: String,
    /// Online or in person.
    pub mode: Mode,
}

impl Facts {
    /// Whether nothing is to be paid.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.price.minor == 0
    }

    /// When the first session starts.
    pub(super) fn starts_at(&self) -> Option<Timestamp> {
        self.sessions.first().map(Span::starts_at)
    }

    /// When the last session ends.
    pub(super) fn ends_at(&self) -> Option<Timestamp> {
        self.sessions.last().map(Span::ends_at)
    }

    pub(super) fn has_ended(&self, now: Timestamp) -> bool {
        self.ends_at().is_none_or(|ends_at| ends_at <= now)
    }
}

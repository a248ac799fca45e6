//! The collection of a booking, as a transaction holds it.

use kernel::id::Booking;
use kernel::{Id, Timestamp};
use payments::domain::collection::{Collection, State};
use payments::domain::ledger::Books;

/// The collection of a booking, under its lock.
pub(crate) struct LockedCollection {
    pub(super) booking_id: Id<Booking>,
    pub(super) state: State,
    pub(super) books: Books,
    /// Until when the booking's time is held, where webhooks are heard.
    pub(super) unhurried_until: Option<Timestamp>,
}

impl LockedCollection {
    pub(crate) fn collection(&self) -> Option<&Collection> {
        match &self.state {
            State::Absent => None,
            State::Open(collection) => Some(collection),
        }
    }

    pub(super) fn payable_until(&self) -> Option<Timestamp> {
        self.collection().and_then(Collection::payable_until)
    }

    pub(crate) fn has_undecided(&self) -> bool {
        self.collection().is_some_and(|known| known.undecided().next().is_some())
    }
}

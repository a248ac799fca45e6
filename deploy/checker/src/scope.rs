//! Which part of a practice a check looks at: all of it, or bookings from one id to another.

use std::collections::BTreeSet;

use kernel::Id;
use kernel::id::Booking;
use uuid::Uuid;

use crate::snapshot::Holder;

/// A part of a practice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Everything.
    All,
    /// The bookings between two ids, both included, without those that are changing just now.
    Bookings {
        /// The first id.
        first: Uuid,
        /// The last id.
        last: Uuid,
        /// Bookings that are left out.
        without: BTreeSet<Id<Booking>>,
    },
    /// The times that the practice has closed.
    Blocks,
}

impl Scope {
    /// Whether a holder's times are looked at.
    pub(crate) fn contains(&self, holder: Holder) -> bool {
        match (self, holder) {
            (Self::All, _) | (Self::Blocks, Holder::Block(_)) => true,
            (Self::Bookings { first, last, without }, Holder::Booking(id)) => {
                (*first..=*last).contains(&id.uuid()) && !without.contains(&id)
            }
            (Self::Blocks, Holder::Booking(_)) | (Self::Bookings { .. }, Holder::Block(_)) => false,
        }
    }

    /// Whether it begins after a holder; bookings stand before blocks.
    pub(crate) fn is_after(&self, holder: Holder) -> bool {
        match (self, holder) {
            (Self::All, _) | (_, Holder::Block(_)) => false,
            (Self::Bookings { first, .. }, Holder::Booking(id)) => id.uuid() < *first,
            (Self::Blocks, Holder::Booking(_)) => true,
        }
    }

    /// Whether it ends before a holder.
    pub(crate) fn is_before(&self, holder: Holder) -> bool {
        match (self, holder) {
            (Self::All | Self::Blocks, _) => false,
            (Self::Bookings { last, .. }, Holder::Booking(id)) => id.uuid() > *last,
            (Self::Bookings { .. }, Holder::Block(_)) => true,
        }
    }
}

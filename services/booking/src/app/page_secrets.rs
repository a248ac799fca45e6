//! Makes the keys of bookings' pages from the ids of their rows, and reads those of releases
//! before.

use kernel::Id;
use kernel::id::{Booking, PageKey};
use runtime::RotatedSecret;

use super::signed_ids::{SignedIds, WeakKey};

/// Prefixes of the signed text, for domain separation from other uses of the key.
const PURPOSE: &[u8] = b"page-key";
const PURPOSE_BEFORE: &[u8] = b"payment-page";

/// Makes and verifies the keys of pages.
#[derive(Debug, Clone)]
pub struct PageKeys {
    keys: SignedIds,
    before: SignedIds,
}

impl PageKeys {
    /// Signs with this key.
    ///
    /// # Errors
    /// When it has fewer than 32 bytes.
    pub fn new(key: &RotatedSecret) -> Result<Self, WeakKey> {
        let keys = SignedIds::new(key, PURPOSE)?;
        Ok(Self { keys, before: SignedIds::new(key, PURPOSE_BEFORE)? })
    }

    /// The key of a row.
    pub(super) fn of_row(&self, id: Id<PageKey>) -> String {
        self.keys.sign(id)
    }

    /// The key that links of releases before have; always the same one of a booking.
    #[must_use]
    pub fn key(&self, id: Id<Booking>) -> String {
        self.before.sign(id)
    }

    /// The booking of such a key.
    pub(super) fn booking_before(&self, key: &str) -> Option<Id<Booking>> {
        self.before.verify(key)
    }
}

#[cfg(test)]
mod tests {
    use kernel::Id;
    use kernel::id::{Booking, CalendarFeed, PageKey};
    use uuid::Uuid;

    use super::PageKeys;
    use crate::app::feed_secrets::FeedSecrets;

    #[test]
    fn a_key_of_before_leads_to_its_booking_and_no_other_secret_does() {
        let secret = "k".repeat(32).into();
        let keys = PageKeys::new(&secret).unwrap();
        let id: Id<Booking> = Id::from_uuid(Uuid::from_u128(7));
        let key = keys.key(id);
        assert_eq!(key.len(), 43);
        assert_eq!(keys.booking_before(&key), Some(id));
        // The address of a calendar is signed by the same key for another purpose.
        let feeds = FeedSecrets::new(&secret).unwrap();
        let feed: Id<CalendarFeed> = Id::from_uuid(Uuid::from_u128(7));
        let row: Id<PageKey> = Id::from_uuid(Uuid::from_u128(7));
        assert_eq!(keys.booking_before(&feeds.secret(feed)), None);
        assert_eq!(keys.booking_before(&keys.of_row(row)), None);
        assert_eq!(feeds.feed_id(&key), None);
        let other = PageKeys::new(&"o".repeat(32).into()).unwrap();
        assert_eq!(other.booking_before(&key), None);
        for wrong in ["", "a", &key[..42], &format!("{key}A"), &id.to_string()] {
            assert_eq!(keys.booking_before(wrong), None, "{wrong}");
        }
    }
}

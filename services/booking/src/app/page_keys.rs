//! The keys in the addresses of payment pages, each derived from its booking's id.

use kernel::Id;
use kernel::id::Booking;
use secrecy::SecretString;

use super::signed_ids::{SignedIds, WeakKey};
use crate::error::{Error, Rejection, refuse};

/// Prefix of the signed text, for domain separation from other uses of the key.
const PURPOSE: &[u8] = b"payment-page";

/// Makes and verifies the keys of pages.
#[derive(Debug, Clone)]
pub struct PageKeys(SignedIds);

impl PageKeys {
    /// Signs with this key.
    ///
    /// # Errors
    /// When it has fewer than 32 bytes.
    pub fn new(key: &SecretString) -> Result<Self, WeakKey> {
        Ok(Self(SignedIds::new(key, PURPOSE)?))
    }

    /// The key of a booking's page; always the same one.
    #[must_use]
    pub fn key(&self, id: Id<Booking>) -> String {
        self.0.sign(id)
    }

    /// The booking of a key.
    ///
    /// # Errors
    /// `BookingNotFound` when it is not right.
    pub fn booking(&self, key: &str) -> Result<Id<Booking>, Error> {
        self.0.verify(key).ok_or(refuse(Rejection::BookingNotFound))
    }
}

#[cfg(test)]
mod tests {
    use kernel::Id;
    use kernel::id::{Booking, CalendarFeed};
    use uuid::Uuid;

    use super::PageKeys;
    use crate::app::feed_secrets::FeedSecrets;

    #[test]
    fn a_key_leads_to_its_booking_and_no_other_secret_does() {
        let secret = "k".repeat(32).into();
        let keys = PageKeys::new(&secret).unwrap();
        let id: Id<Booking> = Id::from_uuid(Uuid::from_u128(7));
        let key = keys.key(id);
        assert_eq!(key.len(), 43);
        assert_eq!(keys.booking(&key).unwrap(), id);
        // The address of a calendar is signed by the same key for another purpose.
        let feeds = FeedSecrets::new(&secret).unwrap();
        let feed: Id<CalendarFeed> = Id::from_uuid(Uuid::from_u128(7));
        assert!(keys.booking(&feeds.secret(feed)).is_err());
        assert_eq!(feeds.feed_id(&key), None);
        let other = PageKeys::new(&"o".repeat(32).into()).unwrap();
        assert!(other.booking(&key).is_err());
        for wrong in ["", "a", &key[..42], &format!("{key}A"), &id.to_string()] {
            assert!(keys.booking(wrong).is_err(), "{wrong}");
        }
    }
}

//! The secrets in the addresses of calendars, each derived from the address's id and a key.

use kernel::Id;
use kernel::id::CalendarFeed;
use runtime::RotatedSecret;

use super::signed_ids::{SignedIds, WeakKey};

/// Prefix of the signed text, for domain separation from other uses of the key.
const PURPOSE: &[u8] = b"calendar-feed";

/// Makes and verifies secrets.
#[derive(Debug, Clone)]
pub struct FeedSecrets(SignedIds);

impl FeedSecrets {
    /// Signs with this key.
    ///
    /// # Errors
    /// When it has fewer than 32 bytes.
    pub fn new(key: &RotatedSecret) -> Result<Self, WeakKey> {
        Ok(Self(SignedIds::new(key, PURPOSE)?))
    }

    /// The secret of an address; always the same one.
    #[must_use]
    pub fn secret(&self, feed_id: Id<CalendarFeed>) -> String {
        self.0.sign(feed_id)
    }

    /// The address of a secret; `None` when the signature is wrong.
    #[must_use]
    pub fn feed_id(&self, secret: &str) -> Option<Id<CalendarFeed>> {
        self.0.verify(secret)
    }
}

#[cfg(test)]
mod tests {
    use kernel::Id;
    use uuid::Uuid;

    use super::FeedSecrets;

    fn secrets(key: &str) -> FeedSecrets {
        FeedSecrets::new(&key.repeat(32).into()).unwrap()
    }

    #[test]
    fn a_secret_leads_to_its_address_and_a_changed_one_to_none() {
        let feed_id = Id::from_uuid(Uuid::from_u128(7));
        let secret = secrets("a").secret(feed_id);
        assert_eq!(secret.len(), 43);
        assert_eq!(secrets("a").feed_id(&secret), Some(feed_id));
        assert_eq!(secrets("b").feed_id(&secret), None);
        for at in 0..secret.len() - 1 {
            let mut bytes = secret.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            assert_eq!(secrets("a").feed_id(&changed), None, "{changed}");
        }
        for wrong in ["", "a", &secret[..42], &format!("{secret}A"), "ä", &"=".repeat(43)] {
            assert_eq!(secrets("a").feed_id(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_short_key_is_refused() {
        assert!(FeedSecrets::new(&"a".repeat(31).into()).is_err());
    }
}

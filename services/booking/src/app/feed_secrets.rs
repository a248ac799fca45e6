//! The secrets in the addresses of calendars, each derived from the address's id and a key.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use kernel::Id;
use kernel::id::CalendarFeed;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;
use uuid::Uuid;

/// Prefix of the signed text, for domain separation from other uses of the key.
const PURPOSE: &[u8] = b"calendar-feed";
/// Bytes of the truncated MAC in a secret.
const MAC_BYTES: usize = 16;
/// The shortest key, in bytes.
const KEY_BYTES_MIN: usize = 32;

/// Makes and verifies secrets.
#[derive(Clone)]
pub struct FeedSecrets {
    mac: Hmac<Sha256>,
}

impl fmt::Debug for FeedSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FeedSecrets").finish_non_exhaustive()
    }
}

/// The key cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("BOOKING_FEED_KEY has fewer than 32 characters")]
pub struct WeakKey;

impl FeedSecrets {
    /// Signs with this key.
    ///
    /// # Errors
    /// When it has fewer than 32 bytes.
    pub fn new(key: &SecretString) -> Result<Self, WeakKey> {
        let bytes = key.expose_secret().as_bytes();
        if bytes.len() < KEY_BYTES_MIN {
            return Err(WeakKey);
        }
        Ok(Self { mac: Hmac::new_from_slice(bytes).map_err(|_never| WeakKey)? })
    }

    /// The secret of an address; always the same one.
    #[must_use]
    pub fn secret(&self, feed_id: Id<CalendarFeed>) -> String {
        let mut bytes = feed_id.uuid().as_bytes().to_vec();
        let tag = self.signed(feed_id).finalize().into_bytes();
        bytes.extend(tag.iter().take(MAC_BYTES));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The address of a secret; `None` when the signature is wrong.
    #[must_use]
    pub fn feed_id(&self, secret: &str) -> Option<Id<CalendarFeed>> {
        let bytes = URL_SAFE_NO_PAD.decode(secret).ok()?;
        let (uuid, tag) = bytes.split_at_checked(size_of::<Uuid>())?;
        if tag.len() != MAC_BYTES {
            return None;
        }
        let feed_id = Id::from_uuid(Uuid::from_slice(uuid).ok()?);
        self.signed(feed_id).verify_truncated_left(tag).ok()?;
        Some(feed_id)
    }

    fn signed(&self, feed_id: Id<CalendarFeed>) -> Hmac<Sha256> {
        let mut mac = self.mac.clone();
        mac.update(PURPOSE);
        mac.update(feed_id.uuid().as_bytes());
        mac
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

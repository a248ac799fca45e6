//! Secrets that are derived from an id and a key, so that no table has them: the id, followed by
//! 128 bits of its MAC.

use std::{fmt, iter};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use kernel::Id;
use kernel::id::Kind;
use runtime::RotatedSecret;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;
use uuid::Uuid;

/// Bytes of the truncated MAC in a secret.
const MAC_BYTES: usize = 16;
/// The shortest key, in bytes.
const KEY_BYTES_MIN: usize = 32;

/// Makes and verifies the secrets of one purpose.
#[derive(Clone)]
pub struct SignedIds {
    mac: Hmac<Sha256>,
    /// Of the key before, whose secrets are accepted as well.
    previous: Option<Hmac<Sha256>>,
}

impl fmt::Debug for SignedIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedIds").finish_non_exhaustive()
    }
}

/// The key cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("BOOKING_FEED_KEY, or the one before it, has fewer than 32 characters")]
pub struct WeakKey;

impl SignedIds {
    /// Signs with this key. The purpose is a prefix of the signed text, so that the secrets of one
    /// purpose are none of another.
    ///
    /// # Errors
    /// When one of the keys has fewer than 32 bytes.
    pub fn new(key: &RotatedSecret, purpose: &[u8]) -> Result<Self, WeakKey> {
        let previous = key.previous().map(|key| keyed(key, purpose)).transpose()?;
        Ok(Self { mac: keyed(key.current(), purpose)?, previous })
    }

    /// The secret of an id; always the same one with the same key.
    #[must_use]
    pub fn sign<K: Kind>(&self, id: Id<K>) -> String {
        secret_of(&self.mac, id.uuid())
    }

    /// The secrets of an id that are accepted; the one of the current key first.
    pub fn accepted<K: Kind>(&self, id: Id<K>) -> impl Iterator<Item = String> {
        iter::once(&self.mac).chain(&self.previous).map(move |mac| secret_of(mac, id.uuid()))
    }

    /// The id of a secret; `None` when its MAC is wrong, which is compared in constant time.
    #[must_use]
    pub fn verify<K: Kind>(&self, secret: &str) -> Option<Id<K>> {
        let bytes = URL_SAFE_NO_PAD.decode(secret).ok()?;
        let (uuid, tag) = bytes.split_at_checked(size_of::<Uuid>())?;
        if tag.len() != MAC_BYTES {
            return None;
        }
        let uuid = Uuid::from_slice(uuid).ok()?;
        let is_of = |mac: &Hmac<Sha256>| signed(mac, uuid).verify_truncated_left(tag).is_ok();
        let is_ours = is_of(&self.mac) || self.previous.as_ref().is_some_and(is_of);
        is_ours.then(|| Id::from_uuid(uuid))
    }
}

fn keyed(key: &SecretString, purpose: &[u8]) -> Result<Hmac<Sha256>, WeakKey> {
    let bytes = key.expose_secret().as_bytes();
    if bytes.len() < KEY_BYTES_MIN {
        return Err(WeakKey);
    }
    let mut mac = Hmac::<Sha256>::new_from_slice(bytes).map_err(|_never| WeakKey)?;
    mac.update(purpose);
    Ok(mac)
}

fn signed(mac: &Hmac<Sha256>, uuid: Uuid) -> Hmac<Sha256> {
    let mut mac = mac.clone();
    mac.update(uuid.as_bytes());
    mac
}

fn secret_of(mac: &Hmac<Sha256>, uuid: Uuid) -> String {
    let mut bytes = uuid.as_bytes().to_vec();
    let tag = signed(mac, uuid).finalize().into_bytes();
    bytes.extend(tag.iter().take(MAC_BYTES));
    URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use kernel::Id;
    use kernel::id::CalendarFeed;
    use runtime::RotatedSecret;
    use uuid::Uuid;

    use super::SignedIds;

    #[test]
    fn a_secret_of_the_key_before_is_accepted_and_the_new_key_signs() {
        let key = |letter: &str| letter.repeat(32).into();
        let ids = |key: RotatedSecret| SignedIds::new(&key, b"test").unwrap();
        let id: Id<CalendarFeed> = Id::from_uuid(Uuid::from_u128(7));
        let before = ids(RotatedSecret::new(key("a"), None));
        let rotated = ids(RotatedSecret::new(key("b"), Some(key("a"))));
        let after = ids(RotatedSecret::new(key("b"), None));
        assert_eq!(rotated.verify(&before.sign(id)), Some(id));
        assert_eq!(rotated.sign(id), after.sign(id));
        assert_eq!(rotated.accepted(id).collect::<Vec<_>>(), [after.sign(id), before.sign(id)]);
        assert_eq!(after.verify::<CalendarFeed>(&before.sign(id)), None);
        let other_purpose = SignedIds::new(&"a".repeat(32).into(), b"other").unwrap();
        assert_eq!(rotated.verify::<CalendarFeed>(&other_purpose.sign(id)), None);
        assert!(SignedIds::new(&RotatedSecret::new(key("b"), Some("a".into())), b"test").is_err());
    }
}

//! Secrets that are derived from an id and a key, so that no table has them: the id, followed by
//! 128 bits of its MAC.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use kernel::Id;
use kernel::id::Kind;
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
}

impl fmt::Debug for SignedIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedIds").finish_non_exhaustive()
    }
}

/// The key cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("BOOKING_FEED_KEY has fewer than 32 characters")]
pub struct WeakKey;

impl SignedIds {
    /// Signs with this key. The purpose is a prefix of the signed text, so that the secrets of one
    /// purpose are none of another.
    ///
    /// # Errors
    /// When the key has fewer than 32 bytes.
    pub fn new(key: &SecretString, purpose: &[u8]) -> Result<Self, WeakKey> {
        let bytes = key.expose_secret().as_bytes();
        if bytes.len() < KEY_BYTES_MIN {
            return Err(WeakKey);
        }
        let mut mac = Hmac::<Sha256>::new_from_slice(bytes).map_err(|_never| WeakKey)?;
        mac.update(purpose);
        Ok(Self { mac })
    }

    /// The secret of an id; always the same one.
    #[must_use]
    pub fn sign<K: Kind>(&self, id: Id<K>) -> String {
        let mut bytes = id.uuid().as_bytes().to_vec();
        let tag = self.signed(id.uuid()).finalize().into_bytes();
        bytes.extend(tag.iter().take(MAC_BYTES));
        URL_SAFE_NO_PAD.encode(bytes)
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
        self.signed(uuid).verify_truncated_left(tag).ok()?;
        Some(Id::from_uuid(uuid))
    }

    fn signed(&self, uuid: Uuid) -> Hmac<Sha256> {
        let mut mac = self.mac.clone();
        mac.update(uuid.as_bytes());
        mac
    }
}

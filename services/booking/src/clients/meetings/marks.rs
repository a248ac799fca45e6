//! Names that stand for a booking at a provider and say nothing of it: keyed hashes, which only we
//! can make.

use std::fmt::{self, Write as _};

use hmac::{Hmac, KeyInit as _, Mac as _};
use kernel::Id;
use kernel::id::Booking;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

/// Prefix of the hashed text, for domain separation from other uses of the key.
const PURPOSE: &[u8] = b"meeting-room";
/// Bytes of the hash that a name has: enough that it cannot be guessed.
const NAME_BYTES: usize = 20;

/// Makes the names.
#[derive(Clone)]
pub(super) struct RoomNames(Hmac<Sha256>);

impl fmt::Debug for RoomNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoomNames").finish_non_exhaustive()
    }
}

impl RoomNames {
    /// Names that are made with this key; `None` when it cannot be one.
    pub(super) fn new(key: &SecretString) -> Option<Self> {
        let mut mac = Hmac::new_from_slice(key.expose_secret().as_bytes()).ok()?;
        mac.update(PURPOSE);
        Some(Self(mac))
    }

    /// The name of a booking's room; always the same one with the same key. It has small letters
    /// and digits only, because Jitsi makes letters small.
    pub(super) fn of(&self, id: Id<Booking>) -> String {
        let mut mac = self.0.clone();
        mac.update(id.uuid().as_bytes());
        let hash = mac.finalize().into_bytes();
        hash.iter().take(NAME_BYTES).fold("session-".to_owned(), |mut name, byte| {
            // Writing to a string cannot fail.
            write!(name, "{byte:02x}").ok();
            name
        })
    }
}

//! Hex HMAC-SHA256, compared in constant time.

use hmac::{Hmac, KeyInit as _, Mac as _};
use kernel::hex;
use sha2::Sha256;

/// Whether `signature` is the hexadecimal MAC of `message` under `secret`.
pub(super) fn is_valid(secret: &str, message: &[u8], signature: &str) -> bool {
    let Some(given) = hex::decode(signature) else { return false };
    // A key of any length is taken, so this does not fail.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return false };
    mac.update(message);
    mac.verify_slice(&given).is_ok()
}

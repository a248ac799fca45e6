//! Hex HMAC-SHA256, compared in constant time.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Whether `signature` is the hexadecimal MAC of `message` under `secret`.
pub(super) fn is_valid(secret: &str, message: &[u8], signature: &str) -> bool {
    let Some(given) = from_hex(signature) else { return false };
    // A key of any length is taken, so this does not fail.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return false };
    mac.update(message);
    mac.verify_slice(&given).is_ok()
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let digits = text.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let mut bytes = [0_u8; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        for digit in pair {
            let value = match digit {
                b'0'..=b'9' => digit - b'0',
                b'a'..=b'f' => digit - b'a' + 10,
                b'A'..=b'F' => digit - b'A' + 10,
                _ => return None,
            };
            *byte = (*byte << 4) | value;
        }
    }
    Some(bytes)
}

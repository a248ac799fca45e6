//! Ids as the provider writes them, and signatures.

use hmac::{Hmac, KeyInit, Mac};
use rand::Rng;
use rand::distr::Alphanumeric;
use sha2::{Digest, Sha256};

/// A new id: a prefix and 14 letters or digits, of which case matters.
pub(crate) fn new_id(prefix: &str) -> String {
    format!("{prefix}_{}", random_text(14))
}

/// Unguessable letters and digits.
pub(crate) fn random_text(length: usize) -> String {
    rand::rng().sample_iter(Alphanumeric).take(length).map(char::from).collect()
}

/// Hex of HMAC-SHA256, the provider's one kind of signature.
pub(crate) fn sign(secret: &str, message: &[u8]) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        // HMAC takes keys of any length, so this is never reached; an empty signature never
        // verifies.
        return String::new();
    };
    mac.update(message);
    hex(&mac.finalize().into_bytes())
}

/// Hex of SHA-256, to compare what was said under one key.
pub(crate) fn fingerprint(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_signature_is_the_published_one() {
        // Test case 2 of RFC 4231.
        let signed = super::sign("Jefe", b"what do ya want for nothing?");
        assert_eq!(signed, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }

    #[test]
    fn ids_have_the_providers_form() {
        let id = super::new_id("order");
        assert_eq!(id.len(), 20);
        assert!(id.strip_prefix("order_").unwrap().bytes().all(|b| b.is_ascii_alphanumeric()));
    }
}

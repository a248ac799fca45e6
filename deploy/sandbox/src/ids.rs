//! Ids in the provider's form, and signatures.

use hmac::{Hmac, KeyInit, Mac};
use rand::RngExt;
use rand::distr::Alphanumeric;
use sha2::{Digest, Sha256};

/// A new id: a prefix and 14 letters or digits, with upper and lower case.
pub(crate) fn new_id(prefix: &str) -> String {
    format!("{prefix}_{}", random_text(14))
}

/// Random letters and digits that cannot be guessed.
pub(crate) fn random_text(length: usize) -> String {
    rand::rng().sample_iter(Alphanumeric).take(length).map(char::from).collect()
}

/// HMAC-SHA256 in hexadecimal, the provider's only kind of signature.
pub(crate) fn sign(secret: &str, message: &[u8]) -> String {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        // HMAC takes keys of any length, so this is never reached. An empty signature is never
        // valid.
        return String::new();
    };
    mac.update(message);
    hex(&mac.finalize().into_bytes())
}

/// SHA-256 in hexadecimal, to compare requests that have the same idempotency key.
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

//! Makes the codes with which consents on pages are signed: each is derived from its row, the
//! address that it is mailed to and a key, so that no table has it.

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use kernel::Id;
use kernel::id::Booking;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

use super::signed_ids::WeakKey;

/// Prefix of the signed text, for domain separation from other uses of the key.
const PURPOSE: &[u8] = b"consent-code";

/// Makes codes.
#[derive(Clone)]
pub struct ConsentCodes(Hmac<Sha256>);

impl fmt::Debug for ConsentCodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsentCodes").finish_non_exhaustive()
    }
}

impl ConsentCodes {
    /// Makes codes with this key.
    pub fn new(key: &SecretString) -> Result<Self, WeakKey> {
        let bytes = key.expose_secret().as_bytes();
        let mut mac = Hmac::<Sha256>::new_from_slice(bytes).map_err(|_never| WeakKey)?;
        mac.update(PURPOSE);
        Ok(Self(mac))
    }

    /// The code of a request, for an address: six digits, always the same ones.
    #[must_use]
    pub fn code(&self, id: Id<Booking>, number: i64, email: &str) -> String {
        let mut mac = self.0.clone();
        mac.update(id.uuid().as_bytes());
        mac.update(&number.to_be_bytes());
        mac.update(email.to_lowercase().as_bytes());
        let made = mac.finalize().into_bytes();
        let number = made.iter().take(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
        format!("{:06}", number % 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use kernel::Id;
    use uuid::Uuid;

    use super::ConsentCodes;

    #[test]
    fn a_code_belongs_to_its_booking_its_request_and_its_address() {
        let codes = |key: &str| ConsentCodes::new(&key.repeat(32).into()).unwrap();
        let id = |number| Id::from_uuid(Uuid::from_u128(number));
        let code = codes("k").code(id(1), 2, "asha@example.org");
        assert!(code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
        assert_eq!(codes("k").code(id(1), 2, "Asha@Example.org"), code);
        for other in [
            codes("o").code(id(1), 2, "asha@example.org"),
            codes("k").code(id(2), 2, "asha@example.org"),
            codes("k").code(id(1), 3, "asha@example.org"),
            codes("k").code(id(1), 2, "other@example.org"),
        ] {
            assert_ne!(other, code);
        }
    }
}

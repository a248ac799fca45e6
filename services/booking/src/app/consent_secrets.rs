//! Makes the codes with which consents on pages are signed and sessions are moved or cancelled
//! there: each is derived from its row, the address that it is mailed to and a key, so that no
//! table has it.

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

use super::signed_ids::WeakKey;
use crate::domain::consent::code::{CodePurpose, CodesOf};

/// Prefixes of the signed text, for domain separation from other uses of the key.
const PURPOSE: &[u8] = b"consent-code";
const PAGE_PURPOSE: &[u8] = b"page-code";

/// Makes codes.
#[derive(Clone)]
pub struct ConsentCodes {
    consents: Hmac<Sha256>,
    pages: Hmac<Sha256>,
}

impl fmt::Debug for ConsentCodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConsentCodes").finish_non_exhaustive()
    }
}

impl ConsentCodes {
    /// Makes codes with this key.
    pub fn new(key: &SecretString) -> Result<Self, WeakKey> {
        let bytes = key.expose_secret().as_bytes();
        let with = |purpose: &[u8]| {
            let mut mac = Hmac::<Sha256>::new_from_slice(bytes).map_err(|_never| WeakKey)?;
            mac.update(purpose);
            Ok(mac)
        };
        Ok(Self { consents: with(PURPOSE)?, pages: with(PAGE_PURPOSE)? })
    }

    /// The code of a request, for an address: six digits, always the same ones.
    #[must_use]
    pub fn code(&self, of: CodesOf, number: i64, email: &str) -> String {
        let mut mac = match of.purpose {
            CodePurpose::Consent => self.consents.clone(),
            CodePurpose::Page => self.pages.clone(),
        };
        mac.update(of.booking_id.uuid().as_bytes());
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

    use super::{CodePurpose, CodesOf, ConsentCodes};

    #[test]
    fn a_code_belongs_to_its_booking_its_purpose_its_request_and_its_address() {
        let codes = |key: &str| ConsentCodes::new(&key.repeat(32).into()).unwrap();
        let of = |number| {
            let booking_id = Id::from_uuid(Uuid::from_u128(number));
            CodesOf { booking_id, purpose: CodePurpose::Consent }
        };
        let code = codes("k").code(of(1), 2, "asha@example.org");
        assert!(code.len() == 6 && code.bytes().all(|byte| byte.is_ascii_digit()), "{code}");
        assert_eq!(codes("k").code(of(1), 2, "Asha@Example.org"), code);
        let of_page = CodesOf { purpose: CodePurpose::Page, ..of(1) };
        for other in [
            codes("o").code(of(1), 2, "asha@example.org"),
            codes("k").code(of(2), 2, "asha@example.org"),
            codes("k").code(of_page, 2, "asha@example.org"),
            codes("k").code(of(1), 3, "asha@example.org"),
            codes("k").code(of(1), 2, "other@example.org"),
        ] {
            assert_ne!(other, code);
        }
    }
}

//! Recovery codes: what a person keeps on paper for the day on which a factor is lost.

use data_encoding::BASE32_NOPAD;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// How many an account has.
pub const CODES: usize = 10;
/// Random bytes of a code, 120 bits: so many that a fast hash without a key protects them.
const BYTES: usize = 15;

/// A new random code: `abcd-efgh-ijkl-mnop-qrst-uvwx`.
#[must_use]
pub fn random() -> String {
    let letters = BASE32_NOPAD.encode(&rand::random::<[u8; BYTES]>()).to_lowercase();
    let letters: Vec<char> = letters.chars().collect();
    letters.chunks(4).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>().join("-")
}

/// A code as it is compared: people type it with or without dashes, in capitals, with digits of any
/// script, and a zero for the letter O, which no code has.
#[must_use]
pub fn normal(typed: &str) -> String {
    let typed = kernel::typed::with_letters(typed);
    let letters = typed.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| if c == '0' { 'o' } else { c.to_ascii_lowercase() }).take(64).collect()
}

/// The hash of an account's code in its normal form, as it is stored. It depends on no key, so that
/// a code outlives every key.
#[must_use]
pub fn hash(user_id: Uuid, normal: &str) -> Vec<u8> {
    let prefix = Sha256::new().chain_update("recovery code").chain_update(user_id.as_bytes());
    prefix.chain_update(normal).finalize().to_vec()
}

#[cfg(test)]
mod tests {
    use super::{hash, normal, random};
    use uuid::Uuid;

    #[test]
    fn a_code_is_known_however_it_is_typed() {
        let code = random();
        assert_eq!((code.len(), code.matches('-').count()), (29, 5), "{code}");
        assert_ne!(code, random());
        let typed = code.to_uppercase().replace('-', " ").replace('O', "0");
        assert_eq!(normal(&typed), normal(&code));
        assert_eq!(normal(&code).len(), 24, "120 bits");
        assert_eq!(normal("\u{202a}AB२-३७\u{202c}"), "ab237");
    }

    #[test]
    fn a_hash_is_one_of_its_account() {
        let (code, asha, ravi) = (normal(&random()), Uuid::from_u128(1), Uuid::from_u128(2));
        assert_eq!(hash(asha, &code), hash(asha, &code));
        assert_ne!(hash(asha, &code), hash(ravi, &code));
        assert_ne!(hash(asha, &code), hash(asha, &normal(&random())));
    }
}

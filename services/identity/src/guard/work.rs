//! A proof of work that lifts the limits of a network for one request. Our pages do it when the
//! server asks, so that a person in a network with guessers is not refused; for a guesser it makes
//! each guess cost about a second of a processor.
//!
//! A challenge is a time, a random number and their MAC; only used ones are remembered, for as long
//! as a challenge is valid. The client appends a number, so that the SHA-256 of the whole text
//! begins with enough zero bits.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::tokens::secrets::CodeKey;

/// The header of a response that asks for work: the zero bits, a dot, and the challenge.
pub const HEADER: &str = "x-work-challenge";
/// Zero bits: 131,072 hashes on average, half a second to two in a browser.
const ZERO_BITS: u32 = 17;
/// How long a challenge is valid.
const VALID_SECONDS: i64 = 300;
/// Used challenges that are remembered; beyond that work is not accepted.
const USED_MAX: usize = 50_000;
const TIME_BYTES: usize = 8;
const ID_BYTES: usize = 16;

/// Verifies work, each challenge once.
#[derive(Default)]
pub struct Work {
    used: Mutex<HashMap<[u8; ID_BYTES], i64>>,
}

impl Work {
    /// The header's value with a new challenge.
    #[must_use]
    pub fn challenge(key: &CodeKey, now: Timestamp) -> String {
        let mut bytes = now.seconds().to_be_bytes().to_vec();
        bytes.extend(rand::random::<[u8; ID_BYTES]>());
        bytes.extend(key.work_mac(&bytes));
        format!("{ZERO_BITS}.{}", URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Whether a text is the work for a challenge that is valid and was not used before.
    #[must_use]
    pub fn accept(&self, token: &str, key: &CodeKey, now: Timestamp) -> bool {
        let Some((issued_at, id)) = challenge_of(token, key) else { return false };
        let age = now.seconds() - issued_at;
        if !(0..=VALID_SECONDS).contains(&age) || zero_bits(token) < ZERO_BITS {
            return false;
        }
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= USED_MAX {
            used.retain(|_, issued_at| now.seconds() - *issued_at <= VALID_SECONDS);
        }
        used.len() < USED_MAX && used.insert(id, issued_at).is_none()
    }
}

/// The time and the random number of our own challenge.
fn challenge_of(token: &str, key: &CodeKey) -> Option<(i64, [u8; ID_BYTES])> {
    let (challenge, _number) = token.split_once('.')?;
    let bytes = URL_SAFE_NO_PAD.decode(challenge).ok()?;
    let (signed, mac) = bytes.split_at_checked(TIME_BYTES + ID_BYTES)?;
    let (time, id) = signed.split_at_checked(TIME_BYTES)?;
    let known = key.is_work_mac(signed, mac);
    known.then_some((i64::from_be_bytes(time.try_into().ok()?), id.try_into().ok()?))
}

fn zero_bits(text: &str) -> u32 {
    let hash = Sha256::digest(text);
    let first = hash.iter().take(8).fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    first.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::{Work, ZERO_BITS, zero_bits};
    use crate::tokens::secrets::CodeKey;
    use kernel::Timestamp;

    fn key(secret: &str) -> CodeKey {
        CodeKey::new(&secret.to_owned().into()).unwrap()
    }

    fn solved(header: &str) -> String {
        let (bits, challenge) = header.split_once('.').unwrap();
        assert_eq!(bits, ZERO_BITS.to_string());
        let texts = (0_u32..).map(|number| format!("{challenge}.{number}"));
        texts.into_iter().find(|text| zero_bits(text) >= ZERO_BITS).unwrap()
    }

    #[test]
    fn work_is_accepted_once_and_for_five_minutes() {
        let (key, now) = (key("a secret"), Timestamp::EPOCH.plus_seconds(1_000));
        let work = Work::default();
        let token = solved(&Work::challenge(&key, now));
        assert!(!work.accept(&token, &key, now.plus_seconds(301)), "too late");
        assert!(!work.accept(&token, &key, now.plus_seconds(-1)), "too early");
        assert!(!work.accept(&token, &self::key("another"), now));
        assert!(work.accept(&token, &key, now.plus_seconds(300)));
        assert!(!work.accept(&token, &key, now.plus_seconds(300)), "a second time");
    }

    #[test]
    fn nothing_is_accepted_without_work() {
        let (key, now) = (key("a secret"), Timestamp::EPOCH);
        let header = Work::challenge(&key, now);
        let (_, challenge) = header.split_once('.').unwrap();
        let lazy = (0_u32..).map(|number| format!("{challenge}.{number}"));
        let lazy = lazy.into_iter().find(|text| zero_bits(text) < ZERO_BITS).unwrap();
        for wrong in ["", ".", "x.1", challenge, &lazy] {
            assert!(!Work::default().accept(wrong, &key, now), "{wrong}");
        }
    }
}

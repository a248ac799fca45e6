//! A proof of work that lifts the limits of a network for one request. Our pages do it when the
//! server asks, so that a person in a network with guessers is not refused. It costs a guesser
//! little at first, 0.15 s of one core in C (measured), and more the more its network asks for: it
//! slows down and bounds nothing, which the budget of mails and the limits of addresses do.
//!
//! A challenge is a time, a random number, its zero bits and their MAC; only used ones are
//! remembered, for as long as a challenge is valid. The client appends a number, so that the
//! SHA-256 of the whole text begins with enough zero bits.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kernel::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::tokens::secrets::CodeKey;

/// The header of a response that asks for work: the zero bits, a dot, and the challenge.
pub const HEADER: &str = "x-work-challenge";
/// The fewest zero bits: 131,072 hashes on average, half a second to two in a browser.
pub const ZERO_BITS: u32 = 17;
/// The most: 4 million hashes, 5 s of one core in C, half a minute to a minute in a browser.
pub const ZERO_BITS_MAX: u32 = 22;
/// How much easier than what is asked for now a challenge of before may be: a person's browser may
/// work while others ask, and a guesser gains little by keeping challenges.
const ZERO_BITS_SLACK: u32 = 2;
/// How long a challenge is valid.
const VALID_SECONDS: i64 = 300;
/// Used challenges that are remembered; beyond that work is not accepted.
const USED_MAX: usize = 50_000;
const TIME_BYTES: usize = 8;
const ID_BYTES: usize = 16;
const SIGNED_BYTES: usize = TIME_BYTES + ID_BYTES + 1;

/// A challenge of ours.
struct Challenge {
    issued_at: i64,
    id: [u8; ID_BYTES],
    zero_bits: u32,
}

/// Verifies work, each challenge once.
#[derive(Default)]
pub struct Work {
    used: Mutex<HashMap<[u8; ID_BYTES], i64>>,
}

impl Work {
    /// The header's value with a new challenge of so many zero bits.
    #[must_use]
    pub fn challenge(key: &CodeKey, bits: u32, now: Timestamp) -> String {
        let bits = bits.clamp(ZERO_BITS, ZERO_BITS_MAX);
        let mut bytes = now.seconds().to_be_bytes().to_vec();
        bytes.extend(rand::random::<[u8; ID_BYTES]>());
        bytes.push(u8::try_from(bits).unwrap_or(u8::MAX));
        bytes.extend(key.work_mac(&bytes));
        format!("{bits}.{}", URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Whether a text is the work for a challenge that is valid, was not used before, and is not
    /// much easier than one of now.
    #[must_use]
    pub fn accept(&self, token: &str, key: &CodeKey, (bits, now): (u32, Timestamp)) -> bool {
        let Some(Challenge { issued_at, id, zero_bits: asked }) = challenge_of(token, key) else {
            return false;
        };
        let age = now.seconds() - issued_at;
        let is_hard = asked + ZERO_BITS_SLACK >= bits && zero_bits(token) >= asked;
        if !(0..=VALID_SECONDS).contains(&age) || !is_hard {
            return false;
        }
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= USED_MAX {
            used.retain(|_, issued_at| now.seconds() - *issued_at <= VALID_SECONDS);
        }
        used.len() < USED_MAX && used.insert(id, issued_at).is_none()
    }
}

/// Our own challenge that a token begins with.
fn challenge_of(token: &str, key: &CodeKey) -> Option<Challenge> {
    let (challenge, _number) = token.split_once('.')?;
    let bytes = URL_SAFE_NO_PAD.decode(challenge).ok()?;
    let (signed, mac) = bytes.split_at_checked(SIGNED_BYTES)?;
    let (time, rest) = signed.split_at_checked(TIME_BYTES)?;
    let (id, bits) = rest.split_at_checked(ID_BYTES)?;
    let challenge = Challenge {
        issued_at: i64::from_be_bytes(time.try_into().ok()?),
        id: id.try_into().ok()?,
        zero_bits: bits.first().copied()?.into(),
    };
    key.is_work_mac(signed, mac).then_some(challenge)
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
        let bits: u32 = bits.parse().unwrap();
        let texts = (0_u32..).map(|number| format!("{challenge}.{number}"));
        texts.into_iter().find(|text| zero_bits(text) >= bits).unwrap()
    }

    #[test]
    fn work_is_accepted_once_and_for_five_minutes() {
        let (key, now) = (key("a secret"), Timestamp::EPOCH.plus_seconds(1_000));
        let work = Work::default();
        let token = solved(&Work::challenge(&key, ZERO_BITS, now));
        let accept = |key: &CodeKey, now| work.accept(&token, key, (ZERO_BITS, now));
        assert!(!accept(&key, now.plus_seconds(301)), "too late");
        assert!(!accept(&key, now.plus_seconds(-1)), "too early");
        assert!(!accept(&self::key("another"), now));
        assert!(accept(&key, now.plus_seconds(300)));
        assert!(!accept(&key, now.plus_seconds(300)), "a second time");
    }

    #[test]
    fn nothing_is_accepted_without_work() {
        let (key, now) = (key("a secret"), Timestamp::EPOCH);
        let header = Work::challenge(&key, ZERO_BITS, now);
        let (_, challenge) = header.split_once('.').unwrap();
        let lazy = (0_u32..).map(|number| format!("{challenge}.{number}"));
        let lazy = lazy.into_iter().find(|text| zero_bits(text) < ZERO_BITS).unwrap();
        for wrong in ["", ".", "x.1", challenge, &lazy] {
            assert!(!Work::default().accept(wrong, &key, (ZERO_BITS, now)), "{wrong}");
        }
    }

    #[test]
    fn an_easy_challenge_that_was_kept_is_worth_nothing_later() {
        let (key, now) = (key("a secret"), Timestamp::EPOCH);
        let token = solved(&Work::challenge(&key, ZERO_BITS, now));
        let accept = |bits| Work::default().accept(&token, &key, (bits, now));
        assert!(accept(ZERO_BITS + 2), "another person's mails do not undo work");
        assert!(!accept(ZERO_BITS + 3));
        let hard = Work::challenge(&key, 40, now);
        assert!(hard.starts_with("22."), "{hard}");
    }
}

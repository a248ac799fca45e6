//! Common and breached passwords: 112,684 hashes, built by `blocklist/build.mjs` from the million
//! most frequent of ten million breached passwords, without those that are too short, and from
//! `password/common.txt`, which knows this practice. The file is part of the program's read-only
//! data: a lookup reads some 30 bytes of it and allocates nothing. A password that is not listed is
//! taken for a listed one with a probability of 1 in 38,000.

use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization as _;

static FILE: &[u8] = include_bytes!("blocklist/passwords.bin");

/// Offsets of the entries of each first byte of a hash, and their end.
const OFFSETS: usize = 257;
const OFFSET_BYTES: usize = 4;
const ENTRY_BYTES: usize = 3;

/// The form in which passwords are compared with lists: NFKC, in lower case. Passwords themselves
/// are hashed and verified exactly as received.
#[must_use]
pub fn fold(password: &str) -> String {
    password.nfkc().collect::<String>().to_lowercase()
}

/// Whether a folded password is listed.
#[must_use]
pub fn contains(folded: &str) -> bool {
    let [first, rest @ ..] = <[u8; 32]>::from(Sha256::digest(folded));
    let first = usize::from(first);
    let (Some(from), Some(to)) = (offset(first), offset(first + 1)) else { return false };
    let entries = FILE.get(OFFSETS * OFFSET_BYTES..).unwrap_or_default();
    let bucket = entries.get(from * ENTRY_BYTES..to * ENTRY_BYTES).unwrap_or_default();
    let wanted = rest.get(..ENTRY_BYTES).unwrap_or_default();
    let (mut low, mut high) = (0, bucket.len() / ENTRY_BYTES);
    while low < high {
        let middle = usize::midpoint(low, high);
        let entry =
            bucket.get(middle * ENTRY_BYTES..(middle + 1) * ENTRY_BYTES).unwrap_or_default();
        match entry.cmp(wanted) {
            std::cmp::Ordering::Equal => return true,
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
        }
    }
    false
}

fn offset(number: usize) -> Option<usize> {
    let bytes = FILE.get(number * OFFSET_BYTES..(number + 1) * OFFSET_BYTES)?;
    usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
}

#[cfg(test)]
mod tests {
    use super::{ENTRY_BYTES, FILE, OFFSET_BYTES, OFFSETS, contains, fold, offset};

    #[test]
    fn the_file_is_whole_and_has_more_than_100_000_entries() {
        let entries = offset(OFFSETS - 1).unwrap();
        assert_eq!(FILE.len(), OFFSETS * OFFSET_BYTES + entries * ENTRY_BYTES);
        assert_eq!(entries, 112_684);
        assert!(FILE.len() < 350_000, "{} bytes", FILE.len());
    }

    #[test]
    fn listed_passwords_are_found_and_others_are_not() {
        for listed in ["qwertyuiop", "1q2w3e4r5t", "password123", "usuckballz1", "sukoon@123"] {
            assert!(contains(listed), "{listed}");
        }
        for other in ["a quiet garden", "a louder garden", "correct horse battery", ""] {
            assert!(!contains(other), "{other}");
        }
        let found = (0..100_000).filter(|n| contains(&format!("no such word {n}"))).count();
        assert!(found <= 15, "{found} of 100,000 others are found");
    }

    #[test]
    fn forms_of_one_text_are_compared_as_one() {
        assert_eq!(fold("\u{ff30}\u{ff41}ssword\u{ff11}23"), "password123");
        assert_eq!(fold("CAFE\u{301}"), fold("caf\u{e9}"));
        assert!(contains(&fold("\u{ff30}ASSWORD\u{ff11}23")));
    }
}

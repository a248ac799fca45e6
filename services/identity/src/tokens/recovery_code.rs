//! Recovery codes: what a person keeps on paper for the day on which a factor is lost.

use data_encoding::BASE32_NOPAD;

/// How many an account has.
pub const CODES: usize = 10;
/// Characters of a code, 60 bits.
const CHARACTERS: usize = 12;

/// A new random code: `abcd-efgh-ijkl`.
#[must_use]
pub fn random() -> String {
    let letters = BASE32_NOPAD.encode(&rand::random::<[u8; 8]>()).to_lowercase();
    let letters: Vec<char> = letters.chars().take(CHARACTERS).collect();
    letters.chunks(4).map(|part| part.iter().collect::<String>()).collect::<Vec<_>>().join("-")
}

/// A code as it is compared: people type it with or without dashes, in capitals, and a zero for the
/// letter O, which no code has.
#[must_use]
pub fn normal(typed: &str) -> String {
    let letters = typed.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| if c == '0' { 'o' } else { c.to_ascii_lowercase() }).take(64).collect()
}

#[cfg(test)]
mod tests {
    use super::{normal, random};

    #[test]
    fn a_code_is_known_however_it_is_typed() {
        let code = random();
        assert_eq!((code.len(), code.matches('-').count()), (14, 2), "{code}");
        assert_ne!(code, random());
        let typed = code.to_uppercase().replace('-', " ").replace('O', "0");
        assert_eq!(normal(&typed), normal(&code));
        assert_eq!(normal(&code).len(), 12);
    }
}

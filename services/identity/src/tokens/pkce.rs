//! Proof keys of code exchange (RFC 7636): the form of challenges, and what verifies them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use crate::tokens::secrets::constant_time_eq;

/// Before a link's token when a flow with PKCE goes on with it.
pub const PREFIX: &str = "pkce_";

/// Bounds of RFC 7636.
const CHALLENGE_BYTES: std::ops::RangeInclusive<usize> = 43..=128;

kernel::words! {
    /// How a challenge is made of its verifier.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Method {
        /// SHA-256, base64url without padding.
        S256 = "s256",
        /// The verifier itself.
        Plain = "plain",
    }
}

impl Method {
    /// The method that a client names, in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        [Self::S256, Self::Plain]
            .into_iter()
            .find(|method| text.eq_ignore_ascii_case(method.word()))
    }
}

/// Why a challenge cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// It is too short or too long.
    Length,
    /// It has a character that RFC 7636 does not allow.
    Character,
}

/// Checks the form of a challenge.
pub fn check(challenge: &str) -> Result<(), Malformed> {
    if !CHALLENGE_BYTES.contains(&challenge.len()) {
        return Err(Malformed::Length);
    }
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    if challenge.bytes().all(known) { Ok(()) } else { Err(Malformed::Character) }
}

/// Whether the verifier fits the challenge. A method that this server does not know fits none.
#[must_use]
pub fn fits(verifier: &str, challenge: &str, method: &str) -> bool {
    match Method::parse(method) {
        Some(Method::S256) => {
            let made = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
            constant_time_eq(made.as_bytes(), challenge.as_bytes())
        }
        Some(Method::Plain) => constant_time_eq(verifier.as_bytes(), challenge.as_bytes()),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Malformed, Method, check, fits};

    /// The example of RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn the_example_of_the_standard_fits() {
        assert!(fits(VERIFIER, CHALLENGE, "s256"));
        assert!(fits(VERIFIER, VERIFIER, "plain"));
        for (verifier, challenge, method) in [
            (CHALLENGE, CHALLENGE, "s256"),
            (VERIFIER, CHALLENGE, "plain"),
            (VERIFIER, CHALLENGE, "none"),
            ("", CHALLENGE, "s256"),
        ] {
            assert!(!fits(verifier, challenge, method), "{verifier} {method}");
        }
    }

    #[test]
    fn challenges_have_the_form_of_the_standard() {
        assert_eq!(check(CHALLENGE), Ok(()));
        assert_eq!(check(&"a".repeat(128)), Ok(()));
        assert_eq!(check(&"a".repeat(42)), Err(Malformed::Length));
        assert_eq!(check(&"a".repeat(129)), Err(Malformed::Length));
        assert_eq!(check(&format!("{CHALLENGE}=")), Err(Malformed::Character));
        assert_eq!(Method::parse("S256"), Some(Method::S256));
        assert_eq!(Method::parse("sha256"), None);
    }
}

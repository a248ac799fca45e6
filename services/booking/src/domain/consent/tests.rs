//! What a consent must have, and that its data never reaches a log.

use kernel::typed::TextProblem;

use super::{Consent, ConsentError, ConsentInput};

const VERSION: &str = "2026-11-25.0123456789abcdef";

fn good() -> ConsentInput<'static> {
    ConsentInput {
        version: VERSION,
        full_name: " Asha Rao ",
        email: "asha@example.org",
        signature: "Asha Rao",
        accepted_declaration: true,
    }
}

#[test]
fn a_whole_consent_is_taken_without_blanks_around_its_lines() {
    let consent = Consent::parse(&good(), VERSION).unwrap();
    assert_eq!(consent.full_name(), "Asha Rao");
    assert_eq!((consent.email(), consent.signature()), ("asha@example.org", "Asha Rao"));
    assert_eq!(consent.version(), VERSION);
    assert_eq!(format!("{consent:?}"), "Consent");
}

#[test]
fn each_missing_or_invalid_part_is_named() {
    let long = "x".repeat(161);
    for (input, wrong) in [
        (ConsentInput { version: "", ..good() }, ConsentError::VersionUnknown),
        (ConsentInput { version: "2026-11-24.00", ..good() }, ConsentError::VersionUnknown),
        (ConsentInput { full_name: "  ", ..good() }, ConsentError::FullName(TextProblem::Missing)),
        (ConsentInput { full_name: &long, ..good() }, ConsentError::FullName(TextProblem::TooLong)),
        (
            ConsentInput { full_name: "\u{202e}", ..good() },
            ConsentError::FullName(TextProblem::Missing),
        ),
        (
            ConsentInput { full_name: "As\0ha", ..good() },
            ConsentError::FullName(TextProblem::Control),
        ),
        (
            ConsentInput { signature: "\u{3164}", ..good() },
            ConsentError::Signature(TextProblem::Missing),
        ),
        (
            ConsentInput { signature: "1", ..good() },
            ConsentError::Signature(TextProblem::Letterless),
        ),
        (ConsentInput { email: "", ..good() }, ConsentError::EmailMissing),
        (ConsentInput { email: "asha", ..good() }, ConsentError::EmailInvalid),
        (ConsentInput { signature: "\t", ..good() }, ConsentError::Signature(TextProblem::Missing)),
        (
            ConsentInput { signature: &long, ..good() },
            ConsentError::Signature(TextProblem::TooLong),
        ),
        (
            ConsentInput { accepted_declaration: false, ..good() },
            ConsentError::DeclarationNotAccepted,
        ),
    ] {
        assert_eq!(Consent::parse(&input, VERSION), Err(wrong));
    }
}

#[test]
fn what_would_break_a_line_is_a_blank() {
    for typed in ["Asha\nRao", "Asha\u{2028}Rao", "\u{2068}Asha\u{2069} Rao"] {
        let consent = Consent::parse(&ConsentInput { full_name: typed, ..good() }, VERSION);
        assert_eq!(consent.unwrap().full_name(), "Asha Rao", "{typed:?}");
    }
}

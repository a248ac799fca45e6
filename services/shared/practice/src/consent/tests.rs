//! The demonstration practice's consent is read, its settings are filled in, every change is
//! another version, and mistakes are named.

use std::path::{Path, PathBuf};

use super::{ConsentTerms, HEADING, load, parse};
use crate::{Error, Practice};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../deploy/local/practice")
}

fn practice() -> Practice {
    crate::load(&folder()).unwrap()
}

const FILE: &str = r#"
changed = "2026-11-25"
introduction = "Please read this."
[[terms]]
title = "Cancellation"
text = "Until {cancellation_hours} hours before."
[declaration]
text = "I agree with {name}."
"#;

fn with(old: &str, new: &str) -> Result<ConsentTerms, Error> {
    assert!(FILE.contains(old), "{old}");
    parsed(&FILE.replacen(old, new, 1), &practice())
}

fn parsed(text: &str, practice: &Practice) -> Result<ConsentTerms, Error> {
    parse(text, Path::new("consent.toml"))?.with(practice)
}

#[track_caller]
fn problems(read: Result<ConsentTerms, Error>) -> Vec<String> {
    match read {
        Err(Error::Wrong { problems, .. }) => problems,
        other => panic!("it was not refused for its values: {other:?}"),
    }
}

#[test]
fn the_demonstration_practice_has_the_eleven_terms_in_their_order() {
    let terms = load(&folder(), &practice()).unwrap();
    let titles: Vec<_> = terms.terms.iter().map(|term| term.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Nature of services",
            "Cancellation",
            "Payment",
            "Confidentiality",
            "Limits of online sessions",
            "Online format",
            "Consent to treatment",
            "Age",
            "Disclaimer",
            "Refunds",
            "Liability",
        ]
    );
    let text = terms.text();
    for said in ["until 24 hours before", "in full before the session", "18 or older", "48 hours"] {
        assert!(text.contains(said), "{said}");
    }
    assert!(!text.contains('{'), "{text}");
}

#[test]
fn the_text_is_all_that_is_shown() {
    let terms = with("Please", "Please").unwrap();
    assert_eq!(
        terms.text(),
        format!(
            "{HEADING}\n\nPlease read this.\n\n1. Cancellation\n\nUntil 24 hours before.\n\n\
             Declaration\n\nI agree with Sukoon.\n"
        )
    );
}

#[test]
fn another_word_or_setting_is_another_version_and_another_line_break_is_not() {
    let terms = with("Please", "Please").unwrap();
    let (day, hash) = terms.version.split_once('.').unwrap();
    assert_eq!((day, hash.len()), ("2026-11-25", 16));
    assert_eq!(with("Please read this.", "Please\\n  read this.").unwrap().version, terms.version);
    assert_ne!(with("Please", "Now").unwrap().version, terms.version);
    let mut other = practice();
    other.policies.cancellation_hours = 48;
    let changed = parsed(FILE, &other).unwrap();
    assert_ne!(changed.version, terms.version);
}

#[test]
fn mistakes_are_named() {
    let long = "x".repeat(2001);
    for (old, new, key) in [
        ("{name}", "{password}", "declaration.text: {password} is no setting"),
        ("{name}", "{name", "declaration.text: a { has no }"),
        ("I agree with {name}.", " ", "declaration.text: it is empty"),
        ("\"Cancellation\"", "\"\"", "terms.1.title: it is empty"),
        ("Until {cancellation_hours} hours before.", "", "terms.1.text: it is empty"),
        ("Please read this.", &long, "introduction: one of its paragraphs is longer"),
    ] {
        let told = problems(with(old, new));
        assert!(told.len() == 1 && told[0].starts_with(key), "{told:?}");
    }
    let none = "changed = \"2026-11-25\"\n[declaration]\ntext = \"Yes.\"";
    let told = problems(parsed(none, &practice()));
    assert!(told[0].starts_with("terms: there must be 1 to 40"), "{told:?}");
    assert!(matches!(with("2026-11-25", "soon"), Err(Error::Malformed { .. })));
    assert!(matches!(with("changed", "altered"), Err(Error::Malformed { .. })));
    assert!(matches!(load(Path::new("/nowhere"), &practice()), Err(Error::Unreadable { .. })));
}

//! What people type, by the list of cases that the page's tests read, too.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a list of cases that is malformed fails the test there"
)]

use kernel::typed::{
    AddressProblem, Line, MailAddress, Text, TextProblem, digits, phone, shown_address,
    with_letters,
};
use serde_json::Value;

const CASES: &str = include_str!("typed_cases.json");
const SHOWN: &str = include_str!("shown_cases.json");
const NAME_MAX: usize = 80;
const TEXT_MAX: usize = 2_000;

fn check(family: &str, read: impl Fn(&str) -> Result<String, &'static str>) {
    let cases: Value = serde_json::from_str(CASES).unwrap();
    let cases = cases[family].as_array().unwrap();
    assert!(cases.len() >= 10, "{family}");
    for case in cases {
        let typed = case["typed"].as_str().unwrap();
        let expected = match case["read"].as_str() {
            Some(read) => Ok(read.to_owned()),
            None => Err(case["problem"].as_str().unwrap()),
        };
        assert_eq!(read(typed), expected, "{family}: {typed:?}");
    }
}

fn word(problem: TextProblem) -> &'static str {
    match problem {
        TextProblem::Missing => "missing",
        TextProblem::Letterless => "letterless",
        TextProblem::Control => "control",
        TextProblem::TooLong => "too_long",
    }
}

#[test]
fn lines_are_read_as_a_person_sees_them() {
    check("lines", |typed| Line::parse(typed, NAME_MAX).map(Line::into_string).map_err(word));
}

#[test]
fn texts_of_several_lines_are_cleaned_and_not_refused() {
    check("texts", |typed| Text::parse(typed, TEXT_MAX).map(Text::into_string).map_err(word));
}

#[test]
fn addresses_have_a_domain_of_any_script() {
    let word = |problem| match problem {
        AddressProblem::Missing => "missing",
        AddressProblem::Malformed => "malformed",
    };
    check("addresses", |typed| {
        MailAddress::parse(typed).map(MailAddress::into_string).map_err(word)
    });
}

#[test]
fn digits_of_every_script_are_digits() {
    check("phones", |typed| Ok(phone(typed)));
    check("codes", |typed| Ok(digits(typed)));
    check("numbers", |typed| Ok(with_letters(typed)));
}

#[test]
fn an_international_domain_is_shown_in_its_letters_unless_they_pass_for_others() {
    let cases: Vec<Value> = serde_json::from_str(SHOWN).unwrap();
    assert!(cases.len() >= 30);
    for case in cases {
        let stored = case["stored"].as_str().unwrap();
        assert_eq!(shown_address(stored), case["shown"].as_str().unwrap(), "{stored}");
    }
}

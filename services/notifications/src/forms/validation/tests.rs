//! Accepted and rejected input of forms.

use kernel::typed::{MailAddress, is_blank};

use super::{MessageText, SenderName, parse_email, parse_key};
use crate::error::Rejection;

fn name(typed: &str) -> Result<String, Rejection> {
    SenderName::parse(typed).map(|name| name.as_str().to_owned())
}

fn email(typed: &str) -> Result<String, Rejection> {
    parse_email(typed).map(MailAddress::into_string)
}

fn text(typed: &str) -> Result<String, Rejection> {
    MessageText::parse(typed).map(|text| text.as_str().to_owned())
}

const NOTHING: &[&str] = &[
    "",
    " ",
    "\t\r\n",
    "\u{a0}\u{2003}\u{3000}",
    "\u{200b}\u{200d}\u{feff}",
    "\0\u{7}",
    "\u{202e}",
    "\u{200f} \u{61c}",
    "\u{3164}",
    "\u{2028}",
    "\u{e0041}",
];

#[test]
fn invisible_text_counts_as_empty() {
    for nothing in NOTHING {
        assert!(is_blank(nothing), "{nothing:?}");
        assert_eq!(name(nothing), Err(Rejection::NameMissing), "{nothing:?}");
        assert_eq!(text(nothing), Err(Rejection::MessageMissing), "{nothing:?}");
    }
    for something in ["a", " .", "\u{200f}א", "🙏", "०"] {
        assert!(!is_blank(something), "{something:?}");
    }
}

#[test]
fn a_name_is_one_line() {
    assert_eq!(name(" Asha  Rao\t").unwrap(), "Asha Rao");
    assert_eq!(name("Asha\r\nBcc: x@example.org").unwrap(), "Asha Bcc: x@example.org");
    assert_eq!(name("gro.elpmaxe\u{202e}Asha").unwrap(), "gro.elpmaxeAsha");
    for kept in ["आशा राव", "אשה", "O'Neil <b>", "Asha 👩‍👩‍👧", "=?utf-8?q?x?="]
    {
        assert_eq!(name(kept).unwrap(), kept);
    }
    assert_eq!(name("Asha\0"), Err(Rejection::InvalidName));
    assert_eq!(name("👩‍👩‍👧"), Err(Rejection::NameWithoutLetter));
    assert_eq!(name(&"ñ".repeat(120)).unwrap().chars().count(), 120);
    assert_eq!(name(&"ñ".repeat(121)), Err(Rejection::NameTooLong));
    assert_eq!(name(&format!("{}{}", "a".repeat(120), " ".repeat(90))).unwrap().len(), 120);
}

#[test]
fn a_message_has_lines_and_no_control_characters() {
    assert_eq!(text(" one\r\ntwo\rthree\u{2028}four\tfive\u{7}\0 ").unwrap(), {
        "one\ntwo\nthree\nfour five"
    });
    assert_eq!(text("a\u{202e}b\u{2066}c").unwrap(), "abc");
    let kept = "نص عربي\u{200f} और हिन्दी 🧘🏽‍♀️\n\n- <script>alert(1)</script> {{ practice.name }}";
    assert_eq!(text(kept).unwrap(), kept);
    assert_eq!(text(&"🙏".repeat(5000)).unwrap().chars().count(), 5000);
    assert_eq!(text(&"a".repeat(5001)), Err(Rejection::MessageTooLong));
    let spaces = " ".repeat(10_000);
    assert_eq!(text(&format!("{spaces}{}{spaces}", "a".repeat(5000))).unwrap().len(), 5000);
}

#[test]
fn an_address_is_what_mail_servers_take() {
    for good in [
        "asha@example.org",
        "asha.rao+yoga@mail.example.co.in",
        "o'neil_1-2@example.org",
        "a@b.co",
        "1@2.example",
    ] {
        assert_eq!(email(good).unwrap(), good);
    }
    for pasted in ["  asha@example.org\n", "asha\u{200b}@example.org", "\u{202e}asha@example.org"] {
        assert_eq!(email(pasted).unwrap(), "asha@example.org");
    }
    assert_eq!(email("Asha@EXAMPLE.org").unwrap(), "Asha@example.org");
    assert_eq!(email("asha@münchen.example").unwrap(), "asha@xn--mnchen-3ya.example");
}

#[test]
fn an_invalid_address_or_several_are_refused() {
    for wrong in [
        "",
        "asha",
        "@example.org",
        "asha@",
        "asha@example",
        "asha@localhost",
        "asha@127.0.0.1",
        "asha@2130706433",
        "asha@[127.0.0.1]",
        "asha@[::1]",
        "asha@@example.org",
        "asha@example.org@example.com",
        "asha@example..org",
        "asha@.example.org",
        "asha@exam%70le.org",
        "asha@exa_mple .org",
        ".asha@example.org",
        "as..ha@example.org",
        "as ha@example.org",
        "asha@example.org, eve@example.org",
        "asha@example.org;eve@example.org",
        "Asha <asha@example.org>",
        "<asha@example.org>",
        "\"Asha Rao\"@example.org",
        "asha(comment)@example.org",
        "asha@example.org\r\nBcc: eve@example.org",
        "asha\r\n@example.org",
        "asha@example.org\0",
        "asha@example\u{ff0f}.org",
        "äsha@example.org",
    ] {
        assert_eq!(email(wrong), Err(Rejection::InvalidEmail), "{wrong:?}");
    }
}

#[test]
fn an_address_has_at_most_254_characters() {
    let host =
        |rest: usize| format!("{}.{}.{}.org", "b".repeat(60), "c".repeat(60), "d".repeat(rest));
    let longest = format!("{}@{}", "a".repeat(64), host(63));
    assert_eq!(longest.len(), 254);
    assert_eq!(email(&longest).unwrap(), longest);
    assert_eq!(email(&format!("{}@{}", "a".repeat(64), host(64))), Err(Rejection::InvalidEmail));
    assert_eq!(email(&format!("{}@example.org", "a".repeat(65))), Err(Rejection::InvalidEmail));
    assert_eq!(email(&"a".repeat(5_000_000)), Err(Rejection::InvalidEmail));
}

#[test]
fn a_key_has_at_least_eight_characters() {
    assert_eq!(parse_key("12345678").unwrap().as_str(), "12345678");
    assert_eq!(parse_key("1234567"), Err(Rejection::InvalidIdempotencyKey));
}

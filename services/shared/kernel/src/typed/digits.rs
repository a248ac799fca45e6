//! Digits of every script, in codes, in phone numbers, and in numbers with letters.

use super::marks::shows;

/// The zeros of all scripts that write numbers by ten digits, which follow one another (Unicode's
/// class Nd).
const ZEROS: [u32; 77] = [
    0x30, 0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66,
    0xde6, 0xe50, 0xed0, 0xf20, 0x1040, 0x1090, 0x17e0, 0x1810, 0x1946, 0x19d0, 0x1a80, 0x1a90,
    0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0xa620, 0xa8d0, 0xa900, 0xa9d0, 0xa9f0, 0xaa50, 0xabf0, 0xff10,
    0x104a0, 0x10d30, 0x10d40, 0x11066, 0x110f0, 0x11136, 0x111d0, 0x112f0, 0x11450, 0x114d0,
    0x11650, 0x116c0, 0x116d0, 0x116da, 0x11730, 0x118e0, 0x11950, 0x11bf0, 0x11c50, 0x11d50,
    0x11da0, 0x11de0, 0x11f50, 0x16130, 0x16a60, 0x16ac0, 0x16b50, 0x16d70, 0x1ccf0, 0x1d7ce,
    0x1d7d8, 0x1d7e2, 0x1d7ec, 0x1d7f6, 0x1e140, 0x1e2f0, 0x1e4f0, 0x1e5f1, 0x1e950, 0x1fbf0,
];

/// The digits of a text in ASCII, such as those of a code that was pasted with blanks and dashes.
#[must_use]
pub fn digits(typed: &str) -> String {
    typed.chars().filter_map(digit).collect()
}

/// A phone number in plain characters: ASCII digits, blanks, dashes, brackets and plus, and nothing
/// invisible. The caller checks whether it is a number.
#[must_use]
pub fn phone(typed: &str) -> String {
    let plain: String = typed.chars().filter_map(of_phone).collect();
    let plain = plain.trim();
    let is_link = plain.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("tel:"));
    let number = if is_link { plain.get(4..).unwrap_or_default() } else { plain };
    number.trim_start().to_owned()
}

/// A number with letters, such as that of a tax payer or a recovery code: ASCII digits, and none of
/// the blanks and dashes between its parts. The caller checks whether it is a number.
#[must_use]
pub fn with_letters(typed: &str) -> String {
    typed.chars().filter_map(of_phone).filter(|c| !matches!(*c, ' ' | '-')).collect()
}

fn of_phone(c: char) -> Option<char> {
    match c {
        c if c.is_whitespace() => Some(' '),
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => Some('-'),
        '\u{ff0b}' => Some('+'),
        '\u{ff08}' => Some('('),
        '\u{ff09}' => Some(')'),
        '\u{ff0e}' => Some('.'),
        // Other visible characters stay, so that the caller refuses them.
        c if c.is_control() => Some(c),
        c => digit(c).or_else(|| shows(c).then_some(c)),
    }
}

fn digit(c: char) -> Option<char> {
    let code = u32::from(c);
    let zero = ZEROS.iter().rev().find(|zero| **zero <= code)?;
    char::from_digit(code - zero, 10)
}

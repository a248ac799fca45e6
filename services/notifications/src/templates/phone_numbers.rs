//! Phone numbers in a text of the practice's, found by their digits, as
//! `web/src/lib/phone-numbers.ts` finds them.

use std::ops::RangeInclusive;

use kernel::typed::shown_address;
use minijinja::{Environment, Value, context};

/// How many digits a number has.
const DIGITS: RangeInclusive<usize> = 3..=15;
/// The zeros of the scripts of India and of Arabic; their other digits follow.
const ZEROS: [u32; 12] =
    [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66];

/// Registers the filter.
pub(super) fn register(environment: &mut Environment<'_>) {
    environment.add_filter("number_pieces", |text: &str| {
        let piece = |(text, number): (String, String)| context! { text, number };
        pieces(text).into_iter().map(piece).collect::<Vec<Value>>()
    });
    environment.add_filter("shown_address", |address: &str| shown_address(address));
    environment.add_filter("spaced_phone", |number: &str| spaced(number));
    environment.add_filter("whole_code", |place: &str| whole_code(place));
    environment.add_filter("whole_clock", |text: &str| whole_clock(text));
}

/// "+917555550100" → "+91 75555 50100", as the site writes it; other numbers stay as they are.
fn spaced(number: &str) -> String {
    let digits = number
        .strip_prefix("+91")
        .filter(|rest| rest.len() == 10 && rest.bytes().all(|digit| digit.is_ascii_digit()));
    match digits.and_then(|rest| rest.split_at_checked(5)) {
        Some((first, last)) => format!("+91 {first} {last}"),
        None => number.to_owned(),
    }
}

/// A postal code stays on the line of the word before it.
fn whole_code(place: &str) -> String {
    place.split(' ').fold(String::new(), |text, word| {
        let digits = word.trim_end_matches(',');
        let is_code = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_digit());
        let space = if is_code { "\u{a0}" } else { " " };
        if text.is_empty() { word.to_owned() } else { text + space + word }
    })
}

/// "2:00 pm IST" stays on one line, and "3:00 pm" does.
fn whole_clock(text: &str) -> String {
    let joined = text.replace(" am ", "\u{a0}am\u{a0}").replace(" pm ", "\u{a0}pm\u{a0}");
    let end =
        [" am", " pm"].into_iter().find_map(|half| joined.strip_suffix(half).map(|it| (it, half)));
    match end {
        Some((start, half)) => format!("{start}\u{a0}{}", half.trim_start()),
        None => joined,
    }
}

fn digit(sign: char) -> Option<char> {
    let code = u32::from(sign);
    let value = ZEROS.iter().find_map(|zero| code.checked_sub(*zero).filter(|value| *value < 10));
    value.and_then(|value| char::from_digit(value, 10))
}

/// The text in pieces, each with what to dial where it is a number.
fn pieces(text: &str) -> Vec<(String, String)> {
    let signs: Vec<char> = text.chars().collect();
    let mut found: Vec<(String, String)> = Vec::new();
    let mut plain = String::new();
    let mut at = 0;
    while let Some(sign) = signs.get(at) {
        let run = end_of_run(&signs, at).and_then(|end| Some((end, signs.get(at..end)?)));
        let Some((end, run)) = run else {
            plain.push(*sign);
            at = at.saturating_add(1);
            continue;
        };
        let run: String = run.iter().collect();
        at = end;
        if let Some(numbers) = numbers_in(&run) {
            found.push((std::mem::take(&mut plain), String::new()));
            found.extend(numbers);
        } else {
            plain.push_str(&run);
        }
    }
    found.push((plain, String::new()));
    found.retain(|(text, _)| !text.is_empty());
    found
}

/// Where the digits that begin here end, with the marks between them; none inside a word, an
/// amount, a time or a decimal.
fn end_of_run(signs: &[char], start: usize) -> Option<usize> {
    let before = start.checked_sub(1).and_then(|before| signs.get(before));
    if before.is_some_and(|sign| sign.is_alphanumeric() || "₹$.,:+-".contains(*sign)) {
        return None;
    }
    let rest = signs.get(start..)?;
    let first = rest.iter().position(|sign| !"+(".contains(*sign))?;
    digit(*rest.get(first)?)?;
    let inside = |sign: &char| digit(*sign).is_some() || " \u{a0}()+/-".contains(*sign);
    let run = rest.iter().take_while(|sign| inside(sign)).count();
    (1..=run)
        .rev()
        .find(|length| {
            let last = length.checked_sub(1).and_then(|last| rest.get(last));
            let (next, after) = (rest.get(*length), rest.get(length.saturating_add(1)));
            let goes_on = next.is_some_and(|next| {
                next.is_alphanumeric()
                    || ".,:".contains(*next) && after.is_some_and(|after| digit(*after).is_some())
            });
            last.is_some_and(|last| digit(*last).is_some()) && !goes_on
        })
        .map(|length| start.saturating_add(length))
}

/// "112/108" is two numbers; "24/7" is none.
fn numbers_in(run: &str) -> Option<Vec<(String, String)>> {
    let mut found = Vec::new();
    for (index, part) in run.split('/').enumerate() {
        let digits: String = part.chars().filter_map(digit).collect();
        if !DIGITS.contains(&digits.len()) {
            return None;
        }
        if index > 0 {
            found.push(("/".to_owned(), String::new()));
        }
        let plus = if part.trim_start().starts_with('+') { "+" } else { "" };
        found.push((part.to_owned(), format!("{plus}{digits}")));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::{pieces, spaced, whole_clock, whole_code};

    fn numbers(text: &str) -> Vec<String> {
        pieces(text).into_iter().map(|(_, number)| number).filter(|one| !one.is_empty()).collect()
    }

    #[test]
    fn the_numbers_of_a_note_are_found_as_people_write_them() {
        let note = "Call Tele-MANAS on 14416: it is free. In an emergency, call 112.";
        assert_eq!(numbers(note), ["14416", "112"]);
        let several = "Vandrevala: 1860 266 2345 or +91 (755) 555-0100, day and night";
        assert_eq!(numbers(several), ["18602662345", "+917555550100"]);
        assert_eq!(numbers("Call 112/108 now"), ["112", "108"]);
        assert_eq!(numbers("कॉल करें १४४१६"), ["14416"]);
        for text in ["24 hours, 7 days", "24/7/365", "₹500", "9:00", "10.30", "2,500", "x14416"] {
            assert!(numbers(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn nothing_of_the_text_is_lost() {
        for text in ["Call 14416 (free). Or 112!", "", "9:00 to 18:00", "1800 599a", "+"] {
            let whole: String = pieces(text).into_iter().map(|(text, _)| text).collect();
            assert_eq!(whole, text);
        }
    }

    #[test]
    fn numbers_and_places_read_as_people_write_them() {
        assert_eq!(spaced("+917555550100"), "+91 75555 50100");
        for other in ["+14155550100", "+9175555", "", "+91755555010x"] {
            assert_eq!(spaced(other), other);
        }
        assert_eq!(
            whole_code("Bhopal, Madhya Pradesh 462016"),
            "Bhopal, Madhya Pradesh\u{a0}462016"
        );
        assert_eq!(whole_code("12 Lake Road"), "12 Lake Road");
        assert_eq!(whole_clock("3:00 pm"), "3:00\u{a0}pm");
        assert_eq!(whole_clock("at 2:00 pm IST"), "at 2:00\u{a0}pm\u{a0}IST");
    }
}

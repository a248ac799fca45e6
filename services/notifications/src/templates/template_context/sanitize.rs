//! Sanitizes typed text: nothing that could break a line, a header or the mark-up.

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};

/// The most characters of a name that a mail to a person repeats.
const NAME_CHARACTERS_MAX: usize = 40;
/// The most words of it.
const NAME_WORDS_MAX: usize = 4;

/// A name as a mail to a person repeats it; empty if it does not look like one.
///
/// A stranger can sign up or book with another person's address and any text as the name. A mail
/// that repeated it would send that text to the address. So only short names pass, of letters and
/// the separators used in names; nothing that a mail program could turn into a link, an address or
/// a number.
#[must_use]
pub fn greeting(name: &str) -> String {
    let name = name.trim();
    let all: Vec<char> = name.chars().take(NAME_CHARACTERS_MAX.saturating_add(1)).collect();
    let before = std::iter::once(' ').chain(all.iter().copied());
    let after = all.iter().copied().skip(1).chain(std::iter::once(' '));
    let fits = before.zip(&all).zip(after).all(|((last, c), next)| is_name_char(last, *c, next));
    let words: Vec<&str> = name.split(' ').filter(|word| !word.is_empty()).collect();
    let short = all.len() <= NAME_CHARACTERS_MAX && words.len() <= NAME_WORDS_MAX;
    if short && fits && all.iter().any(|c| is_letter(*c)) { words.join(" ") } else { String::new() }
}

/// Whether a character may stand in a name between these two.
fn is_name_char(last: char, c: char, next: char) -> bool {
    match c {
        ' ' | '\'' | '’' | '-' => true,
        // At the end of an initial only, so that it forms no host name.
        '.' => is_letter(last) && next == ' ',
        // Names in scripts of India, Sri Lanka and Iran are spelled with these after a letter.
        '\u{200c}' | '\u{200d}' => is_letter(last),
        _ => is_letter(c),
    }
}

/// A letter of any script, or a mark that belongs to one.
fn is_letter(c: char) -> bool {
    use GeneralCategoryGroup::{Letter, Mark};
    matches!(c.general_category_group(), Letter | Mark)
}

/// A text on one line: characters that would break a line, a header or the mark-up become spaces.
#[must_use]
pub fn one_line(text: &str) -> String {
    let plain: String = text.chars().map(|c| if is_plain(c) { c } else { ' ' }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text that may have several lines.
pub(super) fn multi_line(text: &str) -> String {
    let unix = text.replace("\r\n", "\n").replace('\r', "\n");
    unix.chars().map(|c| if c == '\n' || is_plain(c) { c } else { ' ' }).collect()
}

/// Neither a control character nor a bidirectional override or isolate, with which a name can make
/// an address look like another one.
fn is_plain(c: char) -> bool {
    !c.is_control()
        && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        && !matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// A web link, or nothing.
pub(super) fn web_link(text: &str) -> String {
    let text = one_line(text);
    let web = text.starts_with("https://") || text.starts_with("http://");
    if web && !text.contains(' ') { text } else { String::new() }
}

/// A value, percent-encoded for a URL's query.
#[must_use]
pub fn query_encode(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::{greeting, multi_line, one_line, web_link};

    #[test]
    fn names_of_all_scripts_are_repeated() {
        for name in [
            "Asha",
            "देवनागरी",
            "आशा कुलकर्णी",
            "தமிழ்",
            "శ్రీనివాస",
            "ക്‍രിസ്",
            "ബാലന്‍",
            "ශ්‍රී",
            "علی‌رضا",
            "李雷",
            "Zoë",
            "Zoe\u{308}",
            "O'Neil",
            "O’Neil",
            "Jean-Luc",
            "J. R. Rao",
            "Dr. Sarvepalli",
            "Martin Luther King Jr.",
            &"a".repeat(40),
        ] {
            assert_eq!(greeting(name), name);
        }
        assert_eq!(greeting("  Asha   Rao "), "Asha Rao");
    }

    #[test]
    fn an_invalid_name_is_not_repeated() {
        for text in [
            "",
            " ",
            "- '",
            "you won, claim at https://evil.example/x",
            "https://evil.example",
            "evil.example",
            "Asha evil.example",
            "www.evil",
            ".Asha",
            "A . B",
            "A..",
            "evil。example",
            "evil．example",
            "//evil",
            "asha@evil",
            "mailto:asha",
            "call 98765",
            "call ९८७६५",
            "Ⅷ",
            "①",
            "Asha ❤",
            "Asha 😀",
            "👩‍👧",
            "Asha\r\nBcc: x",
            "Asha\nRao",
            "Asha\tRao",
            "Asha\u{a0}Rao",
            "Asha\u{202e}",
            "\u{200d}Asha",
            "<b>Asha</b>",
            "{{ Asha }}",
            "Asha_Rao",
            "Asha (you won)",
            "you won a big prize",
            &"a".repeat(41),
            &"क".repeat(5_000),
        ] {
            assert_eq!(greeting(text), "", "{text:?}");
        }
    }

    #[test]
    fn typed_text_stays_on_its_line() {
        assert_eq!(one_line("Asha\r\nBcc: x@example.org\0\u{202e}"), "Asha Bcc: x@example.org");
        assert_eq!(multi_line("one\r\ntwo\rthree\u{7}"), "one\ntwo\nthree ");
    }

    #[test]
    fn only_what_a_browser_opens_is_a_link() {
        assert_eq!(web_link("https://meet.example/a?b=1"), "https://meet.example/a?b=1");
        for wrong in ["javascript:alert(1)", "meet.example", "https://a b", ""] {
            assert_eq!(web_link(wrong), "", "{wrong}");
        }
    }
}

//! Collects the invalid values of a practice's file.

use kernel::typed::MailAddress;

/// Invalid values in the order in which they are found.
#[derive(Default)]
pub(super) struct Problems(Vec<String>);

impl Problems {
    /// Each as its key and the reason.
    pub(super) fn into_list(self) -> Vec<String> {
        self.0
    }

    pub(super) fn unless(&mut self, good: bool, key: &str, why: &str) {
        if !good {
            self.0.push(format!("{key}: {why}"));
        }
    }

    pub(super) fn text(&mut self, key: &str, value: &str) {
        self.unless(!value.trim().is_empty(), key, "it is empty");
    }

    pub(super) fn phone(&mut self, key: &str, value: &str) {
        let digits = value.strip_prefix('+').unwrap_or_default();
        let good = (8..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        // No country's code begins with 0, which is dialled within a country (E.164).
        let good = good && !digits.starts_with('0');
        let why = "it must be + and 8 to 15 digits with the country's code first, without spaces";
        self.unless(good, key, why);
    }

    pub(super) fn email(&mut self, key: &str, value: &str) {
        // What is around a pasted address is dropped where it is typed, and would stay in a file.
        let is_whole =
            |read: &MailAddress| !value.is_ascii() || read.as_str().eq_ignore_ascii_case(value);
        let good = MailAddress::parse(value).is_ok_and(|read| is_whole(&read));
        let good = good && !value.contains(char::is_whitespace);
        self.unless(good, key, "it must be an e-mail address");
    }

    pub(super) fn range(&mut self, key: &str, value: i32, range: std::ops::RangeInclusive<i32>) {
        let why = format!("it must be between {} and {}", range.start(), range.end());
        self.unless(range.contains(&value), key, &why);
    }

    pub(super) fn colour(&mut self, key: &str, value: &str) {
        let digits = value.strip_prefix('#').unwrap_or_default();
        let good = digits.len() == 6 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        self.unless(good, key, "it must be a colour such as #2B6355");
    }
}

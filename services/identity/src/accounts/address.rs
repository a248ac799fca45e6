//! An email address in the canonical form by which accounts are found.

use std::fmt;

use kernel::typed::MailAddress;

/// A well-formed address in lower case. Personal data, so `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// Parses typed input; `None` when mail could not be delivered there.
    #[must_use]
    pub fn parse(typed: &str) -> Option<Self> {
        let address = MailAddress::parse(typed).ok()?.into_string();
        Some(Self(address.to_ascii_lowercase()))
    }

    /// A placeholder for an invalid setting until the reader reports the problem; not a valid
    /// address.
    pub(crate) fn placeholder() -> Self {
        Self(String::new())
    }

    /// The address with the beginning of its name only, for a mail that a stranger may read: its
    /// owner knows it again.
    #[must_use]
    pub fn shortened(&self) -> String {
        let (local, domain) = self.0.split_once('@').unwrap_or_default();
        let shown = if local.len() > 4 { 2 } else { 1 };
        let beginning: String = local.chars().take(shown).collect();
        format!("{beginning}…@{domain}")
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for EmailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EmailAddress(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::EmailAddress;

    #[test]
    fn addresses_are_found_whatever_their_case() {
        let address = EmailAddress::parse("  Asha.Rao+x@Example.TEST ").unwrap();
        assert_eq!(address.as_str(), "asha.rao+x@example.test");
        assert_eq!(format!("{address:?}"), "EmailAddress(…)");
    }

    #[test]
    fn two_spellings_of_an_international_domain_are_one_account() {
        let ascii = EmailAddress::parse("asha@xn--p1b6ci4b4b3a.xn--h2brj9c").unwrap();
        for typed in ["Asha@उदाहरण.भारत", "\u{feff}asha@उदाहरण.भारत\u{200b}"]
        {
            assert_eq!(EmailAddress::parse(typed), Some(ascii.clone()), "{typed:?}");
        }
        assert_eq!(EmailAddress::parse("аsha@example.test"), None);
    }

    #[test]
    fn undeliverable_addresses_are_rejected() {
        let long = format!("{}@example.test", "a".repeat(65));
        for wrong in [
            "",
            "asha",
            "asha@",
            "@example.test",
            "asha@example",
            "asha@-a.test",
            "a b@x.test",
            "asha@example.test>",
            ".a@x.test",
            "a..b@x.test",
            "a@b@c.test",
            "a\n@x.test",
            &long,
        ] {
            assert_eq!(EmailAddress::parse(wrong), None, "{wrong}");
        }
    }
}

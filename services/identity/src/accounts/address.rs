//! An email address in the canonical form by which accounts are found.

use std::fmt;

/// Limits of mail servers.
const BYTES_MAX: usize = 254;
const LOCAL_BYTES_MAX: usize = 64;
const LABEL_BYTES_MAX: usize = 63;

/// A well-formed address in lower case. Personal data, so `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct EmailAddress(String);

impl EmailAddress {
    /// Parses typed input; `None` when mail could not be delivered there.
    #[must_use]
    pub fn parse(typed: &str) -> Option<Self> {
        let address = typed.trim().to_ascii_lowercase();
        let (local, domain) = address.split_once('@')?;
        let formed = address.len() <= BYTES_MAX && is_local(local) && is_domain(domain);
        formed.then_some(Self(address))
    }

    /// A placeholder for an invalid setting until the reader reports the problem; not a valid
    /// address.
    pub(crate) fn placeholder() -> Self {
        Self(String::new())
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

fn is_local(local: &str) -> bool {
    let known = |b: u8| b.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&b);
    let dots = local.starts_with('.') || local.ends_with('.') || local.contains("..");
    !local.is_empty() && local.len() <= LOCAL_BYTES_MAX && local.bytes().all(known) && !dots
}

fn is_domain(domain: &str) -> bool {
    let label = |label: &str| {
        let known = label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let edges = label.starts_with('-') || label.ends_with('-');
        !label.is_empty() && label.len() <= LABEL_BYTES_MAX && known && !edges
    };
    domain.contains('.') && domain.split('.').all(label)
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

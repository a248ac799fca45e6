//! Mail addresses.

use std::fmt;

use url::Host;

use super::marks::{is_dropped, is_of_text};

/// The most characters of an address, of the part before the `@`, and of a part between two dots,
/// by SMTP.
const ADDRESS_MAX: usize = 254;
const LOCAL_MAX: usize = 64;
const LABEL_MAX: usize = 63;

/// A mail address: ASCII letters, digits and signs, an `@`, and a domain in small letters with a
/// dot, an international one in its ASCII form. So it cannot hold a second address, a header, or
/// text for a reader.
#[derive(Clone, PartialEq, Eq)]
pub struct MailAddress(String);

/// What is wrong with an address that was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressProblem {
    /// Nothing in it can be seen.
    Missing,
    /// No mail can be sent there.
    Malformed,
}

impl MailAddress {
    /// Reads an address, without the blanks, invisible marks and `mailto:` that pasting puts around
    /// it.
    pub fn parse(typed: &str) -> Result<Self, AddressProblem> {
        let plain: String = typed.chars().filter(|c| !is_dropped(*c) && !is_of_text(*c)).collect();
        let plain = plain.trim();
        let is_link = plain.get(..7).is_some_and(|head| head.eq_ignore_ascii_case("mailto:"));
        let plain = if is_link { plain.get(7..).unwrap_or_default() } else { plain };
        if plain.is_empty() {
            return Err(AddressProblem::Missing);
        }
        read(plain).map(Self).ok_or(AddressProblem::Malformed)
    }

    /// The address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

/// Prints no data, so that it never reaches a log.
impl fmt::Debug for MailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MailAddress")
    }
}

fn read(text: &str) -> Option<String> {
    let (local, domain) = text.rsplit_once('@')?;
    let domain = if domain.is_ascii() { domain.to_ascii_lowercase() } else { to_ascii(domain)? };
    let address = format!("{local}@{domain}");
    let good = is_local_part(local) && is_domain(&domain) && address.len() <= ADDRESS_MAX;
    good.then_some(address)
}

/// The ASCII form of an international domain (IDNA).
fn to_ascii(domain: &str) -> Option<String> {
    let is_unfit = |c: char| c.is_whitespace() || c.is_control() || "%/?#:\\[]".contains(c);
    if domain.chars().any(is_unfit) {
        return None;
    }
    match Host::parse(domain) {
        Ok(Host::Domain(domain)) => Some(domain),
        _ => None,
    }
}

fn is_local_part(text: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(&b);
    (1..=LOCAL_MAX).contains(&text.len())
        && text.bytes().all(allowed)
        && !text.starts_with('.')
        && !text.ends_with('.')
        && !text.contains("..")
}

fn is_domain(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=LABEL_MAX).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    // A last part of digits is the end of a number of a machine.
    let last = text.rsplit('.').next().unwrap_or_default();
    text.contains('.') && text.split('.').all(is_label) && !last.bytes().all(|b| b.is_ascii_digit())
}

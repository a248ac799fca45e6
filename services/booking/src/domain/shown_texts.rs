//! Which versions of the practice's texts a page showed when their terms were accepted.

/// The digits of a SHA-256 hash.
const HASH_DIGITS: usize = 64;
/// The longest version, in bytes; it is a day.
const VERSION_MAX: usize = 10;
/// The hours of notice that a page can have said.
pub const NOTICE_HOURS: std::ops::RangeInclusive<i32> = 0..=10_000;

/// One text, as the page named it. The practice need not know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownText {
    version: String,
    hash: String,
}

/// What a page showed; nothing of what it did not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShownTexts {
    /// The terms.
    pub terms: Option<ShownText>,
    /// The refund policy.
    pub refunds: Option<ShownText>,
    /// The privacy policy.
    pub privacy: Option<ShownText>,
    /// Until how many hours before its start the page said that a session can be cancelled.
    pub notice_hours: Option<i32>,
}

impl ShownText {
    /// Reads the name of a version; `None` when it can't be one.
    #[must_use]
    pub fn parse(version: String, hash: String) -> Option<Self> {
        let digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_hash = hash.len() == HASH_DIGITS && hash.bytes().all(digit);
        let is_version = (1..=VERSION_MAX).contains(&version.len())
            && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        (is_hash && is_version).then_some(Self { version, hash })
    }

    /// The day of its last change.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The hash of its words.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

/// What was accepted with a booking.
#[derive(Debug, Clone, Copy)]
pub struct Acceptance<'a> {
    /// What the page showed.
    pub shown: &'a ShownTexts,
    /// Until how many hours before its start each session can be cancelled with a refund, by the
    /// rule of this moment.
    pub notice_hours: i32,
}

#[cfg(test)]
mod tests {
    use super::ShownText;

    #[test]
    fn a_version_is_a_day_and_a_hash() {
        let parse = |version: &str, hash: &str| ShownText::parse(version.into(), hash.into());
        let hash = "0a".repeat(32);
        let read = parse("2026-11-22", &hash).unwrap();
        assert_eq!((read.version(), read.hash()), ("2026-11-22", &*hash));
        let upper = hash.to_uppercase();
        for (version, hash) in [
            ("", &*hash),
            ("yesterday", &hash),
            ("2026-11-22-2026", &hash),
            ("2026-11-22", ""),
            ("2026-11-22", &hash[1..]),
            ("2026-11-22", &upper),
        ] {
            assert_eq!(parse(version, hash), None, "{version} {hash}");
        }
    }
}

//! The key by which a repeated request is known again.

/// The most characters of a key.
const CHARS_MAX: usize = 64;

/// A caller's idempotency key: printable ASCII characters without blanks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Reads a key of `chars_min` to 64 characters. The method names the least, because a key that
    /// opens an answer must not be guessed.
    #[must_use]
    pub fn parse(text: &str, chars_min: usize) -> Option<Self> {
        let good = (chars_min..=CHARS_MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        good.then(|| Self(text.to_owned()))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::IdempotencyKey;

    #[test]
    fn a_key_has_its_length_and_can_be_printed() {
        for good in ["12345678", &"k".repeat(64), "0193-4000:abc"] {
            assert_eq!(IdempotencyKey::parse(good, 8).unwrap().as_str(), good);
        }
        for wrong in
            ["", "1234567", &"k".repeat(65), "1234 5678", "1234567\n", "ключключ", "nö-nö-nö"]
        {
            assert_eq!(IdempotencyKey::parse(wrong, 8), None, "{wrong:?}");
        }
        assert_eq!(IdempotencyKey::parse(&"k".repeat(15), 16), None);
        assert!(IdempotencyKey::parse(&"k".repeat(16), 16).is_some());
    }
}

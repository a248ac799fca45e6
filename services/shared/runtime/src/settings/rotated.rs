//! A secret that signs, and the previous one, which is still accepted, so that replacing the secret
//! does not invalidate older signatures.

use std::iter;

use secrecy::SecretString;

/// The current secret, and the previous one.
#[derive(Debug, Clone)]
pub struct RotatedSecret {
    current: SecretString,
    previous: Option<SecretString>,
}

impl RotatedSecret {
    /// A secret with the previous one.
    #[must_use]
    pub const fn new(current: SecretString, previous: Option<SecretString>) -> Self {
        Self { current, previous }
    }

    /// The current secret, for everything new.
    #[must_use]
    pub const fn current(&self) -> &SecretString {
        &self.current
    }

    /// The previous secret, which is accepted as well.
    #[must_use]
    pub const fn previous(&self) -> Option<&SecretString> {
        self.previous.as_ref()
    }

    /// Both, the current one first.
    pub fn all(&self) -> impl Iterator<Item = &SecretString> {
        iter::once(&self.current).chain(&self.previous)
    }
}

impl From<String> for RotatedSecret {
    fn from(current: String) -> Self {
        Self::new(current.into(), None)
    }
}

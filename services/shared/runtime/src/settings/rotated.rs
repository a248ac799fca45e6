//! A secret that signs, and the one before it, which is still accepted: so it is replaced without
//! ending what was made with the one before.

use std::iter;

use secrecy::SecretString;

/// The secret that is used for everything new, and the one that is accepted as well.
#[derive(Debug, Clone)]
pub struct RotatedSecret {
    current: SecretString,
    previous: Option<SecretString>,
}

impl RotatedSecret {
    /// A secret with the one before it.
    #[must_use]
    pub const fn new(current: SecretString, previous: Option<SecretString>) -> Self {
        Self { current, previous }
    }

    /// The one that is used for everything new.
    #[must_use]
    pub const fn current(&self) -> &SecretString {
        &self.current
    }

    /// The one that is accepted as well.
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

//! The provider's state: people, the codes and tokens that it gave them, and ordered mistakes.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::settings::OidcClient;

/// A person with an account at the provider.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Person {
    pub(crate) sub: String,
    pub(crate) email: Option<String>,
    #[serde(default)]
    pub(crate) email_verified: bool,
    pub(crate) name: Option<String>,
    pub(crate) given_name: Option<String>,
    pub(crate) family_name: Option<String>,
}

/// A code that the client has not exchanged yet.
#[derive(Clone)]
pub(super) struct Grant {
    pub(super) person: Person,
    pub(super) nonce: String,
    pub(super) redirect_uri: String,
    pub(super) code_challenge: String,
}

#[derive(Default)]
pub(super) struct Inner {
    pub(super) grants: HashMap<String, Grant>,
    /// People by their access tokens.
    pub(super) tokens: HashMap<String, Person>,
    pub(super) rotated: bool,
    /// What is wrong with the next tokens, in this order.
    pub(super) wrong: Vec<String>,
}

/// The provider's state.
pub(crate) struct Oidc {
    pub(super) client: OidcClient,
    inner: Mutex<Inner>,
}

impl Oidc {
    pub(crate) fn new(client: OidcClient) -> Self {
        Self { client, inner: Mutex::default() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is wrong with the token that is issued now.
    pub(super) fn take_wrong(&self) -> String {
        let mut inner = self.lock();
        if inner.wrong.is_empty() { String::new() } else { inner.wrong.remove(0) }
    }
}

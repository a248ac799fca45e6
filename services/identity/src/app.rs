//! What every endpoint works with, and what several of them do alike.

use std::sync::Arc;

use eventstore::{Metadata, Store};
use runtime::{BoxError, telemetry};
use url::Url;

use crate::config::AccountSettings;
use crate::hashing::Hasher;
use crate::redirect::Redirects;
use crate::secrets::CodeKey;
use crate::token::AccessTokens;

/// The service's parts. Cloning it shares them.
#[derive(Clone)]
pub struct App {
    state: Arc<AppState>,
}

/// What [`App`] shares.
pub struct AppState {
    /// The rows and the event log.
    pub store: Store,
    /// Makes and checks access tokens.
    pub tokens: AccessTokens,
    /// Makes and checks hashes of passwords.
    pub hasher: Hasher,
    /// Derives codes and links.
    pub codes: CodeKey,
    /// Where links may lead.
    pub redirects: Redirects,
    /// Whether an address has to be confirmed first.
    pub confirm_email: bool,
}

impl std::ops::Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.state
    }
}

impl App {
    /// Puts the parts together.
    ///
    /// # Errors
    /// When a key or the site's address cannot be used.
    pub fn new(store: Store, settings: &AccountSettings) -> Result<Self, BoxError> {
        let state = AppState {
            store,
            tokens: AccessTokens::new(&settings.signing_key, &settings.issuer)?,
            hasher: Hasher::new()?,
            codes: CodeKey::new(&settings.code_key)?,
            redirects: Redirects::new(Url::parse(&settings.public_url)?),
            confirm_email: settings.confirm_email,
        };
        Ok(Self { state: Arc::new(state) })
    }
}

/// What is kept beside an event of this service: people act through nobody else here.
#[must_use]
pub fn metadata() -> Metadata {
    Metadata::by(crate::NAME, telemetry::traceparent())
}

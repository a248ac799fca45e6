//! The shared state of all endpoints.

pub mod policy;
pub mod features;
pub mod account;
pub mod reset_factors;
pub mod enroll_factor;
pub mod service_key;
pub mod reseal;
pub mod older_ways;

use std::sync::Arc;

use eventstore::{Metadata, Store};
use runtime::BoxError;
use secrecy::SecretString;
use url::Url;

use crate::accounts::hashing::Hasher;
use crate::app::features::Features;
use crate::app::policy::Policy;
use crate::guard::spray::Spray;
use crate::guard::work::Work;
use crate::providers::Provider;
use crate::tokens::redirect::Redirects;
use crate::tokens::sealing::Sealer;
use crate::tokens::secrets::CodeKey;
use crate::tokens::token::AccessTokens;
use crate::tokens::webauthn::RelyingParty;

/// The actor of this service's events.
const ACTOR: &str = "identity";

/// How accounts and their tokens are made.
#[derive(Debug, Clone)]
pub struct AccountSettings {
    /// The site's URL; `PUBLIC_URL`.
    pub public_url: String,
    /// The issuer of access tokens; `TOKEN_ISSUER`.
    pub issuer: String,
    /// The P-256 key that signs access tokens, PKCS#8 PEM; `IDENTITY_SIGNING_KEY`.
    pub signing_key: SecretString,
    /// The secret from which codes are derived; `IDENTITY_CODE_KEY`.
    pub code_key: SecretString,
    /// Keys before and after those above, while they change.
    pub other_keys: OtherKeys,
    /// Whether an address must be confirmed by a code before sign-in; `IDENTITY_CONFIRM_EMAIL`,
    /// true by default. Without it, signing up reveals whether an address has an account.
    pub confirm_email: bool,
    /// How many seconds an access token is valid; `IDENTITY_ACCESS_TOKEN_SECONDS`.
    pub access_token_seconds: i64,
    /// The rules that a practice may change.
    pub policy: Policy,
    /// The most mails with codes of an hour, for all addresses together;
    /// `IDENTITY_CODE_MAILS_PER_HOUR`, 300 by default.
    pub code_mails_per_hour: u32,
    /// The ways to sign in that are switched on.
    pub features: Features,
    /// Whether sign-ups, sign-ins and requests for codes need the contract's captcha token;
    /// `IDENTITY_CAPTCHA_REQUIRED`, false by default.
    pub captcha_required: bool,
}

/// Keys that are accepted beside the current ones, so that a change of the keys ends no session.
#[derive(Debug, Clone, Default)]
pub struct OtherKeys {
    /// The former signing key, until its access tokens have expired;
    /// `IDENTITY_SIGNING_KEY_PREVIOUS`.
    pub signing_previous: Option<SecretString>,
    /// The next signing key, which is published before it signs; `IDENTITY_SIGNING_KEY_NEXT`.
    pub signing_next: Option<SecretString>,
    /// The former code key; `IDENTITY_CODE_KEY_PREVIOUS`.
    pub code_previous: Option<SecretString>,
}

/// A cheap, shared handle to the service's state.
#[derive(Clone)]
pub struct App {
    state: Arc<AppState>,
}

/// The state that [`App`] shares.
pub struct AppState {
    /// The database: rows and the event log.
    pub store: Store,
    /// Signs and verifies access tokens.
    pub tokens: AccessTokens,
    /// Creates and verifies password hashes.
    pub hasher: Hasher,
    /// Detects guesses over many accounts.
    pub spray: Arc<Spray>,
    /// Verifies proofs of work.
    pub work: Work,
    /// Whether all clients need one.
    pub captcha_required: bool,
    /// The most mails with codes of an hour.
    pub code_mails_per_hour: u32,
    /// Derives codes and links.
    pub codes: CodeKey,
    /// Builds links and checks redirects.
    pub redirects: Redirects,
    /// Seals the secrets of second factors.
    pub sealer: Sealer,
    /// The site as passkeys and security keys know it.
    pub relying_party: RelyingParty,
    /// Whether addresses must be confirmed before sign-in.
    pub confirm_email: bool,
    /// The rules that a practice may change.
    pub policy: Policy,
    /// The ways to sign in that are switched on.
    pub features: Features,
    /// Other providers at which a person may sign in.
    pub providers: Vec<Provider>,
}

impl std::ops::Deref for App {
    type Target = AppState;

    fn deref(&self) -> &AppState {
        &self.state
    }
}

impl App {
    /// Builds the state from the settings.
    ///
    /// # Errors
    /// When a key or the site's address cannot be used.
    pub fn new(store: Store, settings: &AccountSettings) -> Result<Self, BoxError> {
        let others = &settings.other_keys;
        let verifying: Vec<&SecretString> =
            others.signing_previous.iter().chain(&others.signing_next).collect();
        let (key, issuer) = (&settings.signing_key, &settings.issuer);
        let codes = CodeKey::new(&settings.code_key)?.after(others.code_previous.as_ref())?;
        let site = Url::parse(&settings.public_url)?;
        let providers = settings.features.providers.iter().cloned().map(Provider::new);
        let state = AppState {
            store,
            tokens: AccessTokens::with_others(key, &verifying, issuer)?
                .lasting(settings.access_token_seconds),
            hasher: Hasher::new()?,
            spray: Arc::new(Spray::new()),
            work: Work::default(),
            captcha_required: settings.captcha_required,
            code_mails_per_hour: settings.code_mails_per_hour,
            sealer: Sealer::new(&codes.sealing_key())?
                .after(codes.former_sealing_key().as_ref())?,
            codes,
            relying_party: RelyingParty::new(&site)?,
            redirects: Redirects::new(
                site,
                &settings.policy.origins,
                settings.policy.verify_by_get.then_some(settings.issuer.as_str()),
            ),
            confirm_email: settings.confirm_email,
            policy: settings.policy.clone(),
            features: settings.features.clone(),
            providers: providers.collect::<Result<_, _>>()?,
        };
        Ok(Self { state: Arc::new(state) })
    }
}

/// The metadata of this service's events; the actor is always the service itself.
#[must_use]
pub fn metadata() -> Metadata {
    Metadata::traced(ACTOR)
}

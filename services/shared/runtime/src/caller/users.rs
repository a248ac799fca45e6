//! People's access tokens, verified with the identity server's public keys.
//!
//! The keys are cached, so that people stay signed in while the identity server is down.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use http::HeaderMap;
use http::header::AUTHORIZATION;
use jsonwebtoken::{decode, decode_header};
use kernel::id::Customer;
use kernel::{Id, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep};
use tonic::Status;
use tonic::metadata::MetadataMap;
use uuid::Uuid;

use super::jwks::Keys;
use super::rules::{TOKEN_BYTES_MAX, rules, unix_seconds};
use crate::error::BoxError;
use crate::scope::carried;
use crate::settings::Reader;
use crate::status;

/// What GoTrue writes into the audience of people who signed in.
const AUDIENCE: &str = "authenticated";
/// The shortest time between two fetches of the keys because of an unknown key.
const REFRESH_SPACING: Duration = Duration::from_secs(30);
/// After a failed try the next one comes sooner.
const RETRY_SPACING: Duration = Duration::from_secs(1);
/// The keys are fetched again after this time, so that withdrawn ones are dropped.
const KEYS_LIFE: Duration = Duration::from_secs(600);
/// How many tries a fetch of the keys has, and the pause between two.
const FETCH_TRIES: u32 = 3;
const FETCH_PAUSE: Duration = Duration::from_millis(200);

/// Where people's tokens come from.
#[derive(Debug, Clone)]
pub struct UserSettings {
    /// Where the public keys are; `TOKEN_JWKS_URL`.
    pub jwks_url: String,
    /// Who must have issued a token; `TOKEN_ISSUER`.
    pub issuer: String,
    /// Our identity service, which knows the sessions that ended; `IDENTITY_GRPC_URL`. Absent with
    /// a hosted identity server: then an access token is accepted until it runs out.
    pub identity_url: Option<String>,
}

impl UserSettings {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            jwks_url: reader.url("TOKEN_JWKS_URL"),
            issuer: reader.url("TOKEN_ISSUER"),
            identity_url: reader.optional_url("IDENTITY_GRPC_URL"),
        }
    }
}

/// How strongly a person was authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Aal {
    /// By one factor.
    #[default]
    Aal1,
    /// By two, or by a passkey that verified its user.
    Aal2,
}

impl Aal {
    /// Reads the claim; what is not known counts as one factor.
    fn of_claim(word: &str) -> Self {
        match word {
            "aal2" | "aal3" => Self::Aal2,
            _ => Self::Aal1,
        }
    }
}

/// An authenticated person.
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    /// The token's `sub`.
    pub id: Uuid,
    /// The same as a customer's id.
    pub customer: Id<Customer>,
    /// The address of the account, in lower case; empty if it has none. Personal data.
    pub email: String,
    /// Whether the identity server has proved that the account's owner reads that address's mail;
    /// no for a server that does not say.
    pub email_verified: bool,
    /// How strongly they were authenticated; one factor for a server that does not say.
    pub aal: Aal,
    /// When the session has last shown a second factor; never at one factor.
    pub second_factor_at: Option<Timestamp>,
    /// Whether the account has a second factor, used by this session or not; no for a server that
    /// does not say.
    pub has_second_factor: bool,
    /// The session that the token belongs to, if it says so.
    pub session_id: Option<Uuid>,
    /// When the token ends.
    pub expires_at: Timestamp,
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User").field("customer", &self.customer).finish_non_exhaustive()
    }
}

impl User {
    /// The highest level that the account is known to reach: that of the session, or two factors if
    /// it has them.
    #[must_use]
    pub fn reach(&self) -> Aal {
        if self.has_second_factor { Aal::Aal2 } else { self.aal }
    }

    /// How many seconds ago the session has shown a second factor, by this machine's clock, as
    /// access tokens end; never at one factor.
    #[must_use]
    pub fn second_factor_age(&self) -> Option<i64> {
        let now = i64::try_from(unix_seconds()).unwrap_or(i64::MAX);
        self.second_factor_at.map(|at| now.saturating_sub(at.seconds()))
    }

    /// How long the token is still good: a stream ends with it.
    #[must_use]
    pub fn time_left(&self) -> Duration {
        let end = u64::try_from(self.expires_at.seconds()).unwrap_or_default();
        Duration::from_secs(end.saturating_sub(unix_seconds()))
    }
}

kernel::rejections! {
    /// Why a person is refused.
    pub enum UserError {
        Missing: Unauthenticated "TOKEN_MISSING", "Please sign in.";
        Invalid: Unauthenticated "TOKEN_INVALID", "Your session has ended. Please sign in again.";
        // The identity server has not given its keys yet.
        KeysUnavailable: Unavailable "SERVICE_UNAVAILABLE",
            "This part is not available right now. Please try again.";
    }
}

#[derive(Deserialize)]
struct Claims {
    sub: Uuid,
    exp: i64,
    #[serde(default)]
    email: String,
    #[serde(default)]
    email_verified: bool,
    #[serde(default)]
    aal: String,
    #[serde(default)]
    amr: Value,
    #[serde(default)]
    has_second_factor: bool,
    session_id: Option<Uuid>,
}

/// The methods of the claim `amr` that are second factors, as GoTrue and our identity service name
/// them. The others are first ones, and may be newer.
const SECOND_FACTORS: [&str; 6] =
    ["totp", "passkey", "mfa/totp", "mfa/webauthn", "mfa/phone", "mfa/recovery_code"];

/// The newest time of a second factor in the claim `amr`.
fn second_factor_at(amr: &Value) -> Option<Timestamp> {
    let proofs = amr.as_array().into_iter().flatten();
    let is_second = |proof: &&Value| SECOND_FACTORS.iter().any(|it| proof["method"] == **it);
    let newest = proofs.filter(is_second).filter_map(|proof| proof["timestamp"].as_i64()).max();
    Timestamp::from_seconds(newest?)
}

/// Verifies access tokens. Clones share the keys.
#[derive(Clone)]
pub struct Users {
    inner: Arc<Inner>,
}

struct Inner {
    settings: UserSettings,
    http: reqwest::Client,
    keys: RwLock<Option<CachedKeys>>,
    /// When the keys were last fetched, and whether that succeeded. The holder of the lock fetches
    /// them.
    asked: Mutex<Option<(Instant, bool)>>,
    /// Sessions whose tokens are refused although they have not expired.
    ended_sessions: RwLock<HashSet<Uuid>>,
}

#[derive(Clone)]
struct CachedKeys {
    keys: Arc<Keys>,
    since: Instant,
}

impl fmt::Debug for Users {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Users").field("issuer", &self.inner.settings.issuer).finish_non_exhaustive()
    }
}

impl Users {
    /// A verifier that fetches the keys with the first token.
    pub fn new(settings: &UserSettings) -> Result<Self, reqwest::Error> {
        let inner = Inner {
            settings: settings.clone(),
            http: crate::http::inner_client()?,
            keys: RwLock::new(None),
            asked: Mutex::new(None),
            ended_sessions: RwLock::default(),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// A verifier with the keys of a JWKS document, so that the first token needs no answer of the
    /// identity server. Tests need no identity server with it.
    ///
    /// # Errors
    /// The HTTP client cannot be built, or the document has no key that can be used.
    pub fn with_keys(settings: &UserSettings, document: &str) -> Result<Self, BoxError> {
        let users = Self::new(settings)?;
        users.keep(Arc::new(Keys::parse(document)?));
        Ok(users)
    }

    /// Authenticates the person behind a gRPC call. Public methods that need a person call it
    /// first.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` with `TOKEN_MISSING` or `TOKEN_INVALID`, or `UNAVAILABLE`.
    pub async fn verify(&self, metadata: &MetadataMap) -> Result<User, Status> {
        let value = metadata.get("authorization").and_then(|value| value.to_str().ok());
        self.verify_header(value).await.map_err(|refusal| status::reject(&refusal))
    }

    /// The person behind an HTTP request.
    ///
    /// # Errors
    /// Why they are not let in.
    pub async fn verify_headers(&self, headers: &HeaderMap) -> Result<User, UserError> {
        self.verify_header(headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok())).await
    }

    /// The person behind a token without its `Bearer`.
    ///
    /// # Errors
    /// Why they are not let in.
    pub async fn verify_token(&self, token: &str) -> Result<User, UserError> {
        if token.is_empty() {
            return Err(UserError::Missing);
        }
        if token.len() > TOKEN_BYTES_MAX {
            return Err(UserError::Invalid);
        }
        let header = decode_header(token).map_err(|_malformed| UserError::Invalid)?;
        let kid = header.kid.ok_or(UserError::Invalid)?;
        let keys = self.keys_with(&kid).await?;
        let key = keys.get(&kid).ok_or(UserError::Invalid)?;
        let rules = rules(&self.inner.settings.issuer, AUDIENCE);
        let claims =
            decode::<Claims>(token, key, &rules).map_err(|_refused| UserError::Invalid)?.claims;
        if claims.session_id.is_some_and(|session_id| self.has_ended(session_id)) {
            return Err(UserError::Invalid);
        }
        let aal = Aal::of_claim(&claims.aal);
        let shown_at = second_factor_at(&claims.amr).filter(|_| aal == Aal::Aal2);
        Ok(User {
            id: claims.sub,
            customer: Id::from_uuid(claims.sub),
            email: claims.email.to_lowercase(),
            email_verified: claims.email_verified,
            aal,
            second_factor_at: shown_at,
            has_second_factor: claims.has_second_factor,
            session_id: claims.session_id,
            expires_at: Timestamp::from_seconds(claims.exp).ok_or(UserError::Invalid)?,
        })
    }

    /// Our identity service, if the identity server is ours.
    pub(crate) fn identity_url(&self) -> Option<&str> {
        self.inner.settings.identity_url.as_deref()
    }

    /// Replaces the list of sessions whose tokens are refused.
    pub(crate) fn refuse_sessions(&self, ended: HashSet<Uuid>) {
        *self.inner.ended_sessions.write().unwrap_or_else(PoisonError::into_inner) = ended;
    }

    fn has_ended(&self, session_id: Uuid) -> bool {
        let ended = self.inner.ended_sessions.read().unwrap_or_else(PoisonError::into_inner);
        ended.contains(&session_id)
    }

    async fn verify_header(&self, value: Option<&str>) -> Result<User, UserError> {
        let (scheme, token) = value.and_then(|v| v.split_once(' ')).ok_or(UserError::Missing)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(UserError::Missing);
        }
        self.verify_token(token.trim()).await
    }

    fn known(&self) -> Option<CachedKeys> {
        // A panic elsewhere cannot leave the keys half-written.
        self.inner.keys.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep(&self, keys: Arc<Keys>) {
        let fresh = CachedKeys { keys, since: Instant::now() };
        *self.inner.keys.write().unwrap_or_else(PoisonError::into_inner) = Some(fresh);
    }

    /// The keys, fetched again if `kid` is not among them or if they are old.
    async fn keys_with(&self, kid: &str) -> Result<Arc<Keys>, UserError> {
        match self.known() {
            Some(known) if known.keys.get(kid).is_some() => {
                if known.since.elapsed() > KEYS_LIFE && self.inner.asked.try_lock().is_ok() {
                    // No request waits for this fetch: the old keys stay valid meanwhile.
                    let users = self.clone();
                    tokio::spawn(carried(async move { users.refresh(None).await }));
                }
                Ok(known.keys)
            }
            _ => self.refresh(Some(kid)).await,
        }
    }

    /// Fetches the keys, unless another request has just done so.
    async fn refresh(&self, wanted: Option<&str>) -> Result<Arc<Keys>, UserError> {
        let mut asked = self.inner.asked.lock().await;
        let known = self.known();
        // The previous holder of the lock may have fetched the key.
        if let (Some(known), Some(kid)) = (&known, wanted)
            && known.keys.get(kid).is_some()
        {
            return Ok(known.keys.clone());
        }
        if let Some((at, came)) = *asked {
            let spacing = if came { REFRESH_SPACING } else { RETRY_SPACING };
            if at.elapsed() < spacing {
                let old = known.filter(|_| came).map(|known| known.keys);
                return old.ok_or(UserError::KeysUnavailable);
            }
        }
        let fetched = self.fetch().await;
        *asked = Some((Instant::now(), fetched.is_ok()));
        match fetched {
            Ok(keys) => {
                let keys = Arc::new(keys);
                self.keep(keys.clone());
                Ok(keys)
            }
            Err(error) => {
                tracing::warn!(error = status::chain(error.as_ref()), "no keys of people's tokens");
                Err(UserError::KeysUnavailable)
            }
        }
    }

    async fn fetch(&self) -> Result<Keys, BoxError> {
        let mut tries = 1;
        loop {
            match self.fetch_once().await {
                Err(_) if tries < FETCH_TRIES => tries += 1,
                done => return done,
            }
            sleep(FETCH_PAUSE).await;
        }
    }

    async fn fetch_once(&self) -> Result<Keys, BoxError> {
        let url = &self.inner.settings.jwks_url;
        let answer = self.inner.http.get(url).timeout(Duration::from_secs(3)).send().await?;
        Ok(Keys::parse(&answer.error_for_status()?.text().await?)?)
    }
}

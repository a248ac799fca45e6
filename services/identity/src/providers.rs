//! OpenID providers: their discovery documents and keys, and the exchange of codes.

use std::time::Duration;

use jsonwebtoken::jwk::JwkSet;
use kernel::Timestamp;
use reqwest::RequestBuilder;
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

use crate::tokens::id_token::{self, IdClaims, Refused};

/// How long a discovery document is kept.
const DISCOVERY_KEPT: Duration = Duration::from_secs(3600);
/// How long keys are kept.
const KEYS_KEPT: Duration = Duration::from_secs(600);
/// How long keys are kept at least when a token names another one, so that invented names do not
/// make us ask again and again.
const KEYS_KEPT_AT_LEAST: Duration = Duration::from_secs(10);
/// Maximum bytes of an answer.
const ANSWER_BYTES_MAX: usize = 256 * 1024;

/// A provider, and this server as its client.
#[derive(Debug, Clone)]
pub struct ProviderSettings {
    /// Its name in the contract: `google`, `apple`, or `keycloak` for any other.
    pub name: String,
    /// Its issuer, below which its discovery document is.
    pub issuer: String,
    /// The client's id; `IDENTITY_GOOGLE_CLIENT_ID` and the like.
    pub client_id: String,
    /// The client's secret; `IDENTITY_GOOGLE_SECRET` and the like. Apple's is a token that it
    /// signs, and ends.
    pub client_secret: SecretString,
}

/// Why a provider could not be asked, or why its token is not taken.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// It did not answer.
    #[error("the provider did not answer")]
    NoResponse(#[source] reqwest::Error),
    /// It answered an error, or nothing that can be read.
    #[error("the provider's answer cannot be used: {0}")]
    Answer(&'static str),
    /// The token is not taken.
    #[error("the ID token is refused")]
    Token(#[from] Refused),
}

/// The parts of a discovery document that are used.
#[derive(Debug, Clone)]
pub struct Discovery {
    issuer: String,
    /// Where the person signs in.
    pub authorization_endpoint: Url,
    token_endpoint: Url,
    jwks_uri: Url,
    userinfo_endpoint: Option<Url>,
}

/// The same as it is written.
#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    userinfo_endpoint: Option<String>,
}

impl Discovery {
    /// Checks a document: it is the issuer's, and secure where the issuer's address is.
    fn of(document: Document, issuer: &str) -> Result<Self, ProviderError> {
        if document.issuer.trim_end_matches('/') != issuer {
            return Err(ProviderError::Answer("its discovery names another issuer"));
        }
        let secure = issuer.starts_with("https://");
        let parse = |text: &str| {
            let url = Url::parse(text).ok().filter(|url| !secure || url.scheme() == "https");
            url.ok_or(ProviderError::Answer("its discovery names an unusable address"))
        };
        Ok(Self {
            authorization_endpoint: parse(&document.authorization_endpoint)?,
            token_endpoint: parse(&document.token_endpoint)?,
            jwks_uri: parse(&document.jwks_uri)?,
            userinfo_endpoint: document.userinfo_endpoint.as_deref().map(parse).transpose()?,
            issuer: document.issuer,
        })
    }
}

/// What a code was exchanged for. It holds tokens, so it has no `Debug`.
#[derive(Deserialize)]
pub struct Exchanged {
    /// Opens the provider's interfaces.
    pub access_token: String,
    /// Continues it.
    pub refresh_token: Option<String>,
    id_token: String,
}

#[derive(Deserialize)]
struct UserInfo {
    sub: String,
    email: Option<String>,
    #[serde(default, deserialize_with = "id_token::flag")]
    email_verified: bool,
}

/// What was read of a provider, and when.
#[derive(Default)]
struct Cache {
    discovery: Option<(Discovery, Instant)>,
    keys: Option<(JwkSet, Instant)>,
}

/// A provider with what was read of it.
pub struct Provider {
    /// Its settings.
    pub settings: ProviderSettings,
    http: reqwest::Client,
    cache: Mutex<Cache>,
}

impl Provider {
    /// A client of the provider of these settings.
    pub fn new(settings: ProviderSettings) -> Result<Self, reqwest::Error> {
        Ok(Self { settings, http: runtime::http::client()?, cache: Mutex::default() })
    }

    /// The discovery document.
    ///
    /// # Errors
    /// When the provider does not answer with one.
    pub async fn discovery(&self) -> Result<Discovery, ProviderError> {
        let mut kept = self.cache.lock().await;
        if let Some((discovery, at)) = &kept.discovery
            && at.elapsed() < DISCOVERY_KEPT
        {
            return Ok(discovery.clone());
        }
        let issuer = self.settings.issuer.trim_end_matches('/');
        let url = format!("{issuer}/.well-known/openid-configuration");
        let discovery = Discovery::of(read(self.http.get(url)).await?, issuer)?;
        kept.discovery = Some((discovery.clone(), Instant::now()));
        Ok(discovery)
    }

    /// Its keys, read anew when those that are kept are older than this.
    async fn keys(&self, kept_for: Duration) -> Result<JwkSet, ProviderError> {
        let jwks_uri = self.discovery().await?.jwks_uri;
        let mut kept = self.cache.lock().await;
        if let Some((keys, at)) = &kept.keys
            && at.elapsed() < kept_for
        {
            return Ok(keys.clone());
        }
        let keys: JwkSet = read(self.http.get(jwks_uri)).await?;
        kept.keys = Some((keys.clone(), Instant::now()));
        Ok(keys)
    }

    /// The claims of a token that this provider issued to us. A key that is not known is looked for
    /// among its present ones.
    ///
    /// # Errors
    /// When the token is not taken, or the provider does not answer.
    pub async fn verify(&self, token: &str, now: Timestamp) -> Result<IdClaims, ProviderError> {
        // What the discovery document says is compared to the letter.
        let issuer = self.discovery().await?.issuer;
        let expected = (issuer.as_str(), self.settings.client_id.as_str());
        let keys = self.keys(KEYS_KEPT).await?;
        let found = id_token::verify(token, &keys, expected, now);
        if !matches!(found, Err(Refused::UnknownKey)) {
            return Ok(found?);
        }
        let keys = self.keys(KEYS_KEPT_AT_LEAST).await?;
        Ok(id_token::verify(token, &keys, expected, now)?)
    }

    /// Exchanges a code, and returns the claims of the person with the provider's tokens.
    ///
    /// # Errors
    /// When the provider refuses the code, or its token is not taken.
    pub async fn exchange(
        &self,
        code: &str,
        (redirect_uri, code_verifier): (&str, &str),
        now: Timestamp,
    ) -> Result<(IdClaims, Exchanged), ProviderError> {
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("code_verifier", code_verifier),
            ("client_id", self.settings.client_id.as_str()),
            ("client_secret", self.settings.client_secret.expose_secret()),
        ];
        let body =
            url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = self
            .http
            .post(self.discovery().await?.token_endpoint)
            .header("content-type", "application/x-www-form-urlencoded")
            .header("accept", "application/json")
            .body(body);
        let exchanged: Exchanged = read(request).await?;
        let mut claims = self.verify(&exchanged.id_token, now).await?;
        if !id_token::is_hash_of(claims.at_hash.as_deref(), &exchanged.access_token) {
            return Err(ProviderError::Answer("its access token belongs to another ID token"));
        }
        if claims.email.is_none() {
            self.add_address(&mut claims, &exchanged.access_token).await?;
        }
        Ok((claims, exchanged))
    }

    /// Some providers tell the address only there.
    async fn add_address(
        &self,
        claims: &mut IdClaims,
        access_token: &str,
    ) -> Result<(), ProviderError> {
        let Some(url) = self.discovery().await?.userinfo_endpoint else { return Ok(()) };
        let info: UserInfo = read(self.http.get(url).bearer_auth(access_token)).await?;
        if info.sub != claims.sub {
            return Err(ProviderError::Answer("its userinfo is about another person"));
        }
        claims.email = info.email;
        claims.email_verified = info.email_verified;
        Ok(())
    }
}

/// Sends a request and reads a JSON answer of bounded size.
async fn read<T: DeserializeOwned>(request: RequestBuilder) -> Result<T, ProviderError> {
    let failed = |error: reqwest::Error| ProviderError::NoResponse(error.without_url());
    let mut answer = request.send().await.map_err(failed)?;
    if !answer.status().is_success() {
        return Err(ProviderError::Answer("it answered an error"));
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(failed)? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > ANSWER_BYTES_MAX {
            return Err(ProviderError::Answer("it is too long"));
        }
    }
    serde_json::from_slice(&bytes).map_err(|_malformed| ProviderError::Answer("it is malformed"))
}

#[cfg(test)]
mod tests {
    use super::{Discovery, Document};

    fn of(named: &str, issuer: &str, token_endpoint: &str) -> bool {
        let document = Document {
            issuer: named.to_owned(),
            authorization_endpoint: format!("{issuer}/authorize"),
            token_endpoint: token_endpoint.to_owned(),
            jwks_uri: format!("{issuer}/keys"),
            userinfo_endpoint: None,
        };
        Discovery::of(document, issuer).is_ok()
    }

    #[test]
    fn a_discovery_document_names_the_configured_issuer() {
        let (issuer, token) = ("https://id.example/realm", "https://id.example/realm/token");
        assert!(of(issuer, issuer, token));
        assert!(of("https://id.example/realm/", issuer, token));
        for other in [
            "https://other.example/realm",
            "https://id.example",
            "https://id.example/realm2",
            "https://ID.example/realm",
            "http://id.example/realm",
            "",
        ] {
            assert!(!of(other, issuer, token), "{other}");
        }
        assert!(!of(issuer, issuer, "http://id.example/realm/token"), "secure throughout");
    }
}

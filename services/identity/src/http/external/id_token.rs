//! The grant by an ID token, as an app gets it from the provider's own library.

use axum::response::Response;
use kernel::hex;
use sha2::{Digest as _, Sha256};

use crate::app::App;
use crate::guard::security_log::{About, Outcome};
use crate::http::error::ApiError;
use crate::http::external::account::{self, Arrival, Entered};
use crate::http::objects;
use crate::http::request::quotable;
use crate::providers::{Provider, ProviderError};
use crate::repository::sessions::Device;
use crate::tokens::id_token::{self, IdClaims, Refused};
use crate::tokens::secrets::constant_time_eq;

/// The providers of the contract that have one issuer everywhere.
const ISSUERS: &[(&str, &str)] = &[
    ("google", "https://accounts.google.com"),
    ("apple", "https://appleid.apple.com"),
    ("azure", "https://login.microsoftonline.com/common/v2.0"),
    ("facebook", "https://www.facebook.com"),
    ("kakao", "https://kauth.kakao.com"),
    ("keycloak", ""),
];

/// What the request shows; empty texts are absent.
pub(crate) struct Shown<'a> {
    pub(crate) provider: Option<&'a str>,
    pub(crate) client_id: Option<&'a str>,
    pub(crate) issuer: Option<&'a str>,
    pub(crate) id_token: Option<&'a str>,
    pub(crate) access_token: Option<&'a str>,
    pub(crate) nonce: Option<&'a str>,
}

pub(crate) async fn grant(
    app: &App,
    shown: Shown<'_>,
    device: Device,
) -> Result<Response, ApiError> {
    let token = shown.id_token.ok_or_else(|| invalid("id_token required"))?;
    if shown.provider.is_none() && (shown.client_id.is_none() || shown.issuer.is_none()) {
        return Err(invalid("provider or client_id and issuer required"));
    }
    let provider = provider(app, &shown)?;
    let wrong = || account::write_line(Outcome::WrongProof, About::NoAccount);
    let claims = verify(app, provider, token).await.inspect_err(|_| wrong())?;
    if !id_token::is_hash_of(claims.at_hash.as_deref(), shown.access_token.unwrap_or_default())
        && shown.access_token.is_some()
    {
        wrong();
        return Err(invalid("Bad ID token"));
    }
    check_nonce(&claims, shown.nonce).inspect_err(|_| wrong())?;
    let provider = provider.settings.name.clone();
    let arrival = Arrival { provider, claims, device };
    match account::enter(app, arrival, (None, None)).await? {
        Entered::SignedIn(opened) => objects::session(app, &opened),
        Entered::Banned => Err(account::banned()),
        Entered::AuthCode(_) => Err(ApiError::oauth("server_error", "Internal Server Error")),
    }
}

/// The provider that is named, or whose issuer is.
fn provider<'a>(app: &'a App, shown: &Shown<'_>) -> Result<&'a Provider, ApiError> {
    let named = |provider: &&Provider| match shown.provider {
        Some(name) => provider.settings.name == name,
        None => shown.issuer.is_some_and(|issuer| {
            provider.settings.issuer.trim_end_matches('/') == issuer.trim_end_matches('/')
        }),
    };
    if let Some(provider) = app.providers.iter().find(named) {
        return Ok(provider);
    }
    let known = ISSUERS.iter().find(|(name, issuer)| {
        let by_issuer = shown.issuer.is_some_and(|named| !issuer.is_empty() && named == *issuer);
        shown.provider == Some(*name) || by_issuer
    });
    Err(match known {
        Some((_, issuer)) => {
            let message = format!("Provider (issuer \"{issuer}\") is not enabled");
            ApiError::bad("provider_disabled", message)
        }
        None => {
            let named = quotable(shown.provider.unwrap_or_default());
            ApiError::invalid(format!("Custom OIDC provider \"{named}\" not allowed"))
        }
    })
}

async fn verify(app: &App, provider: &Provider, token: &str) -> Result<IdClaims, ApiError> {
    let now = app.store.now().await?;
    match provider.verify(token, now).await {
        Ok(claims) => Ok(claims),
        Err(ProviderError::Token(Refused::Audience)) => {
            Err(invalid("Unacceptable audience in id_token"))
        }
        Err(ProviderError::Token(why)) => {
            tracing::info!(%why, provider = provider.settings.name, "an ID token is refused");
            Err(invalid("Bad ID token"))
        }
        Err(error) => Err(error.into()),
    }
}

/// The token has the hash of the nonce, so that only the app that asked for it can use it.
fn check_nonce(claims: &IdClaims, nonce: Option<&str>) -> Result<(), ApiError> {
    match (claims.nonce.as_deref().filter(|nonce| !nonce.is_empty()), nonce) {
        (None, None) => Ok(()),
        (Some(hash), Some(nonce)) => {
            let right = hex::encode(Sha256::digest(nonce));
            if constant_time_eq(right.as_bytes(), hash.as_bytes()) {
                return Ok(());
            }
            Err(ApiError::oauth("invalid nonce", "Nonces mismatch"))
        }
        _ => {
            let message = "Passed nonce and nonce in id_token should either both exist or not.";
            Err(invalid(message))
        }
    }
}

fn invalid(message: &'static str) -> ApiError {
    ApiError::oauth("invalid request", message)
}

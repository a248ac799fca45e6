//! Services authenticate to each other with a token that lives a minute.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use jsonwebtoken::{Algorithm, EncodingKey, Header, decode, decode_header, encode};
use kernel::Reject as _;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use tonic::Status;
use tonic::metadata::MetadataMap;

use super::es256::{self, Signer};
use super::jwks::{Keys, KeysError};
use super::rules::{CALLER_TOKEN, LEEWAY, TOKEN_BYTES_MAX, rules, unix_seconds};
use crate::settings::Reader;
use crate::status;
use crate::tls::CALLER_CERTIFICATE;

/// How long a token lives.
const LIFE_SECONDS: u64 = 60;
/// A token that ends sooner than this is not used for another call.
const REUSE_UNTIL_SECONDS: u64 = 20;

/// The keys with which services know each other.
#[derive(Debug, Clone)]
pub struct PeerSettings {
    /// This process's own key, PKCS#8 PEM; `CALLER_PRIVATE_KEY`.
    pub private_key: SecretString,
    /// Every service's public key, a JWKS with the service's name as `kid`; `CALLER_PUBLIC_KEYS`.
    pub public_keys: String,
}

impl PeerSettings {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        let private_key = reader.secret("CALLER_PRIVATE_KEY");
        let public_keys = reader.required("CALLER_PUBLIC_KEYS");
        if !public_keys.is_empty() && Keys::parse(&public_keys).is_err() {
            reader.problem("CALLER_PUBLIC_KEYS", "it is not a JWKS with P-256 keys");
        }
        Self { private_key, public_keys }
    }
}

/// A caller token cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SigningError {
    /// The own key is not a P-256 key in PKCS#8 PEM.
    #[error("CALLER_PRIVATE_KEY is not a P-256 key in PKCS#8 PEM")]
    Key(#[source] jsonwebtoken::errors::Error),
    /// The others' keys cannot be read.
    #[error("CALLER_PUBLIC_KEYS cannot be read")]
    Keys(#[from] KeysError),
    /// Signing failed.
    #[error("the caller token cannot be signed")]
    Sign(#[source] jsonwebtoken::errors::Error),
}

kernel::rejections! {
    /// Why a calling service is refused.
    pub enum PeerError {
        Missing: Unauthenticated "CALLER_TOKEN_MISSING", "This call is for services only.";
        NotAllowed: PermissionDenied "CALLER_NOT_ALLOWED", "This service may not call this.";
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    iat: u64,
    exp: u64,
}

/// The signed form of a message. It has a blank, and the input of a token's signature has none.
fn framed(message: &[u8]) -> Vec<u8> {
    [b"sukoon message ", message].concat()
}

/// This service's identity, and the keys of the others. Clones share one state.
#[derive(Clone)]
pub struct Peers {
    inner: Arc<Inner>,
}

struct Inner {
    service: &'static str,
    own: EncodingKey,
    /// Signs messages, of which there are many.
    signer: Signer,
    others: Keys,
    /// Signed tokens with their end, by audience.
    signed: Mutex<HashMap<&'static str, (String, u64)>>,
}

impl fmt::Debug for Peers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Peers").field("service", &self.inner.service).finish_non_exhaustive()
    }
}

impl Peers {
    /// The identity of the service called `service`.
    ///
    /// # Errors
    /// A key cannot be used.
    pub fn new(service: &'static str, settings: &PeerSettings) -> Result<Self, SigningError> {
        let pem = settings.private_key.expose_secret();
        let own = EncodingKey::from_ec_pem(pem.as_bytes()).map_err(SigningError::Key)?;
        let others = Keys::parse(&settings.public_keys)?;
        let signer = Signer::new(&own).map_err(SigningError::Key)?;
        let signed = Mutex::new(HashMap::new());
        Ok(Self { inner: Arc::new(Inner { service, own, signer, others, signed }) })
    }

    /// Signs a message for all services, as base64url. The signature is no token: the signed text
    /// begins with a word of its own, and no token does.
    pub fn sign_message(&self, message: &[u8]) -> Result<String, SigningError> {
        self.inner.signer.sign(&framed(message)).map_err(SigningError::Sign)
    }

    /// Whether the service called `signer` signed this message.
    #[must_use]
    pub fn is_signed_by(&self, signer: &str, message: &[u8], signature: &str) -> bool {
        let key = self.inner.others.get(signer);
        key.is_some_and(|key| es256::is_signature(key, &framed(message), signature))
    }

    /// A token that authenticates this service to `audience`. It is used again until shortly before
    /// its end.
    pub fn sign(&self, audience: &'static str) -> Result<String, SigningError> {
        let now = unix_seconds();
        // A panic elsewhere cannot leave this map half-written.
        let mut signed = self.inner.signed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((token, exp)) = signed.get(audience)
            && *exp > now.saturating_add(REUSE_UNTIL_SECONDS)
        {
            return Ok(token.clone());
        }
        let exp = now.saturating_add(LIFE_SECONDS);
        let iss = self.inner.service.to_owned();
        let claims = Claims { iss, aud: audience.to_owned(), iat: now, exp };
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some(self.inner.service.to_owned());
        let token = encode(&header, &claims, &self.inner.own).map_err(SigningError::Sign)?;
        signed.insert(audience, (token.clone(), exp));
        Ok(token)
    }

    /// Authenticates a calling service, which must be in `allowed`. Every internal method calls it
    /// first.
    ///
    /// # Errors
    /// `UNAUTHENTICATED` or `PERMISSION_DENIED` with the reason.
    pub fn verify(&self, metadata: &MetadataMap, allowed: &[&str]) -> Result<String, Status> {
        let text = |name: &str| metadata.get(name).and_then(|value| value.to_str().ok());
        let verified = self.verify_token(text(CALLER_TOKEN).unwrap_or_default(), allowed);
        // Over TLS the certificate must name the same service, because a token alone may be stolen.
        let verified = verified.and_then(|caller| match text(CALLER_CERTIFICATE) {
            Some(names) if !names.split(',').any(|name| name == caller) => Err(PeerError::Missing),
            _ => Ok(caller),
        });
        verified.map_err(|refusal| {
            tracing::warn!(reason = refusal.reason(), "a calling service was turned away");
            status::reject(&refusal)
        })
    }

    /// Authenticates a calling service by a token that did not come as metadata.
    ///
    /// # Errors
    /// Why the caller is refused.
    pub fn verify_token(&self, token: &str, allowed: &[&str]) -> Result<String, PeerError> {
        let caller = self.proven(token).ok_or(PeerError::Missing)?;
        if allowed.contains(&caller.as_str()) { Ok(caller) } else { Err(PeerError::NotAllowed) }
    }

    /// The known service that signed a token for this one, if any.
    fn proven(&self, token: &str) -> Option<String> {
        if token.is_empty() || token.len() > TOKEN_BYTES_MAX {
            return None;
        }
        let name = decode_header(token).ok()?.kid?;
        let key = self.inner.others.get(&name)?;
        let rules = rules(&name, self.inner.service);
        let claims = decode::<Claims>(token, key, &rules).ok()?.claims;
        // A long-lived token would be worth stealing.
        let life = claims.exp.checked_sub(claims.iat)?;
        (life <= LIFE_SECONDS.saturating_add(LEEWAY.as_secs())).then_some(name)
    }
}

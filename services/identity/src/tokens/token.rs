//! Access tokens, signed with a P-256 key and verified with it, its predecessor or its successor.
//! The public halves of all three are published, so that a change of the key ends no session.
//!
//! The algorithm is always ES256, whatever a token's header says. Expiry is checked by the caller
//! against the database clock, when it reads the session.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use kernel::Timestamp;
use p256::SecretKey;
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use p256::pkcs8::DecodePrivateKey as _;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// Lifetime of an access token, unless the settings say otherwise.
pub const LIFETIME_SECONDS_DEFAULT: i64 = 600;
/// Its maximum. Other services refuse the tokens of an ended session for as long.
pub const LIFETIME_SECONDS_MAX: i64 = 3600;
/// GoTrue's audience and role of signed-in users.
pub const AUTHENTICATED: &str = "authenticated";
/// The role of keys with which programs administer accounts.
pub const SERVICE_ROLE: &str = "service_role";
/// The contract's other role of administrators.
pub const ADMIN_ROLE: &str = "supabase_admin";
/// The audience of service keys, which no other service accepts.
const ADMINISTRATION: &str = "identity-admin";
/// Maximum bytes of a token; issued ones are shorter.
const BYTES_MAX: usize = 8 * 1024;

/// The signing key cannot be used, or signing failed.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// It is not a P-256 key in PKCS#8 PEM. The message never contains the setting.
    #[error("IDENTITY_SIGNING_KEY is not a P-256 key in PKCS#8 PEM")]
    Key,
    /// Signing failed.
    #[error("the access token cannot be signed")]
    Sign(#[source] jsonwebtoken::errors::Error),
}

/// The subject of an access token.
pub struct Subject<'a> {
    /// The account.
    pub user_id: Uuid,
    /// Its address, or an empty text.
    pub email: &'a str,
    /// Whether the address is proved.
    pub email_verified: bool,
    /// Its phone, or an empty text.
    pub phone: &'a str,
    /// The app metadata.
    pub app_metadata: &'a Value,
    /// The user metadata.
    pub user_metadata: &'a Value,
    /// The session; the token ends with it.
    pub session_id: Uuid,
    /// The amr claim, newest first.
    pub proofs: &'a Value,
    /// The aal claim.
    pub aal: &'a str,
    /// Whether the account has a second factor or a passkey, used by this session or not.
    pub has_second_factor: bool,
    /// Whether the account is anonymous.
    pub is_anonymous: bool,
}

/// The claims of a valid token.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Claims {
    /// The account's id.
    #[serde(default)]
    pub sub: String,
    /// When it ends.
    pub exp: i64,
    /// The session's id.
    pub session_id: Uuid,
}

/// The claims of a token that may be a service key.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RoleClaims {
    /// The role; empty if there is none.
    #[serde(default)]
    pub role: String,
    /// The account's id; empty if there is none.
    #[serde(default)]
    pub sub: String,
    /// When it ends.
    pub exp: i64,
    /// The session's id, if it belongs to one.
    #[serde(default)]
    pub session_id: Option<Uuid>,
    /// The service key's id.
    #[serde(default)]
    pub jti: Option<Uuid>,
}

#[derive(Serialize)]
struct ServiceKeyClaims<'a> {
    iss: &'a str,
    aud: &'a str,
    role: &'a str,
    jti: Uuid,
    iat: i64,
    exp: i64,
}

#[derive(Serialize)]
struct IssuedClaims<'a> {
    iss: &'a str,
    sub: Uuid,
    aud: &'a str,
    exp: i64,
    iat: i64,
    email: &'a str,
    /// Beyond GoTrue's claims, with the name that OpenID Connect gives it.
    email_verified: bool,
    phone: &'a str,
    app_metadata: &'a Value,
    user_metadata: &'a Value,
    role: &'a str,
    aal: &'a str,
    amr: &'a Value,
    /// Beyond GoTrue's claims: staff who have one must use it.
    has_second_factor: bool,
    session_id: Uuid,
    is_anonymous: bool,
}

/// Signs and verifies access tokens.
#[derive(Clone)]
pub struct AccessTokens {
    signing: EncodingKey,
    verifying: Vec<PublicKey>,
    header: Header,
    validation: Validation,
    issuer: String,
    jwks: Value,
    lifetime_seconds: i64,
}

/// The public half of a key.
#[derive(Clone)]
struct PublicKey {
    kid: String,
    key: DecodingKey,
    jwk: Value,
}

impl PublicKey {
    fn of(pem: &SecretString) -> Result<Self, TokenError> {
        let secret = SecretKey::from_pkcs8_pem(pem.expose_secret());
        let secret = secret.map_err(|_secret| TokenError::Key)?;
        let point = secret.public_key().to_encoded_point(false);
        let (Some(x), Some(y)) = (point.x(), point.y()) else { return Err(TokenError::Key) };
        let (x, y) = (URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y));
        let kid = thumbprint(&x, &y);
        let key = DecodingKey::from_ec_components(&x, &y).map_err(|_secret| TokenError::Key)?;
        let jwk = json!({
            "kty": "EC", "crv": "P-256", "x": x, "y": y,
            "kid": kid, "alg": "ES256", "use": "sig", "key_ops": ["verify"],
        });
        Ok(Self { kid, key, jwk })
    }
}

impl AccessTokens {
    /// Creates an issuer with a signing key.
    ///
    /// # Errors
    /// When it is not a P-256 key in PKCS#8 PEM.
    pub fn new(pem: &SecretString, issuer: &str) -> Result<Self, TokenError> {
        Self::with_others(pem, &[], issuer)
    }

    /// The same with the keys before and after it, which only verify.
    ///
    /// # Errors
    /// When one is not a P-256 key in PKCS#8 PEM.
    pub fn with_others(
        pem: &SecretString,
        others: &[&SecretString],
        issuer: &str,
    ) -> Result<Self, TokenError> {
        let verifying: Result<Vec<PublicKey>, _> =
            [&[pem], others].concat().into_iter().map(PublicKey::of).collect();
        let verifying = verifying?;
        let signing = EncodingKey::from_ec_pem(pem.expose_secret().as_bytes());
        let signing = signing.map_err(|_secret| TokenError::Key)?;
        let mut header = Header::new(Algorithm::ES256);
        header.kid = verifying.first().map(|own| own.kid.clone());
        let jwks = json!({ "keys": verifying.iter().map(|it| &it.jwk).collect::<Vec<_>>() });
        let (validation, issuer) = (validation(issuer), issuer.to_owned());
        let lifetime_seconds = LIFETIME_SECONDS_DEFAULT;
        Ok(Self { signing, verifying, header, validation, issuer, jwks, lifetime_seconds })
    }

    /// The same with another lifetime of tokens.
    #[must_use]
    pub fn lasting(self, lifetime_seconds: i64) -> Self {
        Self { lifetime_seconds, ..self }
    }

    /// How many seconds a token is valid.
    #[must_use]
    pub fn lifetime_seconds(&self) -> i64 {
        self.lifetime_seconds
    }

    /// The issuer that tokens name.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The public keys as a JWKS document.
    #[must_use]
    pub fn jwks(&self) -> &Value {
        &self.jwks
    }

    /// A token that is valid from `now` for its lifetime.
    pub fn sign(&self, subject: &Subject<'_>, now: Timestamp) -> Result<String, TokenError> {
        let claims = IssuedClaims {
            iss: &self.issuer,
            sub: subject.user_id,
            aud: AUTHENTICATED,
            exp: now.seconds() + self.lifetime_seconds,
            iat: now.seconds(),
            email: subject.email,
            email_verified: subject.email_verified,
            phone: subject.phone,
            app_metadata: subject.app_metadata,
            user_metadata: subject.user_metadata,
            role: AUTHENTICATED,
            aal: subject.aal,
            amr: subject.proofs,
            has_second_factor: subject.has_second_factor,
            session_id: subject.session_id,
            is_anonymous: subject.is_anonymous,
        };
        jsonwebtoken::encode(&self.header, &claims, &self.signing).map_err(TokenError::Sign)
    }

    /// The claims of a token, if one of the keys signed it for this issuer. Expiry is left to the
    /// caller, who has the clock.
    #[must_use]
    pub fn verify(&self, token: &str) -> Option<Claims> {
        if token.len() > BYTES_MAX {
            return None;
        }
        let kid = jsonwebtoken::decode_header(token).ok()?.kid?;
        let public = self.verifying.iter().find(|public| public.kid == kid)?;
        let read = jsonwebtoken::decode::<Claims>(token, &public.key, &self.validation).ok()?;
        Some(read.claims)
    }

    /// A service key with this id.
    pub fn sign_service_key(
        &self,
        key_id: Uuid,
        (now, expires_at): (Timestamp, Timestamp),
    ) -> Result<String, TokenError> {
        let claims = ServiceKeyClaims {
            iss: &self.issuer,
            aud: ADMINISTRATION,
            role: SERVICE_ROLE,
            jti: key_id,
            iat: now.seconds(),
            exp: expires_at.seconds(),
        };
        jsonwebtoken::encode(&self.header, &claims, &self.signing).map_err(TokenError::Sign)
    }

    /// The claims of a service key or of a user's access token, if one of the keys signed it for
    /// this issuer. Expiry is left to the caller.
    #[must_use]
    pub fn verify_role(&self, token: &str) -> Option<RoleClaims> {
        if token.len() > BYTES_MAX {
            return None;
        }
        let kid = jsonwebtoken::decode_header(token).ok()?.kid?;
        let public = self.verifying.iter().find(|public| public.kid == kid)?;
        let mut validation = self.validation.clone();
        validation.set_audience(&[AUTHENTICATED, ADMINISTRATION]);
        let read = jsonwebtoken::decode::<RoleClaims>(token, &public.key, &validation).ok()?;
        Some(read.claims)
    }
}

fn validation(issuer: &str) -> Validation {
    let mut validation = Validation::new(Algorithm::ES256);
    validation.set_issuer(&[issuer]);
    validation.set_audience(&[AUTHENTICATED]);
    validation.set_required_spec_claims(&["exp", "iss", "aud"]);
    validation.validate_exp = false;
    validation
}

/// The key id is the key's thumbprint (RFC 7638), so a new key has a new id.
fn thumbprint(x: &str, y: &str) -> String {
    let canonical = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
    URL_SAFE_NO_PAD.encode(Sha256::digest(canonical))
}

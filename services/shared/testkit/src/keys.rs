//! Keys of services and signed-in people, made for one test.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use p256::SecretKey;
use p256::elliptic_curve::sec1::ToEncodedPoint as _;
use p256::pkcs8::{EncodePrivateKey as _, LineEnding};
use runtime::caller::{PeerSettings, Peers};
use secrecy::SecretString;
use serde_json::{Value, json};

/// Seconds since 1970 by this machine, as identity servers count them.
#[expect(clippy::disallowed_methods, reason = "tokens are measured against real time")]
fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// A P-256 key pair under a name.
struct KeyPair {
    kid: &'static str,
    pem: String,
    jwk: Value,
}

fn key_pair(kid: &'static str) -> Result<KeyPair> {
    let secret = loop {
        let bytes: [u8; 32] = rand::random();
        if let Ok(secret) = SecretKey::from_slice(&bytes) {
            break secret;
        }
    };
    let pem = secret.to_pkcs8_pem(LineEnding::LF)?.to_string();
    let point = secret.public_key().to_encoded_point(false);
    let x = URL_SAFE_NO_PAD.encode(point.x().context("no x")?);
    let y = URL_SAFE_NO_PAD.encode(point.y().context("no y")?);
    let jwk = json!({
        "kty": "EC", "crv": "P-256", "x": x, "y": y, "kid": kid, "alg": "ES256", "use": "sig",
    });
    Ok(KeyPair { kid, pem, jwk })
}

/// Keys of all services, as `sukoon` makes them.
pub struct TestKeys {
    pairs: Vec<KeyPair>,
}

impl TestKeys {
    /// New keys for these services.
    ///
    /// # Errors
    /// When a key cannot be written down.
    pub fn new(services: &[&'static str]) -> Result<Self> {
        let pairs = services.iter().map(|name| key_pair(name)).collect::<Result<_>>()?;
        Ok(Self { pairs })
    }

    /// The public keys of all services, the value of `CALLER_PUBLIC_KEYS`.
    #[must_use]
    pub fn public_keys(&self) -> String {
        json!({ "keys": self.pairs.iter().map(|pair| &pair.jwk).collect::<Vec<_>>() }).to_string()
    }

    /// A service's private key, the value of its `CALLER_PRIVATE_KEY`.
    ///
    /// # Errors
    /// When it has none here.
    pub fn private_key(&self, service: &str) -> Result<String> {
        let pair = self.pairs.iter().find(|pair| pair.kid == service);
        Ok(pair.context("no key of that service")?.pem.clone())
    }

    /// The identity of a service.
    ///
    /// # Errors
    /// When it has no key here.
    pub fn peers(&self, service: &'static str) -> Result<Peers> {
        let settings = PeerSettings {
            private_key: SecretString::from(self.private_key(service)?),
            public_keys: self.public_keys(),
        };
        Ok(Peers::new(service, &settings)?)
    }
}

/// An identity server's signing key and the access tokens that it would give.
pub struct TestUsers {
    pair: KeyPair,
    /// Who issues the tokens.
    pub issuer: String,
}

impl TestUsers {
    /// A new signing key.
    ///
    /// # Errors
    /// When it cannot be written down.
    pub fn new(issuer: &str) -> Result<Self> {
        Ok(Self { pair: key_pair("test-signing-key")?, issuer: issuer.to_owned() })
    }

    /// The JWKS document that the identity server would serve.
    #[must_use]
    pub fn jwks(&self) -> String {
        json!({ "keys": [self.pair.jwk] }).to_string()
    }

    /// An access token of the person with this UUID that ends at `expires_at` (seconds since 1970),
    /// of a session that has just shown its second factor.
    pub fn token(&self, user: &str, email: &str, expires_at: u64) -> Result<String> {
        self.sign(user, (email, false, "aal2", true), expires_at)
    }

    /// An access token of a session that has shown its second factor so many seconds ago; the first
    /// factor is newer.
    pub fn token_shown(&self, user: &str, email: &str, seconds_ago: u64) -> Result<String> {
        let now = unix_seconds();
        let amr = json!([
            { "method": "password", "timestamp": now },
            { "method": "totp", "timestamp": now.saturating_sub(seconds_ago) },
        ]);
        self.sign_with(user, (email, false, "aal2", true), (now + 3600, amr))
    }

    /// An access token of a person whose address is proved.
    pub fn proved_token(&self, user: &str, email: &str, expires_at: u64) -> Result<String> {
        self.sign(user, (email, true, "aal2", true), expires_at)
    }

    /// An access token of a session with one factor.
    pub fn one_factor_token(&self, user: &str, email: &str, expires_at: u64) -> Result<String> {
        self.sign(user, (email, false, "aal1", false), expires_at)
    }

    /// An access token of an account that has a second factor, which the session has not used.
    pub fn unused_factor_token(&self, user: &str, email: &str, expires_at: u64) -> Result<String> {
        self.sign(user, (email, false, "aal1", true), expires_at)
    }

    fn sign(&self, user: &str, who: (&str, bool, &str, bool), expires_at: u64) -> Result<String> {
        let now = unix_seconds();
        let mut amr = vec![json!({ "method": "password", "timestamp": now })];
        if who.2 == "aal2" {
            amr.insert(0, json!({ "method": "totp", "timestamp": now }));
        }
        self.sign_with(user, who, (expires_at, Value::from(amr)))
    }

    fn sign_with(
        &self,
        user: &str,
        (email, email_verified, aal, has_second_factor): (&str, bool, &str, bool),
        (expires_at, amr): (u64, Value),
    ) -> Result<String> {
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some(self.pair.kid.to_owned());
        let claims = json!({
            "iss": self.issuer, "sub": user, "aud": "authenticated", "role": "authenticated",
            "email": email, "email_verified": email_verified,
            "iat": expires_at.saturating_sub(3600), "exp": expires_at,
            "session_id": user, "aal": aal, "amr": amr, "has_second_factor": has_second_factor,
        });
        let key = EncodingKey::from_ec_pem(self.pair.pem.as_bytes())?;
        Ok(jsonwebtoken::encode(&header, &claims, &key)?)
    }
}

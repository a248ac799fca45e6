//! The provider's keys: the first one is RSA and the one after a rotation is P-256. They are demo
//! keys that anyone can read.

use jsonwebtoken::errors::Error;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

const FIRST: &str = include_str!("demo_key.pem");
const SECOND: &str = include_str!("second_key.pem");
/// A key that is never published.
const OTHER: &str = include_str!("other_key.pem");

/// A key with its id.
struct Key {
    kid: &'static str,
    algorithm: Algorithm,
    signing: EncodingKey,
}

impl Key {
    fn first() -> Result<Self, Error> {
        let signing = EncodingKey::from_rsa_pem(FIRST.as_bytes())?;
        Ok(Self { kid: "first", algorithm: Algorithm::RS256, signing })
    }

    fn second() -> Result<Self, Error> {
        let signing = EncodingKey::from_ec_pem(SECOND.as_bytes())?;
        Ok(Self { kid: "second", algorithm: Algorithm::ES256, signing })
    }

    fn current(rotated: bool) -> Result<Self, Error> {
        if rotated { Self::second() } else { Self::first() }
    }
}

/// The published keys.
pub(super) fn jwks(rotated: bool) -> Result<Value, Error> {
    let key = Key::current(rotated)?;
    let mut jwk = Jwk::from_encoding_key(&key.signing, key.algorithm)?;
    jwk.common.key_id = Some(key.kid.to_owned());
    Ok(json!({ "keys": [jwk] }))
}

/// A signed token, or one with an ordered mistake in its signature.
pub(super) fn sign(claims: &Value, rotated: bool, wrong: &str) -> Result<String, Error> {
    let mut key = Key::current(rotated)?;
    if wrong == "other_key" {
        key.signing = EncodingKey::from_ec_pem(OTHER.as_bytes())?;
        key.algorithm = Algorithm::ES256;
    }
    if wrong == "hs256" {
        // The public key as a secret, which a client must not take for one.
        let published = jwks(rotated)?.to_string();
        key.signing = EncodingKey::from_secret(published.as_bytes());
        key.algorithm = Algorithm::HS256;
    }
    let mut header = Header::new(key.algorithm);
    header.kid = Some(key.kid.to_owned());
    let signed = jsonwebtoken::encode(&header, claims, &key.signing)?;
    if wrong == "alg_none" {
        let payload = signed.split('.').nth(1).unwrap_or_default();
        return Ok(format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{payload}."));
    }
    Ok(signed)
}

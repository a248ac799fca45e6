//! Public keys by their name, read from a JWKS document.

use std::collections::HashMap;

use jsonwebtoken::DecodingKey;
use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk};
use serde::Deserialize;

use super::es256::install;

/// Public P-256 keys by `kid`. Keys of other kinds are ignored.
#[derive(Clone, Default)]
pub struct Keys {
    by_kid: HashMap<String, DecodingKey>,
}

/// A document is not a JWKS, or has no key that can be used.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    /// It is not one.
    #[error("this is not a JWKS document")]
    Malformed(#[source] serde_json::Error),
    /// It has no P-256 key with a `kid`.
    #[error("there is no P-256 key with a kid in it")]
    Empty,
}

/// Each key is read on its own, so that one of an unknown kind does not make the document invalid.
#[derive(Deserialize)]
struct Document {
    keys: Vec<serde_json::Value>,
}

impl Keys {
    /// Reads a document.
    ///
    /// # Errors
    /// It is not a JWKS, or has no key that can be used.
    pub fn parse(document: &str) -> Result<Self, KeysError> {
        install();
        let document: Document = serde_json::from_str(document).map_err(KeysError::Malformed)?;
        let by_kid: HashMap<_, _> = document.keys.into_iter().filter_map(usable).collect();
        if by_kid.is_empty() {
            return Err(KeysError::Empty);
        }
        Ok(Self { by_kid })
    }

    /// The key of a name.
    #[must_use]
    pub fn get(&self, kid: &str) -> Option<&DecodingKey> {
        self.by_kid.get(kid)
    }
}

fn usable(key: serde_json::Value) -> Option<(String, DecodingKey)> {
    let jwk: Jwk = serde_json::from_value(key).ok()?;
    let AlgorithmParameters::EllipticCurve(curve) = &jwk.algorithm else {
        return None;
    };
    if curve.curve != EllipticCurve::P256 {
        return None;
    }
    let key = DecodingKey::from_jwk(&jwk).ok()?;
    Some((jwk.common.key_id?, key))
}

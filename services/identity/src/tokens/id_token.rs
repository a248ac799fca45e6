//! ID tokens of OpenID providers: signature, issuer, audience and time are checked here, the nonce
//! and the access token's hash by the caller.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::{Jwk, JwkSet};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use kernel::Timestamp;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::tokens::secrets::constant_time_eq;

/// The algorithms that providers sign with. All have a public key, so that no published key can be
/// used as a secret.
const ALGORITHMS: &[Algorithm] = &[Algorithm::RS256, Algorithm::ES256];
/// How far the provider's clock may be from ours.
const LEEWAY_SECONDS: i64 = 60;
/// Maximum bytes of a token.
const BYTES_MAX: usize = 16 * 1024;

/// Why a token is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is no token, or of an algorithm that no provider uses.
    #[error("it is malformed")]
    Malformed,
    /// Its key is not among the provider's; it may have new ones.
    #[error("its key is unknown")]
    UnknownKey,
    /// Its signature or issuer is wrong.
    #[error("its signature or issuer is wrong")]
    Forged,
    /// It is for another client.
    #[error("it is for another client")]
    Audience,
    /// It has expired, or it is not valid yet.
    #[error("it is not valid now")]
    Expired,
}

/// What a token says of a person. Personal data, so it has no `Debug`.
#[derive(Clone, Default, Deserialize)]
pub struct IdClaims {
    /// The person's name at the provider.
    #[serde(default)]
    pub sub: String,
    /// The issuer.
    #[serde(default)]
    pub iss: String,
    #[serde(default)]
    aud: Audience,
    azp: Option<String>,
    exp: Option<i64>,
    nbf: Option<i64>,
    /// The client's nonce.
    pub nonce: Option<String>,
    /// The hash of the access token.
    pub at_hash: Option<String>,
    /// The person's address.
    pub email: Option<String>,
    /// Whether the provider has verified the address; Apple writes it as text.
    #[serde(default, deserialize_with = "flag")]
    pub email_verified: bool,
    /// The person's whole name.
    pub name: Option<String>,
    /// The first name.
    pub given_name: Option<String>,
    /// The last name.
    pub family_name: Option<String>,
    /// The address of a picture.
    pub picture: Option<String>,
}

impl IdClaims {
    /// What they say of the person, in a form that can be read again: without audience, time, nonce
    /// and hash, which were checked.
    #[must_use]
    pub fn person(&self) -> Value {
        json!({
            "sub": self.sub,
            "iss": self.iss,
            "email": self.email,
            "email_verified": self.email_verified,
            "name": self.name,
            "given_name": self.given_name,
            "family_name": self.family_name,
            "picture": self.picture,
        })
    }
}

/// One audience or several.
#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

impl Default for Audience {
    fn default() -> Self {
        Self::Many(Vec::new())
    }
}

impl Audience {
    fn names(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::Many(names) => names,
        }
    }
}

/// Reads a flag that some providers write as text.
pub(crate) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Bool(value) => value,
        Value::String(text) => text == "true",
        _ => false,
    })
}

/// The claims of a token that an issuer signed for a client and that is valid now.
///
/// # Errors
/// Why it is not taken.
pub fn verify(
    token: &str,
    keys: &JwkSet,
    (issuer, client_id): (&str, &str),
    now: Timestamp,
) -> Result<IdClaims, Refused> {
    if token.len() > BYTES_MAX {
        return Err(Refused::Malformed);
    }
    let header = jsonwebtoken::decode_header(token).map_err(|_malformed| Refused::Malformed)?;
    if !ALGORITHMS.contains(&header.alg) {
        return Err(Refused::Malformed);
    }
    let jwk = key_of(keys, header.kid.as_deref()).ok_or(Refused::UnknownKey)?;
    let key = DecodingKey::from_jwk(jwk).map_err(|_unusable| Refused::UnknownKey)?;
    let mut validation = Validation::new(header.alg);
    validation.set_issuer(&[issuer]);
    validation.set_required_spec_claims(&["iss", "aud", "exp"]);
    // Both are checked below: the audience with its authorised party, the time by our one clock.
    validation.validate_aud = false;
    validation.validate_exp = false;
    let read = jsonwebtoken::decode::<IdClaims>(token, &key, &validation);
    let claims = read.map_err(|_forged| Refused::Forged)?.claims;
    check_audience(&claims, client_id)?;
    let now = now.seconds();
    let ended = claims.exp.is_none_or(|exp| exp + LEEWAY_SECONDS <= now);
    if ended || claims.nbf.is_some_and(|nbf| nbf - LEEWAY_SECONDS > now) {
        return Err(Refused::Expired);
    }
    Ok(claims)
}

/// The key that a token names; the only one when it names none.
fn key_of<'k>(keys: &'k JwkSet, kid: Option<&str>) -> Option<&'k Jwk> {
    match (kid, keys.keys.as_slice()) {
        (Some(kid), _) => keys.find(kid),
        (None, [only]) => Some(only),
        (None, _) => None,
    }
}

/// A token for several clients has to name the one that asked for it.
fn check_audience(claims: &IdClaims, client_id: &str) -> Result<(), Refused> {
    let names = claims.aud.names();
    let ours = names.iter().any(|name| name == client_id);
    let asked = match claims.azp.as_deref() {
        Some(party) => party == client_id,
        None => names.len() == 1,
    };
    if ours && asked { Ok(()) } else { Err(Refused::Audience) }
}

/// Whether a hash is that of the access token; without a hash there is nothing to compare.
#[must_use]
pub fn is_hash_of(at_hash: Option<&str>, access_token: &str) -> bool {
    let Some(at_hash) = at_hash else { return true };
    let digest = Sha256::digest(access_token.as_bytes());
    let right = URL_SAFE_NO_PAD.encode(digest.get(..16).unwrap_or_default());
    constant_time_eq(right.as_bytes(), at_hash.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{IdClaims, Refused, check_audience, is_hash_of};
    use serde_json::{Value, json};

    fn claims(value: Value) -> IdClaims {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn a_token_for_several_clients_names_the_one_that_asked() {
        let checked = |value| check_audience(&claims(value), "ours");
        assert_eq!(checked(json!({ "aud": "ours" })), Ok(()));
        assert_eq!(checked(json!({ "aud": ["ours"] })), Ok(()));
        assert_eq!(checked(json!({ "aud": ["ours", "other"], "azp": "ours" })), Ok(()));
        for wrong in [
            json!({}),
            json!({ "aud": "other" }),
            json!({ "aud": ["ours", "other"] }),
            json!({ "aud": ["ours", "other"], "azp": "other" }),
            json!({ "aud": "ours", "azp": "other" }),
            json!({ "aud": "other", "azp": "ours" }),
        ] {
            assert_eq!(checked(wrong.clone()), Err(Refused::Audience), "{wrong}");
        }
    }

    #[test]
    fn only_a_clear_word_verifies_an_address() {
        for (value, expected) in [
            (json!(true), true),
            (json!("true"), true),
            (json!(false), false),
            (json!("false"), false),
            (json!("yes"), false),
            (json!(1), false),
            (json!(null), false),
        ] {
            let said = claims(json!({ "email_verified": value }));
            assert_eq!(said.email_verified, expected, "{value}");
        }
        assert!(!claims(json!({})).email_verified);
    }

    /// The example of OpenID Connect Core 1.0, A.3.
    #[test]
    fn the_hash_is_the_published_one() {
        let token = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";
        assert!(is_hash_of(Some("77QmUPtjPfzWtF2AnpK9RQ"), token));
        assert!(!is_hash_of(Some("77QmUPtjPfzWtF2AnpK9RA"), token));
        assert!(is_hash_of(None, token));
    }
}

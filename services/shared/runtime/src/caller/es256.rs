//! ES256 with ring, which TLS needs anyway and which takes a quarter of the time of the token
//! library: every call checks one or two signatures, and they were a fourteenth of the cost of a
//! booking. Messages are signed with ring too, because there are many. The library signs tokens,
//! which is rare, and does everything else.
//!
//! A verified signature stays valid, so the next call with the same token does not verify it again.
//! Each call checks whether the token is still to be trusted: its times, its audience, and whether
//! the issuer still has its key.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::crypto::rust_crypto::DEFAULT_PROVIDER;
use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error, Verifier};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey, EncodingKey};
use moka::sync::Cache;
use ring::digest::{Context, SHA256};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, UnparsedPublicKey,
};

static PROVIDER: LazyLock<CryptoProvider> = LazyLock::new(|| CryptoProvider {
    signer_factory: DEFAULT_PROVIDER.signer_factory,
    verifier_factory: verifier,
    key_utils: DEFAULT_PROVIDER.key_utils.clone(),
});

/// How many signatures are kept: those of the customers of a busy quarter of an hour.
const KNOWN_MAX: u64 = 2048;

/// Verified signatures, as digests of key, message and signature.
static KNOWN: LazyLock<Cache<[u8; 32], ()>> = LazyLock::new(|| Cache::new(KNOWN_MAX));

/// Makes the library check tokens this way. Repeating it changes nothing.
pub(crate) fn install() {
    // An error means that a token was made or read before, as tests do; the library then works by
    // itself, only slower.
    PROVIDER.install_default().ok();
}

/// Signs messages with a service's own key.
pub(super) struct Signer(EcdsaKeyPair);

impl Signer {
    /// A signer with the key that the library has read.
    ///
    /// # Errors
    /// The key is not a P-256 key in PKCS#8 with its public half, as OpenSSL and `sukoon` write it.
    pub(super) fn new(key: &EncodingKey) -> Result<Self> {
        let form = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let pair = EcdsaKeyPair::from_pkcs8(form, key.as_bytes(), &SystemRandom::new());
        pair.map(Self).map_err(|_rejected| ErrorKind::InvalidEcdsaKey.into())
    }

    /// The signature of a message in base64url.
    pub(super) fn sign(&self, message: &[u8]) -> Result<String> {
        let signed = self.0.sign(&SystemRandom::new(), message);
        let signature = signed.map_err(|_unspecified| ErrorKind::InvalidSignature)?;
        Ok(URL_SAFE_NO_PAD.encode(signature))
    }
}

/// Verifies the key's signature of a message. It is not kept, because each message comes once.
pub(super) fn is_signature(key: &DecodingKey, message: &[u8], signature: &str) -> bool {
    let (Ok(point), Ok(signature)) = (key.try_get_as_bytes(), URL_SAFE_NO_PAD.decode(signature))
    else {
        return false;
    };
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(message, &signature).is_ok()
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    if *algorithm != Algorithm::ES256 || key.family() != AlgorithmFamily::Ec {
        return (DEFAULT_PROVIDER.verifier_factory)(algorithm, key);
    }
    let point = key.try_get_as_bytes()?.to_vec();
    Ok(Box::new(Es256(UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point))))
}

struct Es256(UnparsedPublicKey<Vec<u8>>);

impl Verifier<Vec<u8>> for Es256 {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        let fact = digest([self.0.as_ref(), message, signature]);
        if fact.is_some_and(|fact| KNOWN.get(&fact).is_some()) {
            return Ok(());
        }
        self.0.verify(message, signature).map_err(|_unspecified| Error::new())?;
        if let Some(fact) = fact {
            KNOWN.insert(fact, ());
        }
        Ok(())
    }
}

/// A digest of all parts, each with its length, so that different parts never have the same digest.
fn digest(parts: [&[u8]; 3]) -> Option<[u8; 32]> {
    let mut context = Context::new(&SHA256);
    for part in parts {
        context.update(&part.len().to_be_bytes());
        context.update(part);
    }
    context.finish().as_ref().try_into().ok()
}

impl JwtVerifier for Es256 {
    fn algorithm(&self) -> Algorithm {
        Algorithm::ES256
    }
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::Algorithm::ES256;
    use jsonwebtoken::DecodingKey;
    use jsonwebtoken::jwk::Jwk;
    use p256::ecdsa::signature::Signer as _;
    use p256::ecdsa::{Signature, SigningKey};
    use serde_json::json;

    use super::{digest, verifier};

    #[test]
    fn what_is_known_of_one_signature_is_known_of_no_other() {
        assert_eq!(digest([b"ab", b"c", b"d"]), digest([b"ab", b"c", b"d"]));
        for other in [[b"a".as_slice(), b"bc", b"d"], [b"ab", b"cd", b""], [b"c", b"ab", b"d"]] {
            assert_ne!(digest([b"ab", b"c", b"d"]), digest(other));
        }
    }

    /// A public key as the library keeps it.
    fn public(own: &SigningKey) -> DecodingKey {
        use base64::Engine as _;
        use base64::engine::general_purpose::URL_SAFE_NO_PAD;
        let point = own.verifying_key().to_encoded_point(false);
        let part = |range| URL_SAFE_NO_PAD.encode(&point.as_bytes()[range]);
        let (x, y) = (part(1..33), part(33..65));
        let jwk: Jwk =
            serde_json::from_value(json!({ "kty": "EC", "crv": "P-256", "x": x, "y": y })).unwrap();
        DecodingKey::from_jwk(&jwk).unwrap()
    }

    #[test]
    fn only_the_whole_signature_of_the_whole_message_by_the_key_is_taken() {
        let own = SigningKey::from_slice(&[7; 32]).unwrap();
        let (key, other) = (public(&own), public(&SigningKey::from_slice(&[8; 32]).unwrap()));
        let message = b"head.claims".to_vec();
        let signature: Signature = own.sign(&message);
        let signature = signature.to_bytes().to_vec();
        let good = verifier(&ES256, &key).unwrap();
        assert!(good.verify(&message, &signature).is_ok());
        assert!(verifier(&ES256, &other).unwrap().verify(&message, &signature).is_err());
        assert!(good.verify(b"head.claimz", &signature).is_err());
        for at in 0..signature.len() {
            let mut changed = signature.clone();
            changed[at] ^= 1;
            assert!(good.verify(&message, &changed).is_err(), "byte {at}");
        }
        assert!(good.verify(&message, &signature[..63].to_vec()).is_err());
        assert!(good.verify(&message, &vec![0; 64]).is_err());
    }
}

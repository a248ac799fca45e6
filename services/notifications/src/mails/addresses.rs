//! Mail addresses as keyed hashes (HMAC), and the token of the unsubscribe link. Addresses are
//! never stored, only these hashes, which cannot be traced back without the key.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use runtime::RotatedSecret;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;
use uuid::Uuid;

/// Domain separation: distinct HMAC prefixes for address hashes and unsubscribe tokens.
const HASH_DOMAIN: &[u8] = b"address";
const TOKEN_DOMAIN: &[u8] = b"unsubscribe";
/// The bytes of the address hash, and of the token's signature.
const HASH_BYTES: usize = 16;
const SIGNATURE_BYTES: usize = 16;

/// The keyed hash of a mail address. It ignores case and surrounding white space. Only with the key
/// can a guessed address be checked against it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddressHash([u8; HASH_BYTES]);

impl AddressHash {
    /// The bytes as stored in rows.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The name of the lock under which actions of this address are counted: see `Tx::lock`. `what`
    /// names the action.
    #[must_use]
    pub fn lock_name(&self, what: &str) -> String {
        format!("{what} {}", Uuid::from_bytes(self.0).simple())
    }
}

impl fmt::Debug for AddressHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AddressHash").finish_non_exhaustive()
    }
}

/// Makes address hashes and unsubscribe tokens, and verifies tokens.
#[derive(Clone)]
pub struct Addresses {
    mac: Hmac<Sha256>,
    /// Of the key before: its links are accepted, and who has unsubscribed under it stays so.
    previous: Option<Hmac<Sha256>>,
}

impl fmt::Debug for Addresses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Addresses").finish_non_exhaustive()
    }
}

/// The key cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("NOTIFICATIONS_ADDRESS_KEY, or the one before it, has fewer than 32 characters")]
pub struct WeakKey;

impl Addresses {
    /// Uses this key. Another key makes other hashes: unsubscriptions under a key that is neither
    /// the current one nor the one before are lost, and its links no longer work.
    ///
    /// # Errors
    /// When one of the keys is too short to be a secret.
    pub fn new(key: &RotatedSecret) -> Result<Self, WeakKey> {
        let previous = key.previous().map(keyed).transpose()?;
        Ok(Self { mac: keyed(key.current())?, previous })
    }

    /// The hash of an address.
    #[must_use]
    pub fn hash(&self, address: &str) -> AddressHash {
        hash_by(&self.mac, address)
    }

    /// The hash that the address had under the key before, if there is one.
    #[must_use]
    pub fn previous_hash(&self, address: &str) -> Option<AddressHash> {
        self.previous.as_ref().map(|mac| hash_by(mac, address))
    }

    /// The hash of an address without its tag: `asha+x@example.org` counts as `asha@example.org`,
    /// so that tags don't evade the rate limit. Only for counting: unsubscribing applies to the
    /// exact address.
    #[must_use]
    pub fn hash_of_mailbox(&self, address: &str) -> AddressHash {
        self.hash(&without_tag(address))
    }

    /// The token of the address's unsubscribe link, always the same.
    #[must_use]
    pub fn token(&self, address: &str) -> String {
        let hash = self.hash(address);
        let signature = signature_by(&self.mac, hash).finalize().into_bytes();
        let mut bytes = hash.0.to_vec();
        bytes.extend(signature.iter().take(SIGNATURE_BYTES));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The address hash of a token; `None` when the token is not ours. The signature is compared in
    /// constant time.
    #[must_use]
    pub fn parse(&self, token: &str) -> Option<AddressHash> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let (hash, signature) = bytes.split_first_chunk::<HASH_BYTES>()?;
        if signature.len() != SIGNATURE_BYTES {
            return None;
        }
        let hash = AddressHash(*hash);
        let is_of =
            |mac: &Hmac<Sha256>| signature_by(mac, hash).verify_truncated_left(signature).is_ok();
        let is_ours = is_of(&self.mac) || self.previous.as_ref().is_some_and(is_of);
        is_ours.then_some(hash)
    }
}

fn keyed(key: &SecretString) -> Result<Hmac<Sha256>, WeakKey> {
    let key = key.expose_secret();
    if key.chars().count() < 32 {
        return Err(WeakKey);
    }
    Hmac::new_from_slice(key.as_bytes()).map_err(|_never| WeakKey)
}

fn hash_by(mac: &Hmac<Sha256>, address: &str) -> AddressHash {
    let mut mac = mac.clone();
    mac.update(HASH_DOMAIN);
    mac.update(address.trim().to_lowercase().as_bytes());
    let mut hash = [0; HASH_BYTES];
    for (byte, made) in hash.iter_mut().zip(mac.finalize().into_bytes()) {
        *byte = made;
    }
    AddressHash(hash)
}

fn signature_by(mac: &Hmac<Sha256>, hash: AddressHash) -> Hmac<Sha256> {
    let mut mac = mac.clone();
    mac.update(TOKEN_DOMAIN);
    mac.update(hash.as_bytes());
    mac
}

/// The address without its tag, from the first `+` to the @. Unchanged if the name would be empty.
fn without_tag(address: &str) -> Cow<'_, str> {
    let split = address.trim().rsplit_once('@');
    let tagged = split.and_then(|(local, host)| Some((local.split_once('+')?.0, host)));
    match tagged {
        Some((name, host)) if !name.is_empty() => format!("{name}@{host}").into(),
        _ => address.into(),
    }
}

#[cfg(test)]
mod tests {
    use runtime::RotatedSecret;

    use super::{Addresses, WeakKey};

    const KEY: &str = "a-key-that-is-long-enough-for-tests";
    const ADDRESS: &str = "canary-asha@example.org";

    fn addresses(key: &str) -> Addresses {
        Addresses::new(&key.to_owned().into()).unwrap()
    }

    #[test]
    fn an_address_has_one_hash_however_it_is_written() {
        let ours = addresses(KEY);
        let hash = ours.hash(ADDRESS);
        assert_eq!(hash.as_bytes().len(), 16);
        for same in [" canary-asha@example.org\n", "Canary-ASHA@Example.ORG"] {
            assert!(ours.hash(same) == hash, "{same:?}");
        }
        for other in ["", "canary-asha@example.com", "canary-asha@example.org.", "asha@example.org"]
        {
            assert!(ours.hash(other) != hash, "{other:?}");
        }
        let theirs = addresses("another-key-that-is-long-enough-too");
        assert!(theirs.hash(ADDRESS) != hash);
    }

    #[test]
    fn a_tagged_address_counts_as_its_mailbox() {
        let ours = addresses(KEY);
        let hash = ours.hash("asha@example.org");
        for same in
            ["asha@example.org", "asha+1@example.org", " Asha+a+b@Example.org", "asha+@example.org"]
        {
            assert!(ours.hash_of_mailbox(same) == hash, "{same:?}");
        }
        assert!(
            ours.hash("asha+1@example.org") != hash,
            "where it does not count, it is another one"
        );
        for other in
            ["+asha@example.org", "as.ha@example.org", "asha@example.org+1", "asha@a+b.org"]
        {
            assert!(ours.hash_of_mailbox(other) == ours.hash(other), "{other:?}");
        }
        assert!(ours.hash_of_mailbox("asha+1@example.com") != hash);
    }

    #[test]
    fn a_token_stands_in_a_url_and_leads_to_its_hash() {
        let ours = addresses(KEY);
        for address in [ADDRESS, "", "ärztin@münchen.example", &"x".repeat(300)] {
            let token = ours.token(address);
            assert_eq!(token.len(), 43);
            assert!(token.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)));
            assert!(ours.parse(&token) == Some(ours.hash(address)), "{address}");
            assert_eq!(ours.token(address), token);
        }
    }

    #[test]
    fn a_forged_or_truncated_token_is_refused() {
        let ours = addresses(KEY);
        let token = ours.token(ADDRESS);
        for at in 0..token.len() {
            for letter in [b'A', b'B', b'_', b'=', b'%'] {
                let mut changed = token.clone().into_bytes();
                if changed[at] == letter {
                    continue;
                }
                changed[at] = letter;
                assert!(ours.parse(&String::from_utf8(changed).unwrap()).is_none(), "{at}");
            }
        }
        let longer = format!("{token}A");
        for text in ["", "x", "\0", &token[..42], &token[..22], &longer, &token.repeat(2)] {
            assert!(ours.parse(text).is_none(), "{text:?}");
        }
        assert!(addresses("another-key-that-is-long-enough-too").parse(&token).is_none());
    }

    #[test]
    fn the_hash_alone_is_no_proof() {
        // Without domain separation, the hash of one address could serve as the signature of
        // another.
        let ours = addresses(KEY);
        let hash = ours.hash(ADDRESS);
        let twice = [hash.as_bytes(), hash.as_bytes()].concat();
        let token = base64::Engine::encode(&super::URL_SAFE_NO_PAD, twice);
        assert_eq!(token.len(), 43);
        assert!(ours.parse(&token).is_none());
    }

    #[test]
    fn no_address_hash_or_key_is_logged() {
        let ours = addresses(KEY);
        let shown = format!("{ours:?} {:?}", ours.hash(ADDRESS));
        assert_eq!(shown, "Addresses { .. } AddressHash(..)");
    }

    #[test]
    fn a_link_of_the_key_before_is_accepted_and_leads_to_its_own_hash() {
        let other = "another-key-that-is-long-enough-too";
        let rotated = RotatedSecret::new(other.into(), Some(KEY.into()));
        let rotated = Addresses::new(&rotated).unwrap();
        let (before, after) = (addresses(KEY), addresses(other));
        assert!(rotated.parse(&before.token(ADDRESS)) == Some(before.hash(ADDRESS)));
        assert!(rotated.previous_hash(ADDRESS) == Some(before.hash(ADDRESS)));
        assert!(rotated.hash(ADDRESS) == after.hash(ADDRESS));
        assert_eq!(rotated.token(ADDRESS), after.token(ADDRESS));
        assert!(after.previous_hash(ADDRESS).is_none());
    }

    #[test]
    fn a_short_key_is_refused() {
        let refused = |key: &str| Addresses::new(&key.to_owned().into()).unwrap_err();
        assert_eq!(refused("short"), WeakKey);
        assert_eq!(refused(&"k".repeat(31)), WeakKey);
        assert!(Addresses::new(&"k".repeat(32).into()).is_ok());
    }
}

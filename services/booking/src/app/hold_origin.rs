//! Where a request for a time comes from, as keyed hashes: they are compared and never read.

use hmac::{Hmac, KeyInit as _, Mac as _};
use runtime::RotatedSecret;
use secrecy::ExposeSecret as _;
use sha2::Sha256;
use tonic::metadata::MetadataMap;

use super::signed_ids::WeakKey;

/// The caller's network and device. The gateway sets them; it passes on nothing of that name that a
/// client sent.
const NETWORK: &str = "x-caller-network";
const DEVICE: &str = "x-caller-device";
/// Prefix of the hashed text, for domain separation from other uses of the key.
const PURPOSE: &[u8] = b"hold-origin";
/// More than enough to tell networks and devices apart.
const HASH_BYTES: usize = 16;

/// Where a request comes from; nothing where that is not known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HoldOrigin {
    /// The network.
    pub network: Option<Vec<u8>>,
    /// The browser, if it has ever been signed in.
    pub device: Option<Vec<u8>>,
}

/// Hashes origins.
#[derive(Clone)]
pub struct OriginHashes {
    mac: Hmac<Sha256>,
}

impl std::fmt::Debug for OriginHashes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OriginHashes").finish_non_exhaustive()
    }
}

impl OriginHashes {
    /// Hashes with the current key: after a change of keys the counts begin anew.
    pub fn new(key: &RotatedSecret) -> Result<Self, WeakKey> {
        let bytes = key.current().expose_secret().as_bytes();
        let mut mac = Hmac::<Sha256>::new_from_slice(bytes).map_err(|_never| WeakKey)?;
        mac.update(PURPOSE);
        Ok(Self { mac })
    }

    /// The origin that the gateway told.
    #[must_use]
    pub fn origin(&self, metadata: &MetadataMap) -> HoldOrigin {
        let of = |name: &str| {
            let told = metadata.get(name)?.as_bytes();
            let mut mac = self.mac.clone();
            mac.update(name.as_bytes());
            mac.update(told);
            let hash = mac.finalize().into_bytes();
            Some(hash.into_iter().take(HASH_BYTES).collect())
        };
        HoldOrigin { network: of(NETWORK), device: of(DEVICE) }
    }
}

#[cfg(test)]
mod tests {
    use super::{HoldOrigin, OriginHashes};
    use tonic::metadata::MetadataMap;

    #[test]
    fn origins_are_told_apart_and_hidden() {
        let hashes = |key: &str| OriginHashes::new(&key.repeat(32).into()).unwrap();
        let told = |network: &str| {
            let mut metadata = MetadataMap::new();
            metadata.insert("x-caller-network", network.parse().unwrap());
            metadata
        };
        let one = hashes("a").origin(&told("192.0.2.1"));
        assert_eq!(one, hashes("a").origin(&told("192.0.2.1")));
        assert_ne!(one, hashes("a").origin(&told("192.0.2.2")));
        assert_ne!(one, hashes("b").origin(&told("192.0.2.1")));
        assert_eq!((one.network.unwrap().len(), one.device), (16, None));
        assert_eq!(hashes("a").origin(&MetadataMap::new()), HoldOrigin::default());
    }
}

//! Encryption of secrets that are kept. Without `IDENTITY_CODE_KEY` a row tells nothing of them.

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// The first byte of everything that is sealed in this form.
const VERSION: u8 = 1;
/// Bytes that tell which key sealed it, so that keys can be replaced.
const KEY_ID_BYTES: usize = 4;

/// A secret could not be sealed or opened: another key sealed it, for another row, or it was
/// changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a sealed secret cannot be used")]
pub struct SealError;

/// Seals secrets with ChaCha20-Poly1305. What a former key sealed still opens.
pub struct Sealer {
    own: SealingKey,
    former: Option<SealingKey>,
}

struct SealingKey {
    key: LessSafeKey,
    key_id: [u8; KEY_ID_BYTES],
}

impl SealingKey {
    fn new(key: &[u8; 32]) -> Result<Self, SealError> {
        let unbound = UnboundKey::new(&CHACHA20_POLY1305, key).map_err(|_secret| SealError)?;
        let mut key_id = [0; KEY_ID_BYTES];
        let digest = Sha256::new().chain_update("id of a sealing key").chain_update(key).finalize();
        key_id.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
        Ok(Self { key: LessSafeKey::new(unbound), key_id })
    }

    fn sealed<'a>(&self, sealed: &'a [u8]) -> Option<&'a [u8]> {
        sealed.strip_prefix(&[VERSION])?.strip_prefix(&self.key_id)
    }
}

impl Sealer {
    /// With this key.
    ///
    /// # Errors
    /// Never; the key has the length of the cipher's.
    pub fn new(key: &[u8; 32]) -> Result<Self, SealError> {
        Ok(Self { own: SealingKey::new(key)?, former: None })
    }

    /// The same, which also opens what the former key sealed.
    ///
    /// # Errors
    /// Never; the key has the length of the cipher's.
    pub fn after(mut self, former: Option<&[u8; 32]>) -> Result<Self, SealError> {
        self.former = former.map(SealingKey::new).transpose()?;
        Ok(self)
    }

    /// Whether the current key sealed it; otherwise it is to be sealed again.
    #[must_use]
    pub fn is_current(&self, sealed: &[u8]) -> bool {
        self.own.sealed(sealed).is_some()
    }

    /// Seals a secret of one row. It opens for this row's id only.
    ///
    /// # Errors
    /// When it is longer than the cipher allows.
    pub fn seal(&self, row: Uuid, secret: &[u8]) -> Result<Vec<u8>, SealError> {
        let nonce: [u8; NONCE_LEN] = rand::random();
        let mut text = secret.to_vec();
        let about = Aad::from(row.as_bytes());
        self.own
            .key
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), about, &mut text)
            .map_err(|_unspecified| SealError)?;
        Ok([[VERSION].as_slice(), &self.own.key_id, &nonce, &text].concat())
    }

    /// Opens what [`Sealer::seal`] made for the same row.
    ///
    /// # Errors
    /// When it was made by another key or for another row, or was changed.
    pub fn open(&self, row: Uuid, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let keys = [Some(&self.own), self.former.as_ref()];
        let (key, rest) = keys
            .into_iter()
            .flatten()
            .find_map(|known| Some((&known.key, known.sealed(sealed)?)))
            .ok_or(SealError)?;
        let (nonce, text) = rest.split_at_checked(NONCE_LEN).ok_or(SealError)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_length| SealError)?;
        let mut text = text.to_vec();
        let opened = key.open_in_place(nonce, Aad::from(row.as_bytes()), &mut text);
        Ok(opened.map_err(|_unspecified| SealError)?.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::{SealError, Sealer};
    use uuid::Uuid;

    const ROW: Uuid = Uuid::from_u128(1);

    #[test]
    fn a_sealed_secret_opens_for_its_row_and_key_only() {
        let sealer = Sealer::new(&[7; 32]).unwrap();
        let sealed = sealer.seal(ROW, b"a secret").unwrap();
        assert_eq!(sealer.open(ROW, &sealed).unwrap(), b"a secret");
        assert_ne!(sealed, sealer.seal(ROW, b"a secret").unwrap(), "each has its own nonce");
        assert!(!sealed.windows(8).any(|part| part == b"a secret"));
        assert_eq!(sealer.open(Uuid::from_u128(2), &sealed), Err(SealError));
        assert_eq!(Sealer::new(&[8; 32]).unwrap().open(ROW, &sealed), Err(SealError));
    }

    #[test]
    fn what_a_former_key_sealed_opens_and_is_to_be_sealed_again() {
        let sealed = Sealer::new(&[7; 32]).unwrap().seal(ROW, b"a secret").unwrap();
        let sealer = Sealer::new(&[8; 32]).unwrap().after(Some(&[7; 32])).unwrap();
        assert_eq!(sealer.open(ROW, &sealed).unwrap(), b"a secret");
        assert!(!sealer.is_current(&sealed));
        let again = sealer.seal(ROW, b"a secret").unwrap();
        assert!(sealer.is_current(&again));
        assert_eq!(Sealer::new(&[8; 32]).unwrap().open(ROW, &again).unwrap(), b"a secret");
    }

    #[test]
    fn a_changed_secret_does_not_open() {
        let sealer = Sealer::new(&[7; 32]).unwrap();
        let sealed = sealer.seal(ROW, b"a secret").unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1);
            assert_eq!(sealer.open(ROW, &changed), Err(SealError), "{at}");
            assert_eq!(sealer.open(ROW, sealed.get(..at).unwrap()), Err(SealError), "{at}");
        }
    }
}

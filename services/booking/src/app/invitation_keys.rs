//! The keys in the addresses of invitations to the practice's staff. A key is derived from an id
//! that each mail has anew; the table has that id and the key's hash, and neither leads to the key.

use eventstore::{new_id, request_hash};
use kernel::Id;
use kernel::id::StaffInvitationToken;
use runtime::RotatedSecret;

use super::signed_ids::{SignedIds, WeakKey};
use crate::repository::invitations::Token;

/// Prefix of the signed text, for domain separation from other uses of the key.
const PURPOSE: &[u8] = b"staff-invitation";
/// The length of a key: an id and 128 bits of its MAC, in base64.
const KEY_LETTERS: usize = 43;

/// Makes keys and their hashes.
#[derive(Debug, Clone)]
pub struct InvitationKeys(SignedIds);

impl InvitationKeys {
    /// Signs with this key.
    ///
    /// # Errors
    /// When it has fewer than 32 bytes.
    pub fn new(key: &RotatedSecret) -> Result<Self, WeakKey> {
        Ok(Self(SignedIds::new(key, PURPOSE)?))
    }

    /// The key of a mail: of those that are accepted, the one whose hash the table has.
    #[must_use]
    pub fn key(&self, id: Id<StaffInvitationToken>, hash: &[u8]) -> Option<String> {
        self.0.accepted(id).find(|key| request_hash(key.as_bytes()) == hash)
    }

    /// A new secret, as the table keeps it.
    #[must_use]
    pub fn new_token(&self) -> Token {
        let id = new_id();
        Token { id, hash: request_hash(self.0.sign(id).as_bytes()) }
    }
}

/// The hash of a key as a caller sends it; `None` for what can be none. A key that is found by its
/// hash tells nothing by the time that it takes.
#[must_use]
pub fn hash_of(key: &str) -> Option<Vec<u8>> {
    (key.len() == KEY_LETTERS).then(|| request_hash(key.as_bytes()))
}

#[cfg(test)]
mod tests {
    use runtime::RotatedSecret;

    use super::{InvitationKeys, hash_of};

    #[test]
    fn each_mail_has_a_key_of_its_own_and_the_table_has_its_hash() {
        let keys = InvitationKeys::new(&"k".repeat(32).into()).unwrap();
        let (first, second) = (keys.new_token(), keys.new_token());
        let key = keys.key(first.id, &first.hash).unwrap();
        assert_ne!(Some(&key), keys.key(second.id, &second.hash).as_ref());
        assert_eq!(hash_of(&key), Some(first.hash.clone()));
        assert_ne!(first.hash, second.hash);
        // What the table has is not enough for a key.
        let others = InvitationKeys::new(&"o".repeat(32).into()).unwrap();
        assert_eq!(others.key(first.id, &first.hash), None);
        // A mail that is sent after a change of keys has the key that its row was made with.
        let both = RotatedSecret::new("o".repeat(32).into(), Some("k".repeat(32).into()));
        let rotated = InvitationKeys::new(&both).unwrap();
        assert_eq!(rotated.key(first.id, &first.hash), Some(key));
        for wrong in ["", "a", &"a".repeat(44)] {
            assert_eq!(hash_of(wrong), None, "{wrong}");
        }
    }
}

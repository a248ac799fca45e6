//! A grant and its holder. Only the browser has the secret; the row has its hash.

use eventstore::Actor;
use kernel::id::Customer;
use kernel::{Id, Timestamp};
use sha2::{Digest as _, Sha256};
use staff::Staff;

use crate::domain::review::Moderator;

/// Idle timeout of a grant.
pub const IDLE_SECONDS: i64 = 10 * 60;
/// Maximum lifetime of a grant.
pub const LIFETIME_SECONDS: i64 = 30 * 60;
/// The actor of passphrase holders, in the audit log and in events.
pub(super) const PASSPHRASE: &str = "passphrase";

/// The holder of a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// An owner or admin who retyped their own password.
    Staff(Staff),
    /// A holder of the shared passphrase.
    Passphrase,
}

impl From<Holder> for Actor {
    fn from(holder: Holder) -> Self {
        match holder {
            Holder::Staff(staff) => staff.into(),
            Holder::Passphrase => Self::sharing(PASSPHRASE),
        }
    }
}

impl From<Holder> for Moderator {
    fn from(holder: Holder) -> Self {
        match holder {
            Holder::Staff(staff) => Self::Member(staff.id),
            Holder::Passphrase => Self::Passphrase,
        }
    }
}

/// SHA-256 of a grant's secret; the key of its row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct GrantHash([u8; 32]);

impl std::fmt::Debug for GrantHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GrantHash(..)")
    }
}

impl GrantHash {
    /// Hashes a secret.
    #[must_use]
    pub fn of(secret: &str) -> Self {
        Self(Sha256::digest(secret.as_bytes()).into())
    }

    /// Its bytes, for the row.
    pub(super) fn bytes(self) -> [u8; 32] {
        self.0
    }
}

/// A newly issued grant with its secret.
#[derive(Clone)]
pub struct IssuedGrant {
    /// The secret, kept by the browser.
    pub secret: String,
    /// When its lifetime ends.
    pub ends_at: Timestamp,
    /// When it ends without use.
    pub idle_ends_at: Timestamp,
}

impl std::fmt::Debug for IssuedGrant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IssuedGrant").field("ends_at", &self.ends_at).finish_non_exhaustive()
    }
}

/// A grant's row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredGrant {
    /// The account of the holder; `None` for a passphrase.
    pub account: Option<Id<Customer>>,
    /// The fingerprint of the passphrase; `None` for an account's password.
    pub passphrase: Option<[u8; 32]>,
    /// Whether it is still valid.
    pub live: bool,
}

#[cfg(test)]
mod tests {
    use super::{GrantHash, Holder, IssuedGrant};
    use crate::domain::review::Moderator;
    use eventstore::Actor;
    use kernel::Timestamp;

    #[test]
    fn the_passphrase_has_one_word_everywhere() {
        let actor = Actor::from(Holder::Passphrase);
        assert_eq!(actor.name(), Moderator::from(Holder::Passphrase).to_string());
    }

    #[test]
    fn neither_secret_nor_hash_can_be_printed() {
        let (ends_at, idle_ends_at) = (Timestamp::EPOCH, Timestamp::EPOCH);
        let opened = IssuedGrant { secret: "quiet-garden".to_owned(), ends_at, idle_ends_at };
        let printed = format!("{opened:?} {:?}", GrantHash::of("quiet-garden"));
        assert!(!printed.contains("quiet"), "{printed}");
    }
}

//! An idempotency key and what it stands for.

use kernel::Id;
use kernel::id::Kind;
use prost::Message;
use sha2::{Digest as _, Sha256};

/// A key with its scope, and the request that it stands for.
#[derive(Debug, Clone)]
pub struct IdempotencyKey {
    /// The caller: a customer, a member of the staff or a page.
    pub caller: String,
    /// The method.
    pub method: &'static str,
    /// The key as sent by the caller.
    pub key: String,
    /// The hash of the rest of the request, see [`request_hash`].
    pub hash: Vec<u8>,
}

/// A hash of a request without its key, which tells a repeat from another request.
#[must_use]
pub fn request_hash(bytes: &[u8]) -> Vec<u8> {
    Sha256::digest(bytes).to_vec()
}

impl IdempotencyKey {
    /// A caller's key of a command about one thing, which is the whole request.
    #[must_use]
    pub fn about<K: Kind>(
        caller: &impl ToString,
        method: &'static str,
        key: String,
        id: Id<K>,
    ) -> Self {
        let hash = request_hash(id.to_string().as_bytes());
        Self { caller: caller.to_string(), method, key, hash }
    }

    /// A caller's key of a request, which no longer holds the key itself.
    #[must_use]
    pub fn of(
        caller: &impl ToString,
        method: &'static str,
        key: String,
        request: &impl Message,
    ) -> Self {
        let hash = request_hash(&request.encode_to_vec());
        Self { caller: caller.to_string(), method, key, hash }
    }

    /// The key with its scope, as one word.
    #[must_use]
    pub fn scoped_name(&self) -> String {
        format!("{} {} {}", self.caller, self.method, self.key)
    }

    /// The name of the lock under which this key is looked up and stored.
    #[must_use]
    pub fn lock_name(&self) -> String {
        format!("idempotency {}", self.scoped_name())
    }
}

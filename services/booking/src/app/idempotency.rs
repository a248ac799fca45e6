//! A command's idempotency key inside its transaction: a repeated key returns the first answer.

use eventstore::{IdempotencyLookup, Tx, key_lock};
use kernel::Id;
use kernel::id::Kind;

use crate::error::{Error, Rejection, refuse};

/// An idempotency key with its scope.
#[derive(Debug, Clone)]
pub struct IdempotencyKey {
    /// The id of the customer or staff member.
    pub caller: String,
    /// The method.
    pub method: &'static str,
    /// The key as sent by the caller.
    pub key: String,
    /// A hash of the rest of the request.
    pub hash: Vec<u8>,
}

impl IdempotencyKey {
    /// The id that the first request with this key returned, if there was one.
    ///
    /// # Errors
    /// When the key was used for a different request.
    pub async fn lookup<K: Kind>(&self, tx: &mut Tx) -> Result<Option<Id<K>>, Error> {
        stored_answer(tx.lookup_key((&self.caller, self.method), &self.key, &self.hash).await?)
    }

    /// The name of the lock that guards this key.
    #[must_use]
    pub fn lock_name(&self) -> String {
        key_lock((&self.caller, self.method), &self.key)
    }

    /// Stores the answer.
    pub async fn store<K: Kind>(&self, tx: &mut Tx, id: Id<K>) -> Result<(), Error> {
        let answer = id.to_string();
        tx.store_key((&self.caller, self.method), &self.key, &self.hash, &answer).await?;
        Ok(())
    }
}

/// Reads a lookup: the id that the first request with this key returned, if there was one.
///
/// # Errors
/// When the key was used for a different request.
pub(super) fn stored_answer<K: Kind>(lookup: IdempotencyLookup) -> Result<Option<Id<K>>, Error> {
    match lookup {
        IdempotencyLookup::New => Ok(None),
        IdempotencyLookup::Answered(answer) => answer.parse().map(Some).map_err(Error::unavailable),
        IdempotencyLookup::Different => Err(refuse(Rejection::IdempotencyKeyReused)),
    }
}

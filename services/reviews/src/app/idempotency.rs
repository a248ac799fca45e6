//! Idempotency of a command within its transaction: a repeated key returns the first answer.

use eventstore::{IdempotencyLookup, Tx};
use kernel::Id;
use kernel::id::Kind;

use crate::error::{Error, Rejection, rejected};

/// An idempotency key with its scope.
#[derive(Debug, Clone)]
pub struct IdempotencyKey {
    /// The caller.
    pub caller: &'static str,
    /// The called method.
    pub method: &'static str,
    /// The key.
    pub key: String,
    /// Hash of the other fields of the request.
    pub hash: Vec<u8>,
}

impl IdempotencyKey {
    /// The stored answer of this key, if there is one.
    ///
    /// # Errors
    /// When the key was used for a different request.
    pub async fn lookup<K: Kind>(&self, tx: &mut Tx) -> Result<Option<Id<K>>, Error> {
        match tx.lookup_key((self.caller, self.method), &self.key, &self.hash).await? {
            IdempotencyLookup::New => Ok(None),
            IdempotencyLookup::Answered(answer) => {
                answer.parse().map(Some).map_err(Error::unavailable)
            }
            IdempotencyLookup::Different => Err(rejected(Rejection::IdempotencyKeyReused)),
        }
    }

    /// Stores the answer under this key.
    pub async fn store<K: Kind>(&self, tx: &mut Tx, id: Id<K>) -> Result<(), Error> {
        let answer = id.to_string();
        tx.store_key((self.caller, self.method), &self.key, &self.hash, &answer).await?;
        Ok(())
    }
}

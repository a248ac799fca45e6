//! A command's key inside its transaction: the same key gets the first answer.

use eventstore::{Recall, Tx, key_lock};
use kernel::Id;
use kernel::id::Kind;

use super::{Error, Rejection, refuse};

/// Whose key it is and what for.
#[derive(Debug, Clone)]
pub struct IdempotencyKey {
    /// The customer, or the member of staff.
    pub caller: String,
    /// The call.
    pub method: &'static str,
    /// The key itself.
    pub key: String,
    /// A hash of the rest of the request.
    pub hash: Vec<u8>,
}

impl IdempotencyKey {
    /// What this key was answered with before, if it was.
    ///
    /// # Errors
    /// When the key stands for another request.
    pub async fn lookup<K: Kind>(&self, tx: &mut Tx) -> Result<Option<Id<K>>, Error> {
        stored_answer(tx.recall((&self.caller, self.method), &self.key, &self.hash).await?)
    }

    /// The name of the lock under which this key is looked up.
    #[must_use]
    pub fn lock_name(&self) -> String {
        key_lock((&self.caller, self.method), &self.key)
    }

    /// Remembers the answer.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn store<K: Kind>(&self, tx: &mut Tx, id: Id<K>) -> Result<(), Error> {
        let answer = id.to_string();
        tx.remember((&self.caller, self.method), &self.key, &self.hash, &answer).await?;
        Ok(())
    }
}

/// What a key was answered with before, if it was.
///
/// # Errors
/// When the key stands for another request.
pub(super) fn stored_answer<K: Kind>(lookup: Recall) -> Result<Option<Id<K>>, Error> {
    match lookup {
        Recall::New => Ok(None),
        Recall::Answered(answer) => answer.parse().map(Some).map_err(Error::unavailable),
        Recall::Different => Err(refuse(Rejection::IdempotencyKeyReused)),
    }
}

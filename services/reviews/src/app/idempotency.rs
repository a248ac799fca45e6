//! A command's key inside its transaction: the same key gets the first answer.

use eventstore::{Recall, Tx};
use kernel::Id;
use kernel::id::Kind;

use super::{Error, Rejection, rejected};

/// Whose key it is and what for.
#[derive(Debug, Clone)]
pub struct IdempotencyKey {
    /// Who asks.
    pub caller: &'static str,
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
        match tx.recall((self.caller, self.method), &self.key, &self.hash).await? {
            Recall::New => Ok(None),
            Recall::Answered(answer) => answer.parse().map(Some).map_err(Error::unavailable),
            Recall::Different => Err(rejected(Rejection::IdempotencyKeyReused)),
        }
    }

    /// Remembers the answer.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn store<K: Kind>(&self, tx: &mut Tx, id: Id<K>) -> Result<(), Error> {
        let answer = id.to_string();
        tx.remember((self.caller, self.method), &self.key, &self.hash, &answer).await?;
        Ok(())
    }
}

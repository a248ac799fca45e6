//! The idempotency key of a command. It stands for one request. The response is computed each time,
//! because it is the payment's current state.

use eventstore::{IdempotencyLookup, Metadata, Tx, request_hash};
use kernel::Id;
use kernel::id::{Booking, Customer};

use super::App;
use super::request::parse_key;
use crate::error::{Error, Rejection, refuse};

/// A key with its caller, its method and the hash of its request.
#[derive(Debug, Clone)]
pub struct IdempotencyKey {
    caller: String,
    method: &'static str,
    key: String,
    hash: Vec<u8>,
}

impl IdempotencyKey {
    /// The key of a request; `asked` is the rest of the request.
    ///
    /// # Errors
    /// When it is not 8 to 64 printable characters.
    pub fn of(
        customer_id: Id<Customer>,
        method: &'static str,
        key: &str,
        asked: &[&str],
    ) -> Result<Self, Error> {
        let key = parse_key(key)?;
        // A part with its length cannot run into the next one.
        let parts = asked.iter().map(|part| format!("{}:{part}", part.len()));
        let hash = request_hash(parts.collect::<String>().as_bytes());
        Ok(Self { caller: customer_id.to_string(), method, key, hash })
    }

    /// The key of a request by the holder of a page's key, who is known by the booking alone.
    ///
    /// # Errors
    /// When it is not 8 to 64 printable characters.
    pub fn of_page(booking_id: Id<Booking>, key: &str) -> Result<Self, Error> {
        let key = parse_key(key)?;
        let caller = format!("page {booking_id}");
        let hash = request_hash(caller.as_bytes());
        Ok(Self { caller, method: "StartPagePayment", key, hash })
    }

    /// The key with its scope: caller, method, key.
    #[must_use]
    pub fn scoped_name(&self) -> String {
        format!("{} {} {}", self.caller, self.method, self.key)
    }

    /// Accepts a request whose key is new or was used for the same request; stores a new key.
    ///
    /// # Errors
    /// `IdempotencyKeyReused`, or that the database does not answer.
    pub async fn check_or_store(&self, app: &App, booking_id: Id<Booking>) -> Result<(), Error> {
        let key = self.clone();
        app.store
            .write(Metadata::by(self.caller.clone(), None), move |tx| {
                let key = key.clone();
                Box::pin(async move {
                    match key.lookup(tx).await? {
                        None => key.store(tx, &booking_id.to_string()).await,
                        Some(_) => Ok(()),
                    }
                })
            })
            .await
    }

    /// The response that is stored under this key, in the transaction of its request.
    ///
    /// # Errors
    /// `IdempotencyKeyReused`, or that the database does not answer.
    pub async fn lookup(&self, tx: &mut Tx) -> Result<Option<String>, Error> {
        let whose = (self.caller.as_str(), self.method);
        match tx.lookup_key(whose, &self.key, &self.hash).await? {
            IdempotencyLookup::New => Ok(None),
            IdempotencyLookup::Answered(answer) => Ok(Some(answer)),
            IdempotencyLookup::Different => Err(refuse(Rejection::IdempotencyKeyReused)),
        }
    }

    /// Stores the response under this key: an id.
    ///
    /// # Errors
    /// When the database does not answer, or a concurrent request stored the key first.
    pub async fn store(&self, tx: &mut Tx, answer: &str) -> Result<(), Error> {
        let whose = (self.caller.as_str(), self.method);
        Ok(tx.store_key(whose, &self.key, &self.hash, answer).await?)
    }
}

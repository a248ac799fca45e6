//! The table `contact_messages`: what visitors write to the practice, until it is erased.

use eventstore::{StoreError, Tx};
use kernel::id::ContactMessage;
use kernel::{Id, Timestamp};
use sqlx::{PgExecutor, Row};

use crate::mails::addresses::AddressHash;
use crate::mails::facts::Message;
use crate::mails::kind::Kind;

/// A message that is to be stored.
#[derive(Debug, Clone, Copy)]
pub struct NewMessage<'a> {
    /// Its id.
    pub id: Id<ContactMessage>,
    /// The caller's idempotency key.
    pub key: &'a str,
    /// The sender's name.
    pub name: &'a str,
    /// Where an answer goes.
    pub email: &'a str,
    /// What they write.
    pub message: &'a str,
    /// The hash of the address, by which messages are counted.
    pub address: AddressHash,
}

/// Whether the message stored under this key is the same; `None` when there is none.
pub async fn lookup(tx: &mut Tx, message: &NewMessage<'_>) -> Result<Option<bool>, StoreError> {
    let row = sqlx::query(
        "select name = $2 and email = $3 and message = $4 as is_same
             from contact_messages where idempotency_key = $1",
    )
    .bind(message.key)
    .bind(message.name)
    .bind(message.email)
    .bind(message.message)
    .fetch_optional(tx.connection())
    .await?;
    Ok(row.map(|row| row.try_get("is_same")).transpose()?)
}

/// The messages of an address since then.
pub async fn of_address_since(
    tx: &mut Tx,
    address: AddressHash,
    since: Timestamp,
) -> Result<Vec<Id<ContactMessage>>, StoreError> {
    Ok(sqlx::query_scalar(
        "select message_id from contact_messages
             where address_hash = $1 and received_at > $2",
    )
    .bind(address.as_bytes())
    .bind(since)
    .fetch_all(tx.connection())
    .await?)
}

/// The number of messages of all addresses since then.
pub async fn count_since(tx: &mut Tx, since: Timestamp) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar("select count(*) from contact_messages where received_at > $1")
        .bind(since)
        .fetch_one(tx.connection())
        .await?)
}

/// Inserts a message that came `now`.
pub async fn insert(
    tx: &mut Tx,
    message: &NewMessage<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into contact_messages (message_id, name, email, message, received_at,
                                           address_hash, idempotency_key)
             values ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(message.id)
    .bind(message.name)
    .bind(message.email)
    .bind(message.message)
    .bind(now)
    .bind(message.address.as_bytes())
    .bind(message.key)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Whether one of these messages has an acknowledgement that was not dropped for `reason`.
pub async fn is_acknowledged(
    tx: &mut Tx,
    messages: &[Id<ContactMessage>],
    reason: &str,
) -> Result<bool, StoreError> {
    let subjects: Vec<String> = messages.iter().map(ToString::to_string).collect();
    Ok(sqlx::query_scalar(
        "select exists (
             select from mails
             where kind = $1 and subject = any ($2)
               and not (state = 'dropped' and last_error is not distinct from $3))",
    )
    .bind(Kind::ContactAcknowledgement.name())
    .bind(subjects)
    .bind(reason)
    .fetch_one(tx.connection())
    .await?)
}

/// Reads a message; `None` when it was erased.
pub async fn read(
    executor: impl PgExecutor<'_>,
    id: Id<ContactMessage>,
) -> Result<Option<Message>, sqlx::Error> {
    let row = sqlx::query(
        "select name, email, message, received_at from contact_messages where message_id = $1",
    )
    .bind(id)
    .fetch_optional(executor)
    .await?;
    row.map(|row| {
        Ok(Message {
            name: row.try_get("name")?,
            email: row.try_get("email")?,
            message: row.try_get("message")?,
            received_at: row.try_get("received_at")?,
        })
    })
    .transpose()
}

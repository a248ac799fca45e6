//! Submissions of the contact form and requests for the meditation guide: rows that are stored
//! until their mails are over and their retention has passed.
//!
//! A submission is one transaction: its row, the rows of its mails and the timer of its erasure. So
//! whatever was confirmed to the visitor is sent, and later erased, even after a crash.

use std::num::NonZeroU32;

use eventstore::Store;
use kernel::Id;
use kernel::id::{ContactMessage, GuideRequest};
use sqlx::{PgExecutor, Row};

use crate::facts::Message;
use crate::unsubscribe::Addresses;

pub mod validation;
pub mod contact;
pub mod guide;
pub mod retention;

/// The dependencies of the forms.
#[derive(Debug, Clone)]
pub struct Forms {
    /// The database.
    pub store: Store,
    /// Hashes addresses.
    pub addresses: Addresses,
    /// The most messages to the practice in an hour, over all addresses.
    pub contact_limit: NonZeroU32,
}

/// The actor of a submission, which says nothing about the person.
const VISITOR: &str = "visitor";

/// Whether the invisible field (honeypot) is filled in: a bot did it, and the answer doesn't tell
/// it apart.
fn fills_honeypot(website: &str) -> bool {
    if website.is_empty() {
        return false;
    }
    tracing::info!("a form came with its trap filled in and went nowhere");
    true
}

/// Reads a message; `None` when it was erased.
///
/// # Errors
/// When the database does not answer.
pub async fn message(
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

/// The address of a guide request; `None` when it was erased.
///
/// # Errors
/// When the database does not answer.
pub async fn guide_address(
    executor: impl PgExecutor<'_>,
    id: Id<GuideRequest>,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar("select email from guide_requests where request_id = $1")
        .bind(id)
        .fetch_optional(executor)
        .await
}

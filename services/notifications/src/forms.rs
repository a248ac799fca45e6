//! Submissions of the contact form and requests for the meditation guide: rows that are stored
//! until their mails are over and their retention has passed.
//!
//! A submission is one transaction: its row, the rows of its mails and the timer of its erasure. So
//! whatever was confirmed to the visitor is sent, and later erased, even after a crash.

use std::num::NonZeroU32;

use eventstore::Store;
use kernel::id::{ContactMessage, GuideRequest};
use kernel::{Code, CommandError, Id, Reject, Timestamp};
use sqlx::{PgExecutor, Row};

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

/// Why a submission fails.
pub type Error = CommandError<Rejection>;

/// A required field of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The sender's name.
    Name,
    /// Where an answer goes.
    Email,
    /// The message.
    Message,
}

/// Why a form is rejected. The text is shown to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The first required field without visible text.
    #[error("Please fill in all fields")]
    FieldsMissing(Field),
    /// The address is invalid.
    #[error("Invalid email address")]
    InvalidEmail,
    /// The name is too long.
    #[error("Please keep your name to {max} characters", max = validation::NAME_CHARS_MAX)]
    NameTooLong,
    /// The message is too long.
    #[error("Please keep your message to {max} characters", max = validation::MESSAGE_CHARS_MAX)]
    MessageTooLong,
    /// Not 8 to 64 printable characters.
    #[error("An idempotency key has 8 to 64 letters, digits or signs.")]
    InvalidIdempotencyKey,
    /// The key was used for another request.
    #[error("This was already sent with other words. Please try again.")]
    IdempotencyKeyReused,
    /// This address has sent enough messages for an hour.
    #[error("You have sent us several messages just now. Please try again in an hour.")]
    TooManyMessages,
    /// All addresses together have sent enough messages for an hour.
    #[error("We have had very many messages just now. Please try again later, or call us.")]
    TooManyInAll,
    /// The token of the link is not ours.
    #[error("This link is not complete. Please open it from the mail again.")]
    InvalidToken,
}

impl Reject for Rejection {
    fn code(&self) -> Code {
        match self {
            Self::FieldsMissing(_)
            | Self::InvalidEmail
            | Self::NameTooLong
            | Self::MessageTooLong
            | Self::InvalidIdempotencyKey
            | Self::IdempotencyKeyReused
            | Self::InvalidToken => Code::InvalidArgument,
            Self::TooManyMessages | Self::TooManyInAll => Code::ResourceExhausted,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::FieldsMissing(_) => "FIELDS_MISSING",
            Self::InvalidEmail => "INVALID_EMAIL",
            Self::NameTooLong | Self::MessageTooLong => "TOO_LONG",
            Self::InvalidIdempotencyKey => "INVALID_IDEMPOTENCY_KEY",
            Self::IdempotencyKeyReused => "IDEMPOTENCY_KEY_REUSED",
            Self::TooManyMessages | Self::TooManyInAll => "TOO_MANY_REQUESTS",
            Self::InvalidToken => "INVALID_TOKEN",
        }
    }

    fn field(&self) -> Option<&'static str> {
        match self {
            Self::FieldsMissing(Field::Name) | Self::NameTooLong => Some("name"),
            Self::FieldsMissing(Field::Email) | Self::InvalidEmail => Some("email"),
            Self::FieldsMissing(Field::Message) | Self::MessageTooLong => Some("message"),
            Self::InvalidIdempotencyKey | Self::IdempotencyKeyReused => Some("idempotency_key"),
            Self::InvalidToken => Some("token"),
            Self::TooManyMessages | Self::TooManyInAll => None,
        }
    }
}

/// A rejection as an error, for `?`.
const fn refuse(rejection: Rejection) -> Error {
    CommandError::Rejected(rejection)
}

/// Whether the invisible field (honeypot) is filled in: a bot did it, and the answer doesn't tell
/// it apart.
fn fills_honeypot(website: &str) -> bool {
    if website.is_empty() {
        return false;
    }
    tracing::info!("a form came with its trap filled in and went nowhere");
    true
}

/// A message to the practice, trimmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The sender's name.
    pub name: String,
    /// Where an answer goes.
    pub email: String,
    /// What they write.
    pub message: String,
    /// When it came.
    pub received_at: Timestamp,
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

//! Why what a visitor submits is not accepted.

use kernel::{Code, CommandError, Reject};

/// The most characters of a name.
pub const NAME_CHARS_MAX: usize = 120;
/// The most characters of a message.
pub const MESSAGE_CHARS_MAX: usize = 5000;

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
    #[error("Please keep your name to {max} characters", max = NAME_CHARS_MAX)]
    NameTooLong,
    /// The name has no letter.
    #[error("Please write your name with a letter")]
    NameWithoutLetter,
    /// The name has characters that cannot be shown.
    #[error("Please write your name without control characters")]
    InvalidName,
    /// The message is too long.
    #[error("Please keep your message to {max} characters", max = MESSAGE_CHARS_MAX)]
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
            | Self::NameWithoutLetter
            | Self::InvalidName
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
            Self::NameWithoutLetter | Self::InvalidName => "INVALID_NAME",
            Self::InvalidIdempotencyKey => "INVALID_IDEMPOTENCY_KEY",
            Self::IdempotencyKeyReused => "IDEMPOTENCY_KEY_REUSED",
            Self::TooManyMessages | Self::TooManyInAll => "TOO_MANY_REQUESTS",
            Self::InvalidToken => "INVALID_TOKEN",
        }
    }

    fn field(&self) -> Option<&'static str> {
        match self {
            Self::FieldsMissing(Field::Name)
            | Self::NameTooLong
            | Self::NameWithoutLetter
            | Self::InvalidName => Some("name"),
            Self::FieldsMissing(Field::Email) | Self::InvalidEmail => Some("email"),
            Self::FieldsMissing(Field::Message) | Self::MessageTooLong => Some("message"),
            Self::InvalidIdempotencyKey | Self::IdempotencyKeyReused => Some("idempotency_key"),
            Self::InvalidToken => Some("token"),
            Self::TooManyMessages | Self::TooManyInAll => None,
        }
    }
}

/// A rejection as an error, for `?`.
#[must_use]
pub const fn refuse(rejection: Rejection) -> Error {
    CommandError::Rejected(rejection)
}

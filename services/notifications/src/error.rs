//! Why what a visitor submits is not accepted.

use kernel::CommandError;

/// The most characters of a name.
pub const NAME_CHARS_MAX: usize = 120;
/// The most characters of a message.
pub const MESSAGE_CHARS_MAX: usize = 5000;

/// Why a submission fails.
pub type Error = CommandError<Rejection>;

kernel::rejections! {
    /// Why a form is rejected. The text is shown to people.
    pub enum Rejection {
        NameMissing: InvalidArgument "FIELDS_MISSING" @ "name", "Please fill in all fields";
        EmailMissing: InvalidArgument "FIELDS_MISSING" @ "email", "Please fill in all fields";
        MessageMissing: InvalidArgument "FIELDS_MISSING" @ "message", "Please fill in all fields";
        InvalidEmail: InvalidArgument "INVALID_EMAIL" @ "email", "Invalid email address";
        NameTooLong: InvalidArgument "TOO_LONG" @ "name",
            "Please keep your name to {NAME_CHARS_MAX} characters";
        NameWithoutLetter: InvalidArgument "INVALID_NAME" @ "name",
            "Please write your name with a letter";
        InvalidName: InvalidArgument "INVALID_NAME" @ "name",
            "Please write your name without control characters";
        MessageTooLong: InvalidArgument "TOO_LONG" @ "message",
            "Please keep your message to {MESSAGE_CHARS_MAX} characters";
        InvalidIdempotencyKey: InvalidArgument "INVALID_IDEMPOTENCY_KEY" @ "idempotency_key",
            "An idempotency key has 8 to 64 letters, digits or signs.";
        IdempotencyKeyReused: InvalidArgument "IDEMPOTENCY_KEY_REUSED" @ "idempotency_key",
            "This was already sent with other words. Please try again.";
        // This address has sent enough messages for an hour.
        TooManyMessages: ResourceExhausted "TOO_MANY_REQUESTS",
            "You have sent us several messages just now. Please try again in an hour.";
        // All addresses together have sent enough messages for an hour.
        TooManyInAll: ResourceExhausted "TOO_MANY_REQUESTS",
            "We have had very many messages just now. Please try again later, or call us.";
        InvalidToken: InvalidArgument "INVALID_TOKEN" @ "token",
            "This link is not complete. Please open it from the mail again.";
    }
}

/// A rejection as an error, for `?`.
#[must_use]
pub const fn refuse(rejection: Rejection) -> Error {
    CommandError::Rejected(rejection)
}

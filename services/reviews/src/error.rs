//! Why a command is rejected, with the code, reason and field that its caller gets.

use kernel::{Code, CommandError, Reject};

use crate::domain::review;

/// The error of a command.
pub type Error = CommandError<Rejection>;

/// Why a command is rejected. Visitors and staff read its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The key is not 16 to 64 printable characters.
    #[error("An idempotency key has 16 to 64 letters, digits or signs.")]
    InvalidIdempotencyKey,
    /// The key was used for another review.
    #[error("This was already sent with other words. Please try again.")]
    IdempotencyKeyReused,
    /// The name is missing.
    #[error("Name is required")]
    NameRequired,
    /// The name is too long.
    #[error("Please keep your name under 80 characters")]
    NameTooLong,
    /// The name contains characters that cannot be displayed.
    #[error("Please write your name without control characters")]
    InvalidName,
    /// The name has no letter.
    #[error("Please write your name with a letter")]
    NameWithoutLetter,
    /// The address is missing.
    #[error("Email is required")]
    EmailRequired,
    /// The input is not an email address.
    #[error("Invalid email address")]
    InvalidEmail,
    /// No service was chosen.
    #[error("Please choose what your review is about")]
    ServiceRequired,
    /// The service is not one of the practice's choices.
    #[error("Please choose what your review is about from the list")]
    UnknownService,
    /// The rating is missing or not 1 to 5.
    #[error("Please provide a rating")]
    RatingRequired,
    /// The text is missing.
    #[error("Please write your review")]
    ReviewRequired,
    /// The text is too long.
    #[error("Please keep your review under 4000 characters")]
    ReviewTooLong,
    /// The uploaded image was deleted, or another review has it.
    #[error("Your image is not there any more. Please choose it again.")]
    ImageNotFound,
    /// The link of the mail is invalid, used or expired.
    #[error("This link was used already or is too old. You can still leave a review without it.")]
    InvitationNotValid,
    /// The booking has no completed session.
    #[error("There is no completed session of this booking.")]
    SessionNotCompleted,
    /// The page token is invalid.
    #[error("This page of reviews can not be found. Please begin with the first one.")]
    InvalidPageToken,
    /// The review does not exist or was deleted.
    #[error("The review you're looking for doesn't exist or has been removed.")]
    ReviewNotFound,
    /// The undo period of the deletion is over.
    #[error("This deletion can not be undone any more.")]
    UndoTooLate,
}

impl Reject for Rejection {
    fn code(&self) -> Code {
        match self {
            Self::InvalidIdempotencyKey
            | Self::IdempotencyKeyReused
            | Self::NameRequired
            | Self::NameTooLong
            | Self::InvalidName
            | Self::NameWithoutLetter
            | Self::EmailRequired
            | Self::InvalidEmail
            | Self::ServiceRequired
            | Self::UnknownService
            | Self::RatingRequired
            | Self::ReviewRequired
            | Self::ReviewTooLong
            | Self::InvalidPageToken => Code::InvalidArgument,
            Self::ImageNotFound | Self::InvitationNotValid | Self::UndoTooLate => {
                Code::FailedPrecondition
            }
            Self::SessionNotCompleted | Self::ReviewNotFound => Code::NotFound,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::InvalidIdempotencyKey => "INVALID_IDEMPOTENCY_KEY",
            Self::IdempotencyKeyReused => "IDEMPOTENCY_KEY_REUSED",
            Self::NameRequired => "NAME_REQUIRED",
            Self::NameTooLong => "NAME_TOO_LONG",
            Self::InvalidName | Self::NameWithoutLetter => "INVALID_NAME",
            Self::EmailRequired => "EMAIL_REQUIRED",
            Self::InvalidEmail => "INVALID_EMAIL",
            Self::ServiceRequired => "SERVICE_REQUIRED",
            Self::UnknownService => "UNKNOWN_SERVICE",
            Self::RatingRequired => "RATING_REQUIRED",
            Self::ReviewRequired => "REVIEW_REQUIRED",
            Self::ReviewTooLong => "REVIEW_TOO_LONG",
            Self::ImageNotFound => "IMAGE_NOT_FOUND",
            Self::InvitationNotValid => "INVITATION_NOT_VALID",
            Self::SessionNotCompleted => "SESSION_NOT_COMPLETED",
            Self::InvalidPageToken => "INVALID_PAGE_TOKEN",
            Self::ReviewNotFound => "REVIEW_NOT_FOUND",
            Self::UndoTooLate => "UNDO_TOO_LATE",
        }
    }

    fn field(&self) -> Option<&'static str> {
        match self {
            Self::InvalidIdempotencyKey | Self::IdempotencyKeyReused => Some("idempotency_key"),
            Self::NameRequired
            | Self::NameTooLong
            | Self::InvalidName
            | Self::NameWithoutLetter => Some("name"),
            Self::EmailRequired | Self::InvalidEmail => Some("email"),
            Self::ServiceRequired | Self::UnknownService => Some("service"),
            Self::RatingRequired => Some("rating"),
            Self::ReviewRequired | Self::ReviewTooLong => Some("text"),
            Self::ImageNotFound => Some("image_id"),
            Self::InvitationNotValid => Some("invitation"),
            Self::InvalidPageToken => Some("page_token"),
            Self::SessionNotCompleted | Self::ReviewNotFound | Self::UndoTooLate => None,
        }
    }
}

impl From<review::Rejection> for Rejection {
    fn from(rejection: review::Rejection) -> Self {
        match rejection {
            review::Rejection::Absent => Self::ReviewNotFound,
            review::Rejection::Exists => Self::IdempotencyKeyReused,
            review::Rejection::UndoTooLate => Self::UndoTooLate,
        }
    }
}

/// A rejection as an error, for `?`.
pub(crate) fn rejected(rejection: Rejection) -> Error {
    CommandError::Rejected(rejection)
}

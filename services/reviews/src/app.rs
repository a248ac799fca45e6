//! One function per command: read under locks, decide, append, and write down what reads need.

use std::sync::Arc;

use eventstore::Store;
use kernel::{Code, CommandError, Reject};
use runtime::practice::Practice;

use crate::domain::review;
use crate::invitation::Invitations;
use crate::picture::Pictures;

pub mod request;
pub mod idempotency;
pub mod proof;
pub mod submit_review;
pub mod create_invitation;
pub mod check_badge;
pub mod delete_review;
pub mod restore_review;
pub mod erase_review;
pub mod retention;

/// Everything that commands work with.
#[derive(Debug)]
pub struct App {
    /// The database.
    pub store: Store,
    /// What the practice says about itself.
    pub practice: Practice,
    /// Links of follow-up mails.
    pub invitations: Invitations,
    /// What takes pictures in and gives them out.
    pub pictures: Arc<Pictures>,
}

/// How a command fails.
pub type Error = CommandError<Rejection>;

/// Why a command is refused. Its text is read by people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// Not 16 to 64 printable characters.
    #[error("An idempotency key has 16 to 64 letters, digits or signs.")]
    InvalidIdempotencyKey,
    /// The key was used for another review.
    #[error("This was already sent with other words. Please try again.")]
    IdempotencyKeyReused,
    /// There is no name.
    #[error("Name is required")]
    NameRequired,
    /// The name is too long.
    #[error("Please keep your name under 80 characters")]
    NameTooLong,
    /// The name has characters that cannot be shown.
    #[error("Please write your name on one line, without control characters")]
    InvalidName,
    /// There is no address.
    #[error("Email is required")]
    EmailRequired,
    /// What was typed is no address.
    #[error("Invalid email address")]
    InvalidEmail,
    /// Nothing was chosen.
    #[error("Please choose what your review is about")]
    ServiceRequired,
    /// The practice does not have that choice.
    #[error("Please choose what your review is about from the list")]
    UnknownService,
    /// No stars were given.
    #[error("Please provide a rating")]
    RatingRequired,
    /// There is no text.
    #[error("Please write your review")]
    ReviewRequired,
    /// The text is too long.
    #[error("Please keep your review under 4000 characters")]
    ReviewTooLong,
    /// The text has characters that cannot be shown.
    #[error("Please write your review without control characters")]
    InvalidReview,
    /// The uploaded image is gone, or another review has it.
    #[error("Your image is not there any more. Please choose it again.")]
    ImageNotFound,
    /// The link of the mail is no good, was used or is too old.
    #[error("This link was used already or is too old. You can still leave a review without it.")]
    InvitationNotValid,
    /// The practice gave no such session.
    #[error("There is no completed session of this booking.")]
    SessionNotCompleted,
    /// No such page.
    #[error("This page of reviews can not be found. Please begin with the first one.")]
    InvalidPageToken,
    /// No such review, or it was deleted.
    #[error("The review you're looking for doesn't exist or has been removed.")]
    ReviewNotFound,
    /// It was deleted too long ago to be brought back.
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
            | Self::EmailRequired
            | Self::InvalidEmail
            | Self::ServiceRequired
            | Self::UnknownService
            | Self::RatingRequired
            | Self::ReviewRequired
            | Self::ReviewTooLong
            | Self::InvalidReview
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
            Self::InvalidName => "INVALID_NAME",
            Self::EmailRequired => "EMAIL_REQUIRED",
            Self::InvalidEmail => "INVALID_EMAIL",
            Self::ServiceRequired => "SERVICE_REQUIRED",
            Self::UnknownService => "UNKNOWN_SERVICE",
            Self::RatingRequired => "RATING_REQUIRED",
            Self::ReviewRequired => "REVIEW_REQUIRED",
            Self::ReviewTooLong => "REVIEW_TOO_LONG",
            Self::InvalidReview => "INVALID_REVIEW",
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
            Self::NameRequired | Self::NameTooLong | Self::InvalidName => Some("name"),
            Self::EmailRequired | Self::InvalidEmail => Some("email"),
            Self::ServiceRequired | Self::UnknownService => Some("service"),
            Self::RatingRequired => Some("rating"),
            Self::ReviewRequired | Self::ReviewTooLong | Self::InvalidReview => Some("text"),
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

/// A refusal as an error, for `?`.
pub(crate) fn rejected(rejection: Rejection) -> Error {
    CommandError::Rejected(rejection)
}

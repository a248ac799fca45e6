//! Why a command is rejected, with the code, reason and field that its caller gets.

use kernel::CommandError;
use service::KeyRejection;

use crate::domain::review;

/// The error of a command.
pub type Error = CommandError<Rejection>;

kernel::rejections! {
    /// Why a command is rejected. Visitors and staff read its text.
    pub enum Rejection {
        InvalidIdempotencyKey: InvalidArgument "INVALID_IDEMPOTENCY_KEY" @ "idempotency_key",
            "An idempotency key has 16 to 64 letters, digits or signs.";
        IdempotencyKeyReused: InvalidArgument "IDEMPOTENCY_KEY_REUSED" @ "idempotency_key",
            "This was already sent with other words. Please try again.";
        NameRequired: InvalidArgument "NAME_REQUIRED" @ "name", "Name is required";
        NameTooLong: InvalidArgument "NAME_TOO_LONG" @ "name",
            "Please keep your name under 80 characters";
        InvalidName: InvalidArgument "INVALID_NAME" @ "name",
            "Please write your name without control characters";
        NameWithoutLetter: InvalidArgument "INVALID_NAME" @ "name",
            "Please write your name with a letter";
        EmailRequired: InvalidArgument "EMAIL_REQUIRED" @ "email", "Email is required";
        InvalidEmail: InvalidArgument "INVALID_EMAIL" @ "email", "Invalid email address";
        ServiceRequired: InvalidArgument "SERVICE_REQUIRED" @ "service",
            "Please choose what your review is about";
        UnknownService: InvalidArgument "UNKNOWN_SERVICE" @ "service",
            "Please choose what your review is about from the list";
        RatingRequired: InvalidArgument "RATING_REQUIRED" @ "rating", "Please provide a rating";
        ReviewRequired: InvalidArgument "REVIEW_REQUIRED" @ "text", "Please write your review";
        ReviewTooLong: InvalidArgument "REVIEW_TOO_LONG" @ "text",
            "Please keep your review under 4000 characters";
        // The uploaded image was deleted, or another review has it.
        ImageNotFound: FailedPrecondition "IMAGE_NOT_FOUND" @ "image_id",
            "Your image is not there any more. Please choose it again.";
        // The link of the mail is invalid, used or expired.
        InvitationNotValid: FailedPrecondition "INVITATION_NOT_VALID" @ "invitation",
            "This link was used already or is too old. You can still leave a review without it.";
        SessionNotCompleted: NotFound "SESSION_NOT_COMPLETED",
            "There is no completed session of this booking.";
        InvalidPageToken: InvalidArgument "INVALID_PAGE_TOKEN" @ "page_token",
            "This page of reviews can not be found. Please begin with the first one.";
        ReviewNotFound: NotFound "REVIEW_NOT_FOUND",
            "The review you're looking for doesn't exist or has been removed.";
        UndoTooLate: FailedPrecondition "UNDO_TOO_LATE",
            "This deletion can not be undone any more.";
    }
}

impl KeyRejection for Rejection {
    const REUSED: Self = Self::IdempotencyKeyReused;
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

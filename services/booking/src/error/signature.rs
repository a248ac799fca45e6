//! Code, reason, field and text of what is missing to a consent on the page of a booking.

use kernel::Code;

use crate::domain::consent::code::SignatureError;

/// What callers learn.
pub(super) struct Words {
    pub(super) code: Code,
    pub(super) reason: &'static str,
    pub(super) field: Option<&'static str>,
    pub(super) text: &'static str,
}

pub(super) fn words(wrong: SignatureError) -> Words {
    let (code, field) = match wrong {
        SignatureError::CodeRequired | SignatureError::CodeWrong | SignatureError::CodeEnded => {
            (Code::FailedPrecondition, Some("consent_code"))
        }
        SignatureError::TooManyCodes => (Code::ResourceExhausted, None),
        SignatureError::ByStaff => (Code::FailedPrecondition, Some("consent")),
    };
    let (reason, text) = match wrong {
        SignatureError::CodeRequired => (
            "CONSENT_CODE_REQUIRED",
            "Please type the code that we mail to the address of this booking.",
        ),
        SignatureError::CodeWrong => {
            ("CONSENT_CODE_WRONG", "That is not the code. Please check it and type it again.")
        }
        SignatureError::CodeEnded => {
            ("CONSENT_CODE_ENDED", "That code does not work any more. Please ask for another one.")
        }
        SignatureError::TooManyCodes => (
            "TOO_MANY_CONSENT_CODES",
            "We have mailed several codes. Please use the newest one, or try again in an hour.",
        ),
        SignatureError::ByStaff => (
            "STAFF_CANNOT_SIGN",
            "A consent is signed by the client. Members of the practice sign only their own.",
        ),
    };
    Words { code, reason, field, text }
}

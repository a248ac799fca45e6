//! What callers learn of what a client typed wrongly: each cause has a sentence of its own.

use kernel::Code;
use kernel::typed::TextProblem;

use crate::domain::consent::ConsentError;
use crate::domain::contact::ContactError;

pub(super) fn contact_text(wrong: ContactError) -> &'static str {
    match wrong {
        ContactError::FirstName(TextProblem::Missing) => "First name is required",
        ContactError::FirstName(TextProblem::Letterless) => "A first name has a letter",
        ContactError::FirstName(TextProblem::Control) => "A first name has no control characters",
        ContactError::FirstName(TextProblem::TooLong) => "A first name has at most 80 characters",
        ContactError::LastName(TextProblem::Missing) => "Last name is required",
        ContactError::LastName(TextProblem::Letterless) => "A last name has a letter",
        ContactError::LastName(TextProblem::Control) => "A last name has no control characters",
        ContactError::LastName(TextProblem::TooLong) => "A last name has at most 80 characters",
        ContactError::EmailMissing => "Email is required",
        ContactError::EmailInvalid => "Invalid email address",
        ContactError::PhoneInvalid => "Invalid phone number",
        ContactError::NotesTooLong => "Please keep your note under 2000 characters",
    }
}

pub(super) fn contact_reason(wrong: ContactError) -> (&'static str, &'static str) {
    match wrong {
        ContactError::FirstName(TextProblem::Missing) => {
            ("FIRST_NAME_REQUIRED", "contact.first_name")
        }
        ContactError::FirstName(_) => ("INVALID_FIRST_NAME", "contact.first_name"),
        ContactError::LastName(TextProblem::Missing) => ("LAST_NAME_REQUIRED", "contact.last_name"),
        ContactError::LastName(_) => ("INVALID_LAST_NAME", "contact.last_name"),
        ContactError::EmailMissing => ("EMAIL_REQUIRED", "contact.email"),
        ContactError::EmailInvalid => ("INVALID_EMAIL", "contact.email"),
        ContactError::PhoneInvalid => ("INVALID_PHONE", "contact.phone"),
        ContactError::NotesTooLong => ("NOTES_TOO_LONG", "contact.notes"),
    }
}

/// What callers learn of an invalid part of a consent.
pub(super) struct ConsentWords {
    pub(super) reason: &'static str,
    pub(super) field: &'static str,
    pub(super) text: &'static str,
}

pub(super) fn consent_words(wrong: ConsentError) -> ConsentWords {
    let (reason, field, text) = match wrong {
        ConsentError::VersionUnknown => (
            "CONSENT_VERSION_UNKNOWN",
            "consent.version",
            "Our terms have changed. Please read them again.",
        ),
        ConsentError::FullName(problem) => (
            if problem == TextProblem::Missing {
                "CONSENT_NAME_REQUIRED"
            } else {
                "INVALID_CONSENT_NAME"
            },
            "consent.full_name",
            match problem {
                TextProblem::Missing => "Full name is required",
                TextProblem::Letterless => "A full name has a letter",
                TextProblem::Control => "A full name has no control characters",
                TextProblem::TooLong => "A full name has at most 160 characters",
            },
        ),
        ConsentError::EmailMissing => {
            ("CONSENT_EMAIL_REQUIRED", "consent.email", "Email is required")
        }
        ConsentError::EmailInvalid => {
            ("INVALID_CONSENT_EMAIL", "consent.email", "Invalid email address")
        }
        ConsentError::Signature(problem) => (
            if problem == TextProblem::Missing {
                "SIGNATURE_REQUIRED"
            } else {
                "INVALID_SIGNATURE"
            },
            "consent.signature",
            match problem {
                TextProblem::Missing => "Signature is required",
                TextProblem::Letterless => "A signature has a letter",
                TextProblem::Control => "A signature has no control characters",
                TextProblem::TooLong => "A signature has at most 160 characters",
            },
        ),
        ConsentError::DeclarationNotAccepted => (
            "DECLARATION_NOT_ACCEPTED",
            "consent.accepted_declaration",
            "Please accept the declaration to book your session.",
        ),
    };
    ConsentWords { reason, field, text }
}

pub(super) fn consent_code(wrong: ConsentError) -> Code {
    match wrong {
        ConsentError::VersionUnknown | ConsentError::DeclarationNotAccepted => {
            Code::FailedPrecondition
        }
        ConsentError::FullName(_)
        | ConsentError::EmailMissing
        | ConsentError::EmailInvalid
        | ConsentError::Signature(_) => Code::InvalidArgument,
    }
}

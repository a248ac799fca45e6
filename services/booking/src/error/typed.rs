//! What callers learn of what a client typed wrongly: each cause has a sentence of its own.

use kernel::typed::TextProblem::{self, Missing};

use crate::domain::consent::{self, ConsentError};
use crate::domain::contact::{self, ContactError};

kernel::rejections! { for ContactError {
    FirstName(Missing): InvalidArgument "FIRST_NAME_REQUIRED" @ "contact.first_name",
        "First name is required";
    FirstName(problem): InvalidArgument "INVALID_FIRST_NAME" @ "contact.first_name",
        "A first name {rule}", rule = rule(*problem, contact::NAME_MAX);
    LastName(Missing): InvalidArgument "LAST_NAME_REQUIRED" @ "contact.last_name",
        "Last name is required";
    LastName(problem): InvalidArgument "INVALID_LAST_NAME" @ "contact.last_name",
        "A last name {rule}", rule = rule(*problem, contact::NAME_MAX);
    EmailMissing: InvalidArgument "EMAIL_REQUIRED" @ "contact.email", "Email is required";
    EmailInvalid: InvalidArgument "INVALID_EMAIL" @ "contact.email", "Invalid email address";
    PhoneInvalid: InvalidArgument "INVALID_PHONE" @ "contact.phone", "Invalid phone number";
    NotesTooLong: InvalidArgument "NOTES_TOO_LONG" @ "contact.notes",
        "Please keep your note under 2000 characters";
} }

kernel::rejections! { for ConsentError {
    VersionUnknown: FailedPrecondition "CONSENT_VERSION_UNKNOWN" @ "consent.version",
        "Our terms have changed. Please read them again.";
    FullName(Missing): InvalidArgument "CONSENT_NAME_REQUIRED" @ "consent.full_name",
        "Full name is required";
    FullName(problem): InvalidArgument "INVALID_CONSENT_NAME" @ "consent.full_name",
        "A full name {rule}", rule = rule(*problem, consent::NAME_MAX);
    EmailMissing: InvalidArgument "CONSENT_EMAIL_REQUIRED" @ "consent.email", "Email is required";
    EmailInvalid: InvalidArgument "INVALID_CONSENT_EMAIL" @ "consent.email",
        "Invalid email address";
    Signature(Missing): InvalidArgument "SIGNATURE_REQUIRED" @ "consent.signature",
        "Signature is required";
    Signature(problem): InvalidArgument "INVALID_SIGNATURE" @ "consent.signature",
        "A signature {rule}", rule = rule(*problem, consent::NAME_MAX);
    DeclarationNotAccepted: FailedPrecondition
        "DECLARATION_NOT_ACCEPTED" @ "consent.accepted_declaration",
        "Please accept the declaration to book your session.";
} }

/// The rule that a name breaks, as the end of a sentence that begins with it.
fn rule(broken: TextProblem, chars_max: usize) -> String {
    match broken {
        TextProblem::Missing => "has something to see".to_owned(),
        TextProblem::Letterless => "has a letter".to_owned(),
        TextProblem::Control => "has no control characters".to_owned(),
        TextProblem::TooLong => format!("has at most {chars_max} characters"),
    }
}

//! A client's consent to online sessions, validated once on entry. It is personal data, never part
//! of an event or a log.

use std::fmt;

use kernel::id::{Booking, Consent as ConsentKind, Customer};
use kernel::typed::{Line, TextProblem};
use kernel::{Id, Timestamp};

use self::proof::Proof;
use super::contact::{self, ContactError};

pub mod code;
pub mod document;
pub mod proof;

/// The maximum length of the full name and of the signature, in characters.
pub const NAME_MAX: usize = 160;
/// The maximum length of a version, in bytes.
const VERSION_MAX: usize = 64;

/// A consent as typed.
#[derive(Clone, Copy)]
pub struct ConsentInput<'a> {
    /// The version of the terms that were shown.
    pub version: &'a str,
    /// Full name.
    pub full_name: &'a str,
    /// Mail address.
    pub email: &'a str,
    /// Typed signature.
    pub signature: &'a str,
    /// Whether the declaration was accepted.
    pub accepted_declaration: bool,
}

/// A validated consent.
#[derive(Clone, PartialEq, Eq)]
pub struct Consent {
    version: String,
    full_name: String,
    email: String,
    signature: String,
}

/// Prints no data, so that it never reaches a log.
impl fmt::Debug for Consent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Consent")
    }
}

/// Which part of a consent is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsentError {
    /// The version is not that of today's terms.
    VersionUnknown,
    /// The full name.
    FullName(TextProblem),
    /// The mail address is empty.
    EmailMissing,
    /// The mail address is invalid.
    EmailInvalid,
    /// The signature.
    Signature(TextProblem),
    /// The declaration was not accepted.
    DeclarationNotAccepted,
}

impl Consent {
    /// Validates a consent to the terms of this version.
    ///
    /// # Errors
    /// The first invalid part; the version comes first, because with other terms everything is to
    /// be asked for again.
    pub fn parse(input: &ConsentInput<'_>, version: &str) -> Result<Self, ConsentError> {
        if input.version.len() > VERSION_MAX || input.version != version {
            return Err(ConsentError::VersionUnknown);
        }
        let full_name = line(input.full_name).map_err(ConsentError::FullName)?;
        let email = contact::email(input.email).map_err(|why| match why {
            ContactError::EmailMissing => ConsentError::EmailMissing,
            ContactError::FirstName(_)
            | ContactError::LastName(_)
            | ContactError::EmailInvalid
            | ContactError::PhoneInvalid
            | ContactError::NotesTooLong => ConsentError::EmailInvalid,
        })?;
        let signature = line(input.signature).map_err(ConsentError::Signature)?;
        if !input.accepted_declaration {
            return Err(ConsentError::DeclarationNotAccepted);
        }
        Ok(Self { version: version.to_owned(), full_name, email, signature })
    }

    /// The version of the terms.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Full name.
    #[must_use]
    pub fn full_name(&self) -> &str {
        &self.full_name
    }

    /// Mail address.
    #[must_use]
    pub fn email(&self) -> &str {
        &self.email
    }

    /// Typed signature.
    #[must_use]
    pub fn signature(&self) -> &str {
        &self.signature
    }
}

/// A line of text. It stands on a line of its own in the consent's file, so it must not break it.
fn line(text: &str) -> Result<String, TextProblem> {
    Line::parse(text, NAME_MAX).map(Line::into_string)
}

/// A consent as it was given.
#[derive(Clone, PartialEq, Eq)]
pub struct GivenConsent {
    /// Its id.
    pub id: Id<ConsentKind>,
    /// Who gave it.
    pub customer_id: Id<Customer>,
    /// The booking that it was given with.
    pub booking_id: Id<Booking>,
    /// The version of the terms.
    pub version: String,
    /// Full name.
    pub full_name: String,
    /// Mail address.
    pub email: String,
    /// Typed signature.
    pub signature: String,
    /// When it was given, by the database's clock.
    pub given_at: Timestamp,
    /// When it was withdrawn, if it was.
    pub withdrawn_at: Option<Timestamp>,
    /// By which way it was given.
    pub proof: Proof,
}

impl fmt::Debug for GivenConsent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GivenConsent({})", self.id)
    }
}

impl GivenConsent {
    /// Whether it is in force and to the terms of this version.
    #[must_use]
    pub fn is_current(&self, version: &str) -> bool {
        self.withdrawn_at.is_none() && self.version == version
    }
}

#[cfg(test)]
mod tests;

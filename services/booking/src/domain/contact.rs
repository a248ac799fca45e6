//! Contact data of the customer, validated once on entry. It is personal data, never part of an
//! event or a log.

use std::fmt;

use kernel::typed::{self, AddressProblem, Line, MailAddress, Text, TextProblem};

/// The maximum length of a name, in characters.
pub const NAME_MAX: usize = 80;
/// The maximum length of the customer's note, in characters.
const NOTES_MAX: usize = 2000;
/// The maximum length of a phone number as it is read.
const PHONE_MAX: usize = 40;

/// Contact data as typed.
#[derive(Clone, Copy)]
pub struct ContactInput<'a> {
    /// Given name.
    pub first_name: &'a str,
    /// Family name.
    pub last_name: &'a str,
    /// Mail address.
    pub email: &'a str,
    /// Phone number, or empty.
    pub phone: &'a str,
    /// The customer's note, or empty.
    pub notes: &'a str,
}

/// Validated contact data.
#[derive(Clone, PartialEq, Eq)]
pub struct Contact {
    first_name: String,
    last_name: String,
    email: String,
    phone: String,
    notes: String,
}

/// Prints no data, so that it never reaches a log.
impl fmt::Debug for Contact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Contact")
    }
}

/// Which field of contact data is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactError {
    /// The given name.
    FirstName(TextProblem),
    /// The family name.
    LastName(TextProblem),
    /// The mail address is empty.
    EmailMissing,
    /// The mail address is invalid.
    EmailInvalid,
    /// The phone number is invalid.
    PhoneInvalid,
    /// The note is too long.
    NotesTooLong,
}

impl Contact {
    /// Validates and normalizes contact data.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn parse(input: &ContactInput<'_>) -> Result<Self, ContactError> {
        Ok(Self {
            first_name: name(input.first_name).map_err(ContactError::FirstName)?,
            last_name: name(input.last_name).map_err(ContactError::LastName)?,
            email: email(input.email)?,
            phone: phone(input.phone)?,
            notes: notes(input.notes)?,
        })
    }

    /// Given name.
    #[must_use]
    pub fn first_name(&self) -> &str {
        &self.first_name
    }

    /// Family name.
    #[must_use]
    pub fn last_name(&self) -> &str {
        &self.last_name
    }

    /// Mail address.
    #[must_use]
    pub fn email(&self) -> &str {
        &self.email
    }

    /// Phone number in E.164 form, or empty.
    #[must_use]
    pub fn phone(&self) -> &str {
        &self.phone
    }

    /// The customer's note, or empty.
    #[must_use]
    pub fn notes(&self) -> &str {
        &self.notes
    }
}

/// A name is used in mail headers, and a line has no line breaks.
fn name(text: &str) -> Result<String, TextProblem> {
    Line::parse(text, NAME_MAX).map(Line::into_string)
}

/// Validates a mail address and removes what pasting puts around it.
///
/// # Errors
/// `EmailMissing` or `EmailInvalid`.
pub(super) fn email(text: &str) -> Result<String, ContactError> {
    MailAddress::parse(text).map(MailAddress::into_string).map_err(|problem| match problem {
        AddressProblem::Missing => ContactError::EmailMissing,
        AddressProblem::Malformed => ContactError::EmailInvalid,
    })
}

/// A number without a country code is parsed as Indian.
fn phone(text: &str) -> Result<String, ContactError> {
    let text = typed::phone(text);
    if text.is_empty() {
        return Ok(String::new());
    }
    if text.len() > PHONE_MAX {
        return Err(ContactError::PhoneInvalid);
    }
    let number = phonenumber::parse(Some(phonenumber::country::Id::IN), text)
        .map_err(|_unreadable| ContactError::PhoneInvalid)?;
    if !number.is_valid() {
        return Err(ContactError::PhoneInvalid);
    }
    Ok(number.format().mode(phonenumber::Mode::E164).to_string())
}

/// Loads the phone number metadata at start-up, which takes a moment, so that the first request
/// doesn't wait for it.
pub fn preload_phone_metadata() {
    drop(phone("+911123456789"));
}

fn notes(text: &str) -> Result<String, ContactError> {
    Text::parse(text, NOTES_MAX)
        .map(Text::into_string)
        .map_err(|_too_long| ContactError::NotesTooLong)
}

#[cfg(test)]
mod tests;

//! Contact data of the customer, validated once on entry. It is personal data, never part of an
//! event or a log.

use std::fmt;

/// The maximum length of a name, in characters.
const NAME_MAX: usize = 80;
/// The maximum length of a mail address, by SMTP.
const EMAIL_MAX: usize = 254;
/// The maximum length of the part before the `@`.
const LOCAL_MAX: usize = 64;
/// The maximum length of the customer's note, in characters.
const NOTES_MAX: usize = 2000;
/// The maximum length of a phone number as typed.
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
    /// The given name is empty.
    FirstNameMissing,
    /// The given name is too long or has invalid characters.
    FirstNameInvalid,
    /// The family name is empty.
    LastNameMissing,
    /// The family name is too long or has invalid characters.
    LastNameInvalid,
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
            first_name: name(
                input.first_name,
                ContactError::FirstNameMissing,
                ContactError::FirstNameInvalid,
            )?,
            last_name: name(
                input.last_name,
                ContactError::LastNameMissing,
                ContactError::LastNameInvalid,
            )?,
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

/// A name is used in mail headers, so it must not contain line breaks.
fn name(text: &str, missing: ContactError, invalid: ContactError) -> Result<String, ContactError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(missing);
    }
    let good = text.chars().count() <= NAME_MAX && !text.chars().any(char::is_control);
    if good { Ok(text.to_owned()) } else { Err(invalid) }
}

/// Validates a mail address and removes the blanks around it.
///
/// # Errors
/// `EmailMissing` or `EmailInvalid`.
pub(super) fn email(text: &str) -> Result<String, ContactError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(ContactError::EmailMissing);
    }
    let good = text.len() <= EMAIL_MAX
        && text
            .rsplit_once('@')
            .is_some_and(|(local, domain)| is_local_part(local) && is_domain(domain));
    if good { Ok(text.to_owned()) } else { Err(ContactError::EmailInvalid) }
}

fn is_local_part(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c);
    (1..=LOCAL_MAX).contains(&text.len())
        && text.chars().all(allowed)
        && !text.starts_with('.')
        && !text.ends_with('.')
        && !text.contains("..")
}

fn is_domain(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    text.contains('.') && text.split('.').all(is_label)
}

/// A number without a country code is parsed as Indian.
fn phone(text: &str) -> Result<String, ContactError> {
    let text = text.trim();
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
    let text: String =
        text.trim().chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    if text.chars().count() <= NOTES_MAX { Ok(text) } else { Err(ContactError::NotesTooLong) }
}

#[cfg(test)]
mod tests;

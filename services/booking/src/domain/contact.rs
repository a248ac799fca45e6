//! Who comes: checked once, where it enters. Personal data, never part of an event or a log.

use std::fmt;

/// The longest name in characters.
const NAME_MAX: usize = 80;
/// The longest mail address, as SMTP has it.
const EMAIL_MAX: usize = 254;
/// The longest part of a mail address before the `@`.
const LOCAL_MAX: usize = 64;
/// The longest text of what a customer wants to say beforehand.
const NOTES_MAX: usize = 2000;
/// No phone number that a person writes is longer.
const PHONE_MAX: usize = 40;

/// Contact data as it was typed.
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
    /// What the customer wants to say, or empty.
    pub notes: &'a str,
}

/// Contact data that can be used.
#[derive(Clone, PartialEq, Eq)]
pub struct Contact {
    first_name: String,
    last_name: String,
    email: String,
    phone: String,
    notes: String,
}

/// It says nothing, so that no log ever does.
impl fmt::Debug for Contact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Contact")
    }
}

/// What is wrong with contact data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactError {
    /// The given name is empty.
    FirstNameMissing,
    /// The given name is too long or has characters that no name has.
    FirstNameInvalid,
    /// The family name is empty.
    LastNameMissing,
    /// The family name is too long or has characters that no name has.
    LastNameInvalid,
    /// There is no mail address.
    EmailMissing,
    /// The mail address can not be one.
    EmailInvalid,
    /// The phone number can not be one.
    PhoneInvalid,
    /// The text is too long.
    NotesTooLong,
}

impl Contact {
    /// Checks what was typed and brings it into one form.
    ///
    /// # Errors
    /// The first thing that is wrong.
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

    /// What the customer wants to say, or empty.
    #[must_use]
    pub fn notes(&self) -> &str {
        &self.notes
    }
}

/// A name goes into headers of mails, so nothing in it may begin a new line.
fn name(text: &str, missing: ContactError, invalid: ContactError) -> Result<String, ContactError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(missing);
    }
    let good = text.chars().count() <= NAME_MAX && !text.chars().any(char::is_control);
    if good { Ok(text.to_owned()) } else { Err(invalid) }
}

fn email(text: &str) -> Result<String, ContactError> {
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

/// A number without a country code is read as one of India.
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

/// Reads the book of the world's phone numbers, which takes a moment, before the first customer has
/// to wait for it.
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

//! A mail as it travels: addresses, headers, both bodies and the calendar file.

use std::time::{Duration, UNIX_EPOCH};

use kernel::Timestamp;
use lettre::address::AddressError;
use lettre::message::header::{ContentType, ContentTypeErr, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};

use crate::context::{Incomplete, Scene, one_line};
use crate::facts::Facts;
use crate::mail::{Kind, Mail, MailId};
use crate::pages::{PageError, Pages};

/// How the calendar file is announced: as something to save, not as an invitation to answer.
const CALENDAR: &str = "text/calendar; method=PUBLISH; charset=utf-8";
/// How a file is announced that takes a session out of the calendar.
const CALENDAR_CANCEL: &str = "text/calendar; method=CANCEL; charset=utf-8";

/// Why a mail could not be put together. Its sources may repeat what a person typed: log the word
/// of [`LetterError::word`] and nothing else.
#[derive(Debug, thiserror::Error)]
pub enum LetterError {
    /// An address is none.
    #[error("an address is none")]
    Address(#[from] AddressError),
    /// The facts lack something.
    #[error("the facts lack something")]
    Incomplete(#[from] Incomplete),
    /// The page could not be written.
    #[error("the page could not be written")]
    Page(#[from] PageError),
    /// The parts do not make a message.
    #[error("the parts do not make a message")]
    Message(#[from] lettre::error::Error),
    /// The calendar file's type cannot be named.
    #[error("the calendar file's type cannot be named")]
    Type(#[from] ContentTypeErr),
}

impl LetterError {
    /// The word for the row and the log.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Address(_) => "address_invalid",
            Self::Incomplete(_) => "facts_incomplete",
            Self::Page(_) => "page_not_written",
            Self::Message(_) | Self::Type(_) => "message_not_built",
        }
    }
}

/// Writes letters of one practice.
#[derive(Debug)]
pub struct Desk {
    scene: Scene,
    pages: Pages,
    sender: Mailbox,
    reply_to: Mailbox,
    notices: Mailbox,
}

impl Desk {
    /// A desk that writes as `sender`.
    ///
    /// # Errors
    /// When a template cannot be used, or an address of the practice is none.
    pub fn new(scene: Scene, sender: Mailbox) -> Result<Self, LetterError> {
        let practice = &scene.practice.practice;
        Ok(Self {
            pages: Pages::new()?,
            sender,
            reply_to: mailbox(&practice.name, &practice.email)?,
            notices: mailbox(&practice.name, &practice.notices_email)?,
            scene,
        })
    }

    /// The name of a mail in all mail programs, the same on every try.
    #[must_use]
    pub fn message_id(&self, id: MailId) -> String {
        format!("<{}@{}>", id.uuid().simple(), self.sender.email.domain())
    }

    /// Writes a letter.
    ///
    /// # Errors
    /// When its facts do not make one.
    pub fn write(
        &self,
        mail: &Mail,
        facts: &Facts,
        now: Timestamp,
    ) -> Result<Message, LetterError> {
        let variables = self.scene.variables(facts, &mail.payload)?;
        let page = self.pages.write(mail.kind, &variables)?;
        let seconds = u64::try_from(now.seconds()).unwrap_or(0);
        let builder = Message::builder()
            .from(self.sender.clone())
            .reply_to(self.reply_to.clone())
            .to(self.recipient(mail.kind, facts)?)
            .subject(page.subject)
            .message_id(Some(self.message_id(mail.id)))
            .date(UNIX_EPOCH + Duration::from_secs(seconds))
            .raw_header(sent_by_a_program());
        let bodies = MultiPart::alternative_plain_html(page.text, page.html);
        let message = match calendar_file(mail.kind, facts) {
            Some(file) => builder.multipart(MultiPart::mixed().multipart(bodies).singlepart(file?)),
            None => builder.multipart(bodies),
        };
        Ok(message?)
    }

    fn recipient(&self, kind: Kind, facts: &Facts) -> Result<Mailbox, AddressError> {
        if kind.is_for_the_practice() {
            return Ok(self.notices.clone());
        }
        match facts {
            Facts::Code(code) => mailbox(&code.first_name, &code.email),
            Facts::Booking(facts) => {
                let contact = &facts.contact;
                mailbox(&format!("{} {}", contact.first_name, contact.last_name), &contact.email)
            }
        }
    }
}

/// lettre refuses an address with anything that could end a header; a name is put on one line
/// first, and quoted or encoded by lettre.
fn mailbox(name: &str, address: &str) -> Result<Mailbox, AddressError> {
    let name = one_line(name);
    let address: Address = address.trim().parse()?;
    Ok(Mailbox::new((!name.is_empty()).then_some(name), address))
}

/// So that absence notes and lists do not answer (RFC 3834).
fn sent_by_a_program() -> HeaderValue {
    let name = HeaderName::new_from_ascii_str("Auto-Submitted");
    HeaderValue::new(name, "auto-generated".to_owned())
}

fn calendar_file(kind: Kind, facts: &Facts) -> Option<Result<SinglePart, ContentTypeErr>> {
    match facts {
        Facts::Booking(facts) if kind.has_calendar_file() && !facts.calendar_file.is_empty() => {
            let cancels = facts.calendar_file.lines().any(|line| line == "METHOD:CANCEL");
            let announced = if cancels { CALENDAR_CANCEL } else { CALENDAR };
            Some(ContentType::parse(announced).map(|content_type| {
                Attachment::new("session.ics".to_owned())
                    .body(facts.calendar_file.clone(), content_type)
            }))
        }
        Facts::Booking(_) | Facts::Code(_) => None,
    }
}

#[cfg(test)]
mod tests;

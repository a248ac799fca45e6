//! Builds the MIME message of a mail: addresses, headers, both bodies and the calendar file.

use std::time::{Duration, UNIX_EPOCH};

use kernel::Timestamp;
use lettre::address::AddressError;
use lettre::message::header::{ContentType, ContentTypeErr, HeaderName, HeaderValue};
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};
use practice::Practice;

use crate::mails::addresses::{AddressHash, Addresses};
use crate::mails::facts::{BookingFacts, Facts, Incomplete};
use crate::mails::kind::Kind;
use crate::mails::mail::{Mail, MailId};
use crate::templates::template_context::{RenderInput, TemplateContext, greeting, one_line};
use crate::templates::{TemplateError, Templates};

/// The content type of the calendar file: an event to save, not an invitation to answer.
const CALENDAR: &str = "text/calendar; method=PUBLISH; charset=utf-8";
/// The content type of a file that removes a session from the calendar.
const CALENDAR_CANCEL: &str = "text/calendar; method=CANCEL; charset=utf-8";

/// The most characters of a name in a header.
const NAME_MAX: usize = 80;
/// The most characters of a subject.
const SUBJECT_MAX: usize = 180;

/// Why a message could not be built. Its sources may repeat typed text: log the code of
/// [`BuildError::reason`] and nothing else.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// An address is invalid.
    #[error("an address is none")]
    Address(#[from] AddressError),
    /// The facts lack something.
    #[error("the facts lack something")]
    Incomplete(#[from] Incomplete),
    /// The templates could not be rendered.
    #[error("the page could not be written")]
    Template(#[from] TemplateError),
    /// The parts do not make a message.
    #[error("the parts do not make a message")]
    Message(#[from] lettre::error::Error),
    /// The calendar file's content type is invalid.
    #[error("the calendar file's type cannot be named")]
    Type(#[from] ContentTypeErr),
}

impl BuildError {
    /// The code for the row and the log.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Address(_) => "address_invalid",
            Self::Incomplete(_) => "facts_incomplete",
            Self::Template(_) => "page_not_written",
            Self::Message(_) | Self::Type(_) => "message_not_built",
        }
    }
}

/// Builds the messages of one practice.
#[derive(Debug)]
pub struct MessageBuilder {
    context: TemplateContext,
    templates: Templates,
    addresses: Addresses,
    sender: Mailbox,
    reply_to: Mailbox,
    notices: Mailbox,
}

impl MessageBuilder {
    /// A builder that sends as `sender` and hashes recipients with `addresses`.
    ///
    /// # Errors
    /// When a template cannot be used, or an address of the practice is invalid.
    pub fn new(
        context: TemplateContext,
        sender: Mailbox,
        addresses: Addresses,
    ) -> Result<Self, BuildError> {
        let practice = &context.practice.practice;
        Ok(Self {
            templates: Templates::new()?,
            addresses,
            sender,
            reply_to: mailbox(&practice.name, &practice.email)?,
            notices: mailbox(&practice.name, &practice.notices_email)?,
            context,
        })
    }

    /// The practice.
    #[must_use]
    pub fn practice(&self) -> &Practice {
        &self.context.practice
    }

    /// The Message-ID of a mail, the same on every attempt.
    #[must_use]
    pub fn message_id(&self, id: MailId) -> String {
        format!("<{}@{}>", id.uuid().simple(), self.sender.email.domain())
    }

    /// Builds a message.
    ///
    /// # Errors
    /// When its facts are incomplete or malformed.
    pub fn build(&self, mail: &Mail, facts: &Facts, now: Timestamp) -> Result<Message, BuildError> {
        let to = self.recipient(mail.kind, facts)?;
        let unsubscribe_url = self.unsubscribe_url(mail.kind, &to);
        let render_input = RenderInput {
            kind: mail.kind,
            payload: &mail.payload,
            unsubscribe_url: &unsubscribe_url,
            now,
        };
        let variables = self.context.variables(facts, &render_input)?;
        let rendered = self.templates.render(mail.kind, &variables)?;
        let seconds = u64::try_from(now.seconds()).unwrap_or(0);
        let mut builder = Message::builder()
            .from(self.sender.clone())
            .reply_to(self.reply_to(mail.kind, facts))
            .to(to)
            .subject(header_text(&rendered.subject, SUBJECT_MAX))
            .message_id(Some(self.message_id(mail.id)))
            .date(UNIX_EPOCH + Duration::from_secs(seconds))
            // Keeps auto-responders and lists from answering (RFC 3834).
            .raw_header(header("Auto-Submitted", "auto-generated".to_owned()));
        if !unsubscribe_url.is_empty() {
            // Mail programs show an unsubscribe button for these two (RFC 2369, RFC 8058).
            let one_click = "List-Unsubscribe=One-Click".to_owned();
            builder = builder
                .raw_header(header("List-Unsubscribe", format!("<{unsubscribe_url}>")))
                .raw_header(header("List-Unsubscribe-Post", one_click));
        }
        let bodies = MultiPart::alternative_plain_html(rendered.text, rendered.html);
        let message = match calendar_file(mail.kind, facts) {
            Some(file) => builder.multipart(MultiPart::mixed().multipart(bodies).singlepart(file?)),
            None => builder.multipart(bodies),
        };
        Ok(message?)
    }

    /// The hash of a mail's recipient, and that under the key before, if mails of its kind are
    /// counted.
    #[must_use]
    pub fn recipient_hashes(
        &self,
        kind: Kind,
        facts: &Facts,
    ) -> Option<(AddressHash, Option<AddressHash>)> {
        let counted = kind.is_counted().then(|| self.recipient(kind, facts).ok()).flatten()?;
        let email: &str = counted.email.as_ref();
        Some((self.addresses.hash(email), self.addresses.previous_hash(email)))
    }

    /// The unsubscribe link; empty for kinds without one.
    fn unsubscribe_url(&self, kind: Kind, to: &Mailbox) -> String {
        if !kind.can_be_unsubscribed() {
            return String::new();
        }
        let token = self.addresses.token(to.email.as_ref());
        format!("{}/unsubscribe?t={token}", self.context.public_url)
    }

    /// The Reply-To: the practice; for a contact message its sender, and for a notice to the
    /// practice about a booking its client, unless that address is invalid in a header (the mail's
    /// text has it too).
    fn reply_to(&self, kind: Kind, facts: &Facts) -> Mailbox {
        let person = match facts {
            Facts::Message(message) => mailbox(&message.name, &message.email).ok(),
            Facts::Booking(booking) => client(booking).ok(),
            _ => None,
        };
        let answered = person.filter(|_| kind.is_answered_to_the_person());
        answered.unwrap_or_else(|| self.reply_to.clone())
    }

    fn recipient(&self, kind: Kind, facts: &Facts) -> Result<Mailbox, AddressError> {
        if kind.is_for_the_practice() {
            return Ok(self.notices.clone());
        }
        match facts {
            Facts::Code(code) => mailbox(&greeting(&code.first_name), &code.email),
            Facts::Notice(notice) => mailbox(&greeting(&notice.first_name), &notice.email),
            Facts::Message(message) => mailbox("", &message.email),
            Facts::Guide { email } => mailbox("", email),
            Facts::Own(own) => mailbox("", own.address()),
            // These go to the practice only.
            Facts::Review(_) | Facts::Day { .. } => Ok(self.notices.clone()),
            Facts::Booking(facts) => client(facts),
        }
    }
}

/// A booking's client.
fn client(facts: &BookingFacts) -> Result<Mailbox, AddressError> {
    let contact = &facts.contact;
    let name = greeting(&format!("{} {}", contact.first_name, contact.last_name));
    mailbox(&name, &contact.email)
}

/// lettre rejects an address that could end a header. Mail programs disagree about addresses in
/// quotes or brackets, or with what looks like an encoding; no client has one, so they are rejected
/// too.
fn mailbox(name: &str, address: &str) -> Result<Mailbox, AddressError> {
    let address = address.trim();
    let breaks = |c: char| c.is_control() || c.is_whitespace() || "\"\\<>()[],;:".contains(c);
    if address.contains(breaks) || address.contains("=?") {
        return Err(AddressError::InvalidUser);
    }
    let name = header_text(name, NAME_MAX);
    let address: Address = address.parse()?;
    Ok(Mailbox::new((!name.is_empty()).then_some(name), address))
}

/// A text for a header: on one line, at most `max` characters, without bidirectional controls, and
/// without sequences that a mail program would decode (RFC 2047). lettre quotes or encodes the
/// rest.
fn header_text(text: &str, max: usize) -> String {
    let visible = |c: &char| !matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{feff}');
    let plain: String = text.chars().filter(visible).collect();
    let line = one_line(&plain).replace("=?", "= ?");
    if line.chars().count() <= max {
        return line;
    }
    let kept: String = line.chars().take(max.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

fn header(name: &'static str, value: String) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value)
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
        _ => None,
    }
}

#[cfg(test)]
mod tests;

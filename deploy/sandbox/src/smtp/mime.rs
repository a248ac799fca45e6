//! Turns the bytes of a message into a row of the inbox: texts, attachments and recipients.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mail_parser::{
    Address, ContentType, Message, MessageParser, MessagePart, MimeHeaders, PartType,
};

use crate::clock;
use crate::ids;
use crate::store::rows::{Attachment, Header, Mail};

/// Reads a message. Its recipients are those of the envelope, because they receive it. A message
/// that is not MIME is kept as plain text.
pub(super) fn read(bytes: &[u8], envelope_from: &str, to: &[String]) -> Mail {
    let mut mail = Mail {
        id: ids::random_text(16),
        message_id: None,
        from: envelope_from.to_owned(),
        from_name: None,
        to: to.to_vec(),
        subject: String::new(),
        text: None,
        html: None,
        attachments: Vec::new(),
        headers: Vec::new(),
        received_at: clock::text(clock::now_ms()),
    };
    match MessageParser::default().parse(bytes) {
        Some(message) => fill(&mut mail, &message),
        None => mail.text = Some(String::from_utf8_lossy(bytes).into_owned()),
    }
    mail
}

fn fill(mail: &mut Mail, message: &Message<'_>) {
    mail.message_id = message.message_id().map(str::to_owned);
    mail.subject = message.subject().unwrap_or_default().to_owned();
    mail.headers = message.headers_raw().map(header_of).collect();
    if let Some(sender) = message.from().and_then(Address::first) {
        mail.from_name = sender.name().map(str::to_owned);
        if let Some(address) = sender.address() {
            mail.from = address.to_owned();
        }
    }
    for part in &message.parts {
        match &part.body {
            PartType::Multipart(_) => {}
            PartType::Text(text) if is_body(part, "plain") => append(&mut mail.text, text),
            PartType::Html(html) if is_body(part, "html") => append(&mut mail.html, html),
            _ => mail.attachments.push(attachment_of(part)),
        }
    }
}

/// A header as it was sent, on one line. Encoded words stay encoded.
fn header_of((name, value): (&str, &str)) -> Header {
    let unfolded = value.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    Header { name: name.to_owned(), value: unfolded.trim().to_owned() }
}

/// Whether a part is a body to be read, and not an attachment.
fn is_body(part: &MessagePart<'_>, subtype: &str) -> bool {
    let kept = part.content_disposition().is_some_and(ContentType::is_attachment);
    let untyped = part.content_type().is_none() && subtype == "plain";
    !kept && part.attachment_name().is_none() && (untyped || part.is_content_type("text", subtype))
}

fn append(body: &mut Option<String>, text: &str) {
    match body {
        Some(body) => {
            body.push('\n');
            body.push_str(text);
        }
        None => *body = Some(text.to_owned()),
    }
}

fn attachment_of(part: &MessagePart<'_>) -> Attachment {
    let content_type = part.content_type().map_or_else(
        || "application/octet-stream".to_owned(),
        |it| format!("{}/{}", it.ctype(), it.subtype().unwrap_or("octet-stream")).to_lowercase(),
    );
    let unnamed = match content_type.as_str() {
        "text/calendar" => "invite.ics",
        "message/rfc822" => "message.eml",
        _ => "attachment",
    };
    Attachment {
        filename: part.attachment_name().unwrap_or(unnamed).to_owned(),
        content_type,
        base64: STANDARD.encode(part.contents()),
    }
}

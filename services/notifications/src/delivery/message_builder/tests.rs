//! Messages as the bytes that are sent.

mod headers;

use std::path::Path;

use contract::booking::v1::{Booking, BookingState, Contact};
use contract::common::v1::Money;
use kernel::{Id, Timestamp};
use lettre::message::Mailbox;
use mail_parser::{Message, MessageParser, MimeHeaders as _};
use serde_json::json;
use uuid::Uuid;

use super::MessageBuilder;
use crate::mails::addresses::Addresses;
use crate::mails::facts::{BookingFacts, Facts};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, Mail, MailId, State};
use crate::templates::template_context::TemplateContext;

const CALENDAR: &str = "BEGIN:VCALENDAR\r\nMETHOD:PUBLISH\r\nEND:VCALENDAR\r\n";

fn message_builder() -> MessageBuilder {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice");
    let context = TemplateContext::load(&folder, "https://sukoon.example").unwrap();
    let sender: Mailbox = "Sukoon <hello@mail.sukoon.example>".parse().unwrap();
    let key = "the-key-of-addresses-in-these-tests".to_owned();
    MessageBuilder::new(context, sender, Addresses::new(&key.into()).unwrap()).unwrap()
}

fn mail(kind: Kind) -> Mail {
    Mail {
        id: MailId::from_uuid(Uuid::from_u128(0xabc)),
        kind,
        subject: "bkg_019340000000700080000000000a2b3c".to_owned(),
        about: About::Booking(Id::from_uuid(Uuid::from_u128(1))),
        payload: json!({}),
        state: State::Queued,
        attempts: 0,
        due_at: Timestamp::EPOCH,
        queued_at: Timestamp::EPOCH,
        first_tried_at: None,
        in_flight: false,
    }
}

fn facts(first_name: &str, email: &str) -> Facts {
    let contact = Contact {
        first_name: first_name.to_owned(),
        last_name: "Rao".to_owned(),
        email: email.to_owned(),
        ..Contact::default()
    };
    Facts::Booking(Box::new(BookingFacts {
        booking: Booking {
            booking_id: "bkg_019340000000700080000000000a2b3c".to_owned(),
            price: Some(Money { minor_units: 50_000, currency_code: "INR".to_owned() }),
            state: BookingState::Confirmed.into(),
            join_url: "https://meet.example/a".to_owned(),
            refund_owed: Some(Money { minor_units: 50_000, currency_code: "INR".to_owned() }),
            ..Booking::default()
        },
        contact,
        starts_at: "2026-11-24T05:30:00Z".parse().unwrap(),
        ends_at: "2026-11-24T06:30:00Z".parse().unwrap(),
        calendar_file: CALENDAR.to_owned(),
        receipt: None,
        refund_request: None,
        invitation: None,
        session_number: None,
        page_key: String::new(),
        join_key: String::new(),
        session_key: String::new(),
        attended_sessions: Vec::new(),
        preferences: None,
        suggested: Vec::new(),
    }))
}

fn now() -> Timestamp {
    "2026-11-20T10:00:00Z".parse().unwrap()
}

fn bytes(kind: Kind, first_name: &str) -> Vec<u8> {
    let facts = facts(first_name, "asha@example.org");
    message_builder().build(&mail(kind), &facts, now()).unwrap().formatted()
}

fn parse(bytes: &[u8]) -> Message<'_> {
    MessageParser::default().parse(bytes).unwrap()
}

#[test]
fn a_mail_has_message_id_sender_and_reply_to() {
    let bytes = bytes(Kind::HoldEnded, "Asha");
    let message = parse(&bytes);
    assert_eq!(message.message_id(), Some("00000000000000000000000000000abc@mail.sukoon.example"));
    let address = |from: Option<&mail_parser::Address<'_>>| {
        from.and_then(|list| list.first()).and_then(|it| it.address()).map(str::to_owned)
    };
    assert_eq!(address(message.from()).as_deref(), Some("hello@mail.sukoon.example"));
    assert_eq!(address(message.reply_to()).as_deref(), Some("hello@sukoon.example"));
    assert_eq!(address(message.to()).as_deref(), Some("asha@example.org"));
    assert_eq!(message.date().map(mail_parser::DateTime::to_timestamp), Some(now().seconds()));
    assert_eq!(message.header_raw("Auto-Submitted").map(str::trim), Some("auto-generated"));
    assert_eq!(message.attachment_count(), 0);
}

#[test]
fn the_confirmation_carries_the_calendar_file() {
    let bytes = bytes(Kind::BookingConfirmed, "Asha");
    let message = parse(&bytes);
    let file = message.attachment(0).unwrap();
    assert_eq!(file.attachment_name(), Some("session.ics"));
    let content_type = file.content_type().unwrap();
    assert!(file.is_content_type("text", "calendar"));
    assert_eq!(content_type.attribute("method"), Some("PUBLISH"));
    assert_eq!(content_type.attribute("charset"), Some("utf-8"));
    assert_eq!(file.text_contents(), Some(CALENDAR));
    assert!(message.body_text(0).is_some() && message.body_html(0).is_some());
}

#[test]
fn a_name_cannot_add_a_header() {
    for name in
        ["Asha\r\nBcc: evil@example.org", "Asha\nBcc: evil@example.org\n\n<b>", "\"Asha\", x"]
    {
        let bytes = bytes(Kind::HoldEnded, name);
        let message = parse(&bytes);
        assert!(message.bcc().is_none(), "{name:?}");
        let to = message.to().unwrap();
        assert_eq!(to.iter().count(), 1, "{name:?}");
        assert_eq!(to.first().and_then(|it| it.address()), Some("asha@example.org"), "{name:?}");
    }
}

#[test]
fn a_name_in_another_script_arrives() {
    let bytes = bytes(Kind::HoldEnded, "आशा");
    let message = parse(&bytes);
    let name = message.to().and_then(|to| to.first()).and_then(|it| it.name());
    assert_eq!(name, Some("आशा Rao"));
}

#[test]
fn an_empty_name_is_in_no_header() {
    for name in ["you won, claim at https://evil.example/x", "evil.example", "Asha 😀"] {
        let bytes = bytes(Kind::HoldEnded, name);
        let message = parse(&bytes);
        let to = message.to().and_then(|to| to.first()).unwrap();
        assert_eq!((to.name(), to.address()), (None, Some("asha@example.org")), "{name}");
    }
}

#[test]
fn what_is_no_address_is_refused() {
    for email in ["", "asha", "asha@example.org\r\nBcc: x@example.org", "a@b>, <c@d"] {
        let refused = message_builder().build(&mail(Kind::HoldEnded), &facts("Asha", email), now());
        assert_eq!(refused.err().map(|error| error.reason()), Some("address_invalid"), "{email:?}");
    }
}

#[test]
fn the_practice_gets_its_own_notice() {
    let bytes = bytes(Kind::PracticeNotice, "Asha");
    let message = parse(&bytes);
    let to = message.to().and_then(|to| to.first()).and_then(|it| it.address());
    assert_eq!(to, Some("bookings@sukoon.example"));
}

#[test]
fn a_file_that_takes_a_session_out_of_the_calendar_is_announced_as_such() {
    let payload = json!({
        "cancelled_by": "customer", "cancelled_at": "2026-11-20T09:00:00Z",
        "moved_by": "customer", "moved_from": "2026-11-23T05:30:00Z",
        "amount_minor": 0, "currency": "INR",
    });
    let mail = Mail { payload, ..mail(Kind::BookingCancelled) };
    let Facts::Booking(mut told) = facts("Asha", "asha@example.org") else { unreachable!() };
    told.calendar_file = CALENDAR.replace("PUBLISH", "CANCEL");
    let bytes =
        message_builder().build(&mail, &Facts::Booking(told.clone()), now()).unwrap().formatted();
    let message = parse(&bytes);
    let content_type = message.attachment(0).unwrap().content_type().unwrap();
    assert_eq!(content_type.attribute("method"), Some("CANCEL"));
    assert!(message.body_text(0).unwrap().contains("takes the session out of your calendar"));
    told.calendar_file = String::new();
    let bytes = message_builder().build(&mail, &Facts::Booking(told), now()).unwrap().formatted();
    let message = parse(&bytes);
    assert_eq!(message.attachment_count(), 0);
    assert!(!message.body_text(0).unwrap().contains("calendar"));
}

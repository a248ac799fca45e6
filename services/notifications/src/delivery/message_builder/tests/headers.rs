//! Whatever is typed, a message has exactly the headers that we set, and one recipient.

use std::sync::{Arc, LazyLock};

use contract::booking::v1::{GetStaffInvitationResponse, GetWaitingOfferResponse};
use contract::common::v1::Money;
use contract::identity::v1::{GetAccountNoticeResponse, GetCodeMailResponse};
use contract::payments::v1::{GetRefundRequestMailResponse, Receipt};
use contract::reviews::v1::Review;
use lettre::Message as Letter;
use mail_parser::{Address, MessageParser};
use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};
use serde_json::json;

use super::{facts, mail, message_builder, now};
use crate::delivery::message_builder::{BuildError, MessageBuilder, header_text, mailbox};
use crate::mails::facts::{Facts, Message};
use crate::mails::kind::Kind;
use crate::mails::mail::Mail;

const ADDRESS: &str = "asha@example.org";
const EVIL: &str = "evil@example.net";
const NOTICES: &str = "bookings@sukoon.example";
/// The headers of every message, sorted.
const USUAL: [&str; 9] = [
    "auto-submitted",
    "content-type",
    "date",
    "from",
    "message-id",
    "mime-version",
    "reply-to",
    "subject",
    "to",
];

/// Names that try to add recipients, to hide, or to impersonate another person.
fn hostile() -> Vec<String> {
    let long = "a".repeat(5_000);
    let mut names: Vec<String> = [
        "",
        " ",
        "Asha\r\nBcc: evil@example.net",
        "Asha\nBcc: evil@example.net\n\n<b>body</b>",
        "Asha\rBcc: evil@example.net",
        "Asha\r\n\r\nevil body",
        "Asha\r\n .\r\nMAIL FROM:<evil@example.net>",
        "Asha\0Bcc: evil@example.net",
        "Asha\u{b}\u{c}\u{85}Bcc: evil@example.net",
        "Asha\u{2028}Bcc: evil@example.net\u{2029}X: y",
        "\u{202e}moc.elpmaxe@ahsA\u{202c}",
        "\u{2066}Asha\u{2069}\u{200f}\u{200e}\u{61c}\u{feff}",
        "Asha <evil@example.net>",
        "Asha\" <evil@example.net>, \"x",
        "\"Asha\", evil@example.net",
        "Asha (comment) \\",
        "evil@example.net, asha",
        "undisclosed: evil@example.net;",
        "=?utf-8?q?Asha=0D=0ABcc:_evil@example.net?=",
        "=?utf-8?B?QXNoYQ0KQmNjOiBldmlsQGV4YW1wbGUubmV0?=",
        "=?=?utf-8?q?=0A?=",
        "{{ practice.email }} {% include 'base.html' %}",
        "<mj-raw>&lt;</mj-raw> & 'quoted'",
        "आशा ❤ 李雷",
        "Zoë\r\nBcc: evil@example.net",
    ]
    .map(str::to_owned)
    .to_vec();
    names.push(format!("{long} {long}"));
    names.push("é".repeat(3_000));
    names.push(format!("{}\r\nBcc: {EVIL}", "x".repeat(998)));
    names
}

/// A mail of every kind with its facts, for a person with this name and address.
fn told(kind: Kind, name: &str, email: &str) -> (Mail, Facts) {
    let payload = json!({
        "cause": "unplaced", "amount_minor": 75_000, "currency": "INR", "dispute_state": "open",
        "refund_failed": "owed",
        "cancelled_by": "customer", "cancelled_at": "2026-11-20T09:00:00Z",
        "moved_by": "customer", "moved_from": "2026-11-23T05:30:00Z",
        "proposal_starts_at": "2026-11-24T05:30:00Z",
        "proposal_choose_until": "2026-11-23T05:30:00Z",
    });
    let mail = Mail { payload, ..mail(kind) };
    let facts = match kind {
        Kind::ConfirmAddress
        | Kind::RecoverPassword
        | Kind::SignInCode
        | Kind::AccountInvitation
        | Kind::LeaveAddress
        | Kind::NewAddress
        | Kind::Reauthentication
        | Kind::ConsentCode
        | Kind::PageCode => Facts::Code(GetCodeMailResponse {
            email: email.to_owned(),
            first_name: name.to_owned(),
            code: "482913".to_owned(),
            valid_minutes: 60,
            ..GetCodeMailResponse::default()
        }),
        Kind::AccountNotice => Facts::Notice(GetAccountNoticeResponse {
            email: email.to_owned(),
            first_name: name.to_owned(),
            kind: "factor_added".to_owned(),
            occurred_at: Some(contract::convert::to_wire(now())),
            device: "Chrome on Windows".to_owned(),
            network: "203.0.113.x".to_owned(),
            subject: "authenticator app".to_owned(),
        }),
        Kind::ContactMessage | Kind::ContactAcknowledgement => Facts::Message(Message {
            name: name.to_owned(),
            email: email.to_owned(),
            message: format!("{name}\r\n.\r\n{name}"),
            received_at: now(),
        }),
        Kind::MeditationGuide => Facts::Guide { email: email.to_owned() },
        Kind::ReviewNotice => Facts::Review(Review {
            review_id: "rvw_019340000000700080000000000a2b3c".to_owned(),
            name: name.to_owned(),
            service: name.to_owned(),
            rating: 5,
            text: name.to_owned(),
            ..Review::default()
        }),
        Kind::DaySheet => {
            let Facts::Booking(session) = about_session(name, email) else { unreachable!() };
            Facts::Day { date: "2026-11-24".parse().unwrap(), sessions: vec![*session] }
        }
        Kind::WaitingOffer => waiting_offer(name, name, email),
        Kind::StaffInvitation => Facts::Own(Arc::new(GetStaffInvitationResponse {
            email: email.to_owned(),
            role: "admin".to_owned(),
            invited_by: name.to_owned(),
            key: "key".to_owned(),
            expires_at: Some(contract::convert::to_wire(now())),
        })),
        _ => about_session(name, email),
    };
    (mail, facts)
}

/// A time that is offered to a client of this name.
fn waiting_offer(first_name: &str, service: &str, email: &str) -> Facts {
    Facts::Own(Arc::new(GetWaitingOfferResponse {
        email: email.to_owned(),
        first_name: first_name.to_owned(),
        service_title: service.to_owned(),
        practitioner_name: service.to_owned(),
        starts_at: Some(contract::convert::to_wire(now())),
        held_until_at: Some(contract::convert::to_wire(now())),
        ..GetWaitingOfferResponse::default()
    }))
}

fn about_session(name: &str, email: &str) -> Facts {
    let Facts::Booking(mut told) = facts(name, email) else { unreachable!() };
    let money = |minor_units| Some(Money { minor_units, currency_code: "INR".to_owned() });
    for text in [
        &mut told.contact.last_name,
        &mut told.contact.phone,
        &mut told.contact.notes,
        &mut told.booking.service_title,
        &mut told.booking.practitioner_name,
        &mut told.booking.location,
        &mut told.booking.join_url,
    ] {
        name.clone_into(text);
    }
    told.receipt = Some(Receipt {
        receipt_id: "rct_019340000000700080000000000a2b3c".to_owned(),
        serial: "SUK/26-27/00001".to_owned(),
        issued_at: Some(contract::convert::to_wire(now())),
        booking_id: told.booking.booking_id.clone(),
        amount: money(75_000),
        taxable: money(75_000),
        central_tax: money(0),
        state_tax: money(0),
        refunded: money(0),
        issued_by: name.to_owned(),
        issuer_address: name.to_owned(),
        ..Receipt::default()
    });
    told.refund_request = Some(GetRefundRequestMailResponse {
        number: name.to_owned(),
        answer_by_at: Some(contract::convert::to_wire(now())),
        close_by_at: Some(contract::convert::to_wire(now())),
        amount: money(75_000),
        answer: name.to_owned(),
        ..GetRefundRequestMailResponse::default()
    });
    told.invitation = Some(("A".repeat(43), "2027-01-01T00:00:00Z".parse().unwrap()));
    Facts::Booking(told)
}

fn write(kind: Kind, name: &str, email: &str) -> Result<Letter, BuildError> {
    let (mail, facts) = told(kind, name, email);
    // Templates are parsed once, not for each of many hundred messages.
    static BUILDER: LazyLock<MessageBuilder> = LazyLock::new(message_builder);
    BUILDER.build(&mail, &facts, now())
}

/// The names of a message's headers as a mail server sees them, sorted.
fn names_of(head: &str) -> Vec<String> {
    let begins = |line: &&str| !line.starts_with([' ', '\t']);
    let name = |line: &str| line.split_once(':').unwrap().0.to_ascii_lowercase();
    let mut names: Vec<String> = head.split("\r\n").filter(begins).map(name).collect();
    names.sort();
    names
}

fn addresses(list: Option<&Address<'_>>) -> Vec<String> {
    let list = list.map(|list| list.iter().collect::<Vec<_>>()).unwrap_or_default();
    list.into_iter().map(|it| it.address().unwrap_or_default().to_owned()).collect()
}

/// Whether a text has no line break and no bidirectional control.
fn is_tame(text: &str) -> bool {
    let turns =
        |c: char| ('\u{2028}'..='\u{202e}').contains(&c) || ('\u{2066}'..='\u{2069}').contains(&c);
    let wild = |c: char| c.is_control() || turns(c);
    !text.contains(wild)
}

#[track_caller]
fn check(kind: Kind, message: &Letter, email: &str, case: &str) {
    let bytes = message.formatted();
    let text = std::str::from_utf8(&bytes).unwrap();
    let head = text.split_once("\r\n\r\n").unwrap().0;
    let mut wanted = USUAL.map(str::to_owned).to_vec();
    if kind.can_be_unsubscribed() {
        wanted.extend(["list-unsubscribe", "list-unsubscribe-post"].map(str::to_owned));
        wanted.sort();
    }
    assert_eq!(names_of(head), wanted, "{kind}: {case:?}");
    assert!(text.split("\r\n").all(|line| line.len() <= 998), "{kind}: {case:?}");
    let alone = text.replace("\r\n", "");
    assert!(!alone.contains(['\r', '\n', '\0']), "{kind}: {case:?}");
    assert!(head.is_ascii() || !email.is_ascii(), "{kind}: {case:?}");

    let to = if kind.is_for_the_practice() { NOTICES } else { email };
    let envelope: Vec<String> = message.envelope().to().iter().map(ToString::to_string).collect();
    assert_eq!(envelope, [to], "{kind}: {case:?}");
    let parsed = MessageParser::default().parse(&bytes).unwrap();
    assert_eq!(addresses(parsed.to()), [to], "{kind}: {case:?}");
    assert_eq!(addresses(parsed.from()), ["hello@mail.sukoon.example"], "{kind}: {case:?}");
    let answers = if kind.is_answered_to_the_person() { email } else { "hello@sukoon.example" };
    assert_eq!(addresses(parsed.reply_to()), [answers], "{kind}: {case:?}");
    assert!(parsed.cc().is_none() && parsed.bcc().is_none(), "{kind}: {case:?}");
    let subject = parsed.subject().unwrap();
    assert!(is_tame(subject) && subject.chars().count() <= 180, "{kind}: {subject:?}");
    assert!(!subject.contains("Sukoon"), "no name of the practice in a subject: {subject:?}");
    for list in [parsed.to(), parsed.reply_to()] {
        let name = list.and_then(Address::first).and_then(|it| it.name()).unwrap_or_default();
        assert!(is_tame(name) && name.chars().count() <= 80, "{kind}: {name:?}");
    }
    assert!(parsed.body_text(0).is_some() && parsed.body_html(0).is_some(), "{kind}: {case:?}");
}

#[test]
fn typed_text_adds_no_header_and_no_recipient() {
    for kind in Kind::ALL {
        for name in hostile() {
            check(*kind, &write(*kind, &name, ADDRESS).unwrap(), ADDRESS, &name);
        }
    }
}

/// Names that would make our mail carry a stranger's text to another person.
const BAIT: [&str; 7] = [
    "you won, claim at https://bait.example/x",
    "https://bait.example/x",
    "bait.example",
    "bait@bait.example",
    "//bait",
    "bait: call 98765 43210",
    "bait and many more words than any name",
];

#[test]
fn no_mail_to_a_person_repeats_an_invalid_name() {
    let (mut count, message_builder) = (0, message_builder());
    for kind in Kind::ALL.iter().filter(|kind| !kind.is_for_the_practice()) {
        for bait in BAIT {
            let (mail, facts) = told_by_a_stranger(*kind, bait);
            let bytes = message_builder.build(&mail, &facts, now()).unwrap().formatted();
            let parsed = MessageParser::default().parse(&bytes).unwrap();
            let to = parsed.to().and_then(Address::first).unwrap();
            assert_eq!((to.name(), to.address()), (None, Some(ADDRESS)), "{kind}: {bait}");
            let (text, html) = (parsed.body_text(0).unwrap(), parsed.body_html(0).unwrap());
            let head = String::from_utf8(bytes.clone()).unwrap();
            for part in [parsed.subject().unwrap(), &text, &html, &head] {
                assert!(!part.contains("bait"), "{kind} repeats {bait:?}: {part}");
                assert!(!part.contains("Dear"), "{kind} greets nobody: {part}");
            }
            count += 1;
        }
    }
    assert_eq!(count, 31 * BAIT.len());
}

/// Facts in which a stranger typed all that a stranger can type: names, a phone number, notes and a
/// message. What a session is, and where, says the practice.
fn told_by_a_stranger(kind: Kind, bait: &str) -> (Mail, Facts) {
    let (mail, mut facts) = told(kind, "Sukoon", ADDRESS);
    if kind == Kind::WaitingOffer {
        facts = waiting_offer(bait, "Sukoon", ADDRESS);
    }
    match &mut facts {
        Facts::Code(code) => bait.clone_into(&mut code.first_name),
        Facts::Notice(notice) => bait.clone_into(&mut notice.first_name),
        Facts::Message(message) => {
            bait.clone_into(&mut message.name);
            bait.clone_into(&mut message.message);
        }
        Facts::Booking(facts) => {
            let contact = &mut facts.contact;
            let typed = [
                &mut contact.first_name,
                &mut contact.last_name,
                &mut contact.phone,
                &mut contact.notes,
            ];
            for text in typed {
                bait.clone_into(text);
            }
        }
        Facts::Guide { .. } | Facts::Review(_) | Facts::Day { .. } | Facts::Own(_) => {}
    }
    (mail, facts)
}

#[test]
fn an_address_is_one_address_or_none() {
    for email in [
        "",
        "asha",
        "@",
        "asha@",
        "@example.org",
        "asha@example.org\r\nBcc: evil@example.net",
        "asha@example.org\nevil@example.net",
        "asha@example.org\0",
        "asha@example.org\u{2028}evil@example.net",
        "asha @example.org",
        "asha@example.org, evil@example.net",
        "asha@example.org;evil@example.net",
        "asha@example.org evil@example.net",
        "<asha@example.org>",
        "Asha <asha@example.org>",
        "asha@example.org>, <evil@example.net",
        "asha@example.org> SIZE=1",
        "asha(evil@example.net)@example.org",
        "\"asha\"@example.org",
        "\"asha@evil\"@example.org",
        "\"asha\\\"\"@example.org",
        "\"a\r\nRCPT TO:<evil@example.net>\"@example.org",
        "group:evil@example.net;",
        "asha@[127.0.0.1]",
        "asha@@example.org",
        "=?utf-8?q?evil?=@example.org",
        "=?utf-8?q?evil=40example.net=2C?= asha@example.org",
    ] {
        for kind in [Kind::BookingConfirmed, Kind::MeditationGuide, Kind::ConfirmAddress] {
            let refused = write(kind, "Asha", email).err().map(|error| error.reason());
            assert_eq!(refused, Some("address_invalid"), "{kind}: {email:?}");
        }
        // The practice still gets the mail, and its answer goes to itself, not to a stranger.
        let message = write(Kind::ContactMessage, "Asha", email).unwrap();
        check(Kind::ContactMessage, &message, "hello@sukoon.example", email);
    }
    for email in [
        "asha+notes@example.org",
        "o'neil@example.org",
        "a.b-c_d@sub.example.co.in",
        "आशा@example.org",
    ] {
        for kind in Kind::ALL {
            check(*kind, &write(*kind, "Asha", email).unwrap(), email, email);
        }
    }
}

#[test]
fn a_contact_message_has_its_sender_as_reply_to() {
    let bytes = write(Kind::ContactMessage, "Zoë \"Z\" O'Neil", ADDRESS).unwrap().formatted();
    let parsed = MessageParser::default().parse(&bytes).unwrap();
    let writer = parsed.reply_to().and_then(Address::first).unwrap();
    assert_eq!(writer.name(), Some("Zoë \"Z\" O'Neil"));
    assert_eq!(writer.address(), Some(ADDRESS));
    let from = parsed.from().and_then(Address::first).unwrap();
    assert_eq!(from.name(), Some("Sukoon"), "we do not pretend to be somebody else");
}

#[test]
fn an_answer_to_a_notice_about_a_booking_reaches_its_client() {
    let reply_to = |kind| {
        let bytes = write(kind, "Asha", ADDRESS).unwrap().formatted();
        let parsed = MessageParser::default().parse(&bytes).unwrap();
        addresses(parsed.reply_to()).concat()
    };
    for kind in [Kind::PracticeNotice, Kind::CancellationNotice, Kind::RefundFailedNotice] {
        assert_eq!(reply_to(kind), ADDRESS, "{kind}");
    }
    // What the practice answers about a dispute is meant for the bank, and other notices are about
    // more than one client, or about a writer who gave no address for answers.
    for kind in [Kind::DisputeNotice, Kind::DaySheet, Kind::ReviewNotice] {
        assert_eq!(reply_to(kind), "hello@sukoon.example", "{kind}");
    }
}

#[test]
fn optional_mails_have_the_unsubscribe_link_in_header_and_text() {
    for kind in Kind::ALL {
        let bytes = write(*kind, "Asha", ADDRESS).unwrap().formatted();
        let parsed = MessageParser::default().parse(&bytes).unwrap();
        let header = |name: &str| parsed.header_raw(name).map(|text| text.trim().to_owned());
        let text = parsed.body_text(0).unwrap();
        if !kind.can_be_unsubscribed() {
            assert_eq!(header("List-Unsubscribe"), None, "{kind}");
            assert!(!text.contains("/unsubscribe"), "{kind}");
            continue;
        }
        let link = header("List-Unsubscribe").unwrap();
        let url = link.strip_prefix('<').and_then(|it| it.strip_suffix('>')).unwrap();
        let token = url.strip_prefix("https://sukoon.example/unsubscribe?t=").unwrap();
        let message_builder = message_builder();
        let hash = message_builder.addresses.parse(token).unwrap();
        assert_eq!(hash, message_builder.addresses.hash(ADDRESS), "{kind}");
        let post = header("List-Unsubscribe-Post");
        assert_eq!(post.as_deref(), Some("List-Unsubscribe=One-Click"), "{kind}");
        assert!(text.contains(url), "{kind} says it in its text");
        let html = parsed.body_html(0).unwrap();
        assert!(html.contains(token), "{kind} says it in its page");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The same for generated texts, where names become headers.
    #[test]
    fn any_name_makes_one_safe_mailbox(name in any::<String>(), max in 1_usize..100) {
        let kept = header_text(&name, max);
        prop_assert!(is_tame(&kept) && kept.chars().count() <= max);
        prop_assert!(!kept.contains("=?"));
        let mailbox = mailbox(&name, ADDRESS).unwrap();
        let message = Letter::builder()
            .from(mailbox.clone())
            .to(mailbox)
            .subject(header_text(&name, 180))
            .body(String::new())
            .unwrap()
            .formatted();
        let parsed = MessageParser::default().parse(&message).unwrap();
        let to = addresses(parsed.to());
        prop_assert!(to == [ADDRESS], "{:?}", to);
        prop_assert!(parsed.cc().is_none() && parsed.bcc().is_none());
    }

    /// A typed address is either rejected or used unchanged.
    #[test]
    fn any_address_is_one_or_none(text in any::<String>()) {
        if let Ok(mailbox) = mailbox("Asha", &text) {
            let email: &str = mailbox.email.as_ref();
            prop_assert!(email == text.trim());
            prop_assert!(is_tame(email) && !email.contains([' ', ',', '<', '>', '"', '(']));
        }
    }
}

//! Sample facts for every mail in every variant, for `render` and the tests of the templates.

mod pages;
pub(crate) mod receipt;
mod refunds;

use contract::booking::v1::{BookedPackage, Booking, BookingState, Contact, Session, SessionMode};
use contract::convert;
use contract::identity::v1::GetCodeMailResponse;
use contract::payments::v1::{Payer, Receipt, TaxMode};
use jiff::civil::Date;
use serde_json::{Value, json};

use self::receipt::{HOUR, MINUTE, PRICE, at, money, receipt};
use crate::mails::facts::{BookingFacts, Facts, Message};
use crate::mails::kind::Kind;
use crate::mails::payload::{BY_BANK, OWED, REFUNDED_BEFORE};
use crate::templates::template_context::RenderInput;

/// The room of the sessions online.
pub const ROOM_URL: &str = "https://meet.example/room/a?x=1&y=2";
/// The secret of the link to write a review.
pub const INVITATION: &str = "hJ4u0Yt2cQk8rVb1nWm7xZp5sLd9gFa3eTi6oUy_KwQ";
/// The key of the page that leads a client to the session.
pub const JOIN_KEY: &str = "aQ3xVw8Zr0LkT5yBn2HsJ7uGd4EfCm1PiO9oRtXvK6M";
/// The code of the mails with a code.
pub const CODE: &str = "482913";
/// Ends the mails that a reader can end.
pub const UNSUBSCRIBE_URL: &str = "http://127.0.0.1:8080/unsubscribe?t=8Qm3vYp1";

/// The form of a mail that is written when a session cannot be cancelled free of charge any more.
pub const AFTER_DEADLINE: &str = "after_deadline";
/// The form of a mail that is written when its session has begun, as after a long outage.
pub const BEGUN: &str = "begun";

/// Typed input.
#[derive(Debug, Clone)]
pub struct Typed {
    /// A client's first name.
    pub first_name: String,
    /// A client's last name.
    pub last_name: String,
    /// A client's phone number.
    pub phone: String,
    /// A client's notes for the practice.
    pub notes: String,
    /// The name of a service.
    pub service_title: String,
    /// The author's name of a message or a review.
    pub name: String,
    /// A message or a review.
    pub text: String,
}

impl Typed {
    /// Usual input.
    #[must_use]
    pub fn usual() -> Self {
        Self {
            first_name: "Asha".to_owned(),
            last_name: "O'Neil".to_owned(),
            phone: "+919876543210".to_owned(),
            notes: "I sleep badly since the spring.\nPlease speak slowly.".to_owned(),
            service_title: "Meditation & Mindfulness".to_owned(),
            name: "Ravi Kulkarni".to_owned(),
            text: "I came with a full head and left with a quiet one.\n\nThe exercises are small \
                   enough for my day, and I was never hurried. Thank you."
                .to_owned(),
        }
    }
}

/// A mail in one of its variants.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Which mail.
    pub kind: Kind,
    /// The variant, in one word.
    pub form: &'static str,
    /// Its facts.
    pub facts: Facts,
    /// The payload of its event.
    pub payload: Value,
}

impl Sample {
    /// The name of its files.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}-{}", self.kind, self.form)
    }

    /// The render input: for most mails well before the session of
    /// [`STARTS_AT`](receipt::STARTS_AT).
    #[must_use]
    pub fn render_input(&self) -> RenderInput<'_> {
        let now = match self.form {
            AFTER_DEADLINE => at(-20 * HOUR),
            BEGUN => at(2 * HOUR),
            _ => at(-30 * HOUR),
        };
        let unsubscribe_url = self.unsubscribe_url();
        RenderInput { kind: self.kind, payload: &self.payload, unsubscribe_url, now }
    }

    /// The unsubscribe link, or empty.
    #[must_use]
    pub fn unsubscribe_url(&self) -> &'static str {
        if self.kind.can_be_unsubscribed() { UNSUBSCRIBE_URL } else { "" }
    }
}

/// Every mail in every variant.
#[must_use]
pub fn all(typed: &Typed) -> Vec<Sample> {
    Kind::ALL
        .iter()
        .flat_map(|kind| {
            let forms = forms(*kind, typed);
            forms.into_iter().map(|(form, facts, payload)| Sample {
                kind: *kind,
                form,
                facts,
                payload,
            })
        })
        .collect()
}

/// A variant of a mail: its name in one word, its facts and the payload of its event.
pub type Form = (&'static str, Facts, Value);

fn forms(kind: Kind, typed: &Typed) -> Vec<Form> {
    match kind {
        Kind::ConfirmAddress
        | Kind::RecoverPassword
        | Kind::SignInCode
        | Kind::AccountInvitation
        | Kind::LeaveAddress
        | Kind::NewAddress
        | Kind::Reauthentication
        | Kind::ConsentCode => codes(typed),
        Kind::RefundStarted | Kind::RefundDone => refund_forms(typed),
        Kind::BookingCancelled | Kind::CancellationNotice => cancellations(typed),
        Kind::HoldEnded => vec![("online", online(typed, ROOM_URL), json!({}))],
        Kind::MeetingLink => vec![
            ("online", with_file(typed, ROOM_URL), json!({})),
            (BEGUN, online(typed, ROOM_URL), json!({})),
        ],
        Kind::BookingConfirmed | Kind::PracticeNotice => {
            let mut forms = modes(typed);
            forms.extend([
                ("on_claim", with_file(typed, ROOM_URL), json!({ "on_claim": true })),
                ("free", free(typed), json!({})),
                (AFTER_DEADLINE, with_file(typed, ROOM_URL), json!({})),
                (BEGUN, online(typed, ""), json!({})),
                ("package", package(typed, None), json!({})),
            ]);
            forms
        }
        Kind::Reminder | Kind::SecondReminder => {
            let mut forms = modes(typed);
            forms.push((AFTER_DEADLINE, with_file(typed, ROOM_URL), json!({})));
            forms.push(("free", free(typed), json!({})));
            forms.push(("package", package(typed, Some(3)), json!({})));
            forms
        }
        Kind::Receipt => receipts(typed),
        Kind::FollowUp => follow_ups(typed),
        Kind::DaySheet => days(typed),
        Kind::DisputeNotice => disputes(typed),
        Kind::RefundFailed => {
            [OWED, BY_BANK].map(|it| refunds::failed(it, online(typed, ""))).into()
        }
        Kind::RoomMissingNotice => vec![
            ("single", online(typed, ""), json!({})),
            ("package", package(typed, Some(2)), json!({})),
        ],
        Kind::RefundFailedNotice => vec![refunds::failed(OWED, online(typed, ""))],
        Kind::PaymentPage => {
            let in_person = of(booking(typed, SessionMode::InPerson, ""));
            pages::forms(INVITATION, [online(typed, ""), in_person, package(typed, None)])
        }
        // The others have theirs in their own files.
        _ => (kind.declaration().samples)(typed),
    }
}

fn modes(typed: &Typed) -> Vec<Form> {
    vec![
        ("online", with_file(typed, ROOM_URL), json!({})),
        ("without_room", with_file(typed, ""), json!({})),
        ("in_person", of(booking(typed, SessionMode::InPerson, "")), json!({})),
    ]
}

fn codes(typed: &Typed) -> Vec<Form> {
    let code = |first_name: &str, link: &str| {
        Facts::Code(GetCodeMailResponse {
            email: "asha@example.org".to_owned(),
            first_name: first_name.to_owned(),
            code: CODE.to_owned(),
            valid_minutes: 60,
            link: link.to_owned(),
            account: if link.is_empty() { String::new() } else { "as…@example.com".to_owned() },
            ..GetCodeMailResponse::default()
        })
    };
    vec![
        ("with_link", code(&typed.first_name, "http://127.0.0.1:8080/confirm"), json!({})),
        ("code_alone", code("", ""), json!({})),
    ]
}

fn refund_forms(typed: &Typed) -> Vec<Form> {
    let form = |cause| (cause, online(typed, ""), refunds::payload(cause, PRICE));
    let of_package = ("package", package(typed, None), refunds::payload("cancelled", PRICE / 3));
    let at_desk = ("at_desk", online(typed, ""), refunds::at_desk(PRICE));
    refunds::CAUSES.into_iter().map(form).chain([of_package, at_desk]).collect()
}

fn disputes(typed: &Typed) -> Vec<Form> {
    ["open", "action_required", "won", "lost", "closed"]
        .into_iter()
        .map(|state| {
            let payload = json!({
                "dispute_id": "disp_AAAAAAAAAAAAAA", "payment_id": "pay_AAAAAAAAAAAAAA",
                "dispute_state": state, "phase": "pre_arbitration",
                "respond_by": "2026-11-27T12:30:00Z", "amount_minor": PRICE, "currency": "INR",
            });
            (state, online(typed, ""), payload)
        })
        .collect()
}

fn cancellations(typed: &Typed) -> Vec<Form> {
    let (early, late) = ("2026-11-20T05:30:00Z", "2026-11-24T05:00:00Z");
    let form = |name, by: &str, amount: i64, at: &str, (unpaid, before): (bool, i64)| {
        let mut facts = booking(typed, SessionMode::Online, "");
        facts.calendar_file = "BEGIN:VCALENDAR\r\nMETHOD:CANCEL\r\nEND:VCALENDAR\r\n".to_owned();
        let payload = json!({
            "cancelled_by": by, "cancelled_at": at, "amount_minor": amount, "currency": "INR",
            "unpaid": unpaid, REFUNDED_BEFORE: before,
        });
        (name, of(facts), payload)
    };
    let (_, _, payload) = form("free", "practice", 0, early, (false, 0));
    let (_, _, refunded) = form("package", "customer", PRICE, early, (false, PRICE / 3));
    vec![
        ("free", free(typed), payload),
        ("package", package(typed, None), refunded.clone()),
        ("package_session", package(typed, Some(2)), refunded),
        form("by_customer", "customer", PRICE, early, (false, 0)),
        form("late", "customer", 0, late, (false, 0)),
        form("by_practice", "practice", PRICE, late, (false, 0)),
        form("by_practice_unpaid", "practice", PRICE, early, (true, 0)),
        form("refunded_before", "practice", PRICE, early, (false, PRICE / 3)),
        form("nothing_left", "practice", PRICE, early, (false, PRICE)),
        form("nothing_back", "practice", 0, early, (false, 0)),
    ]
}

fn receipts(typed: &Typed) -> Vec<Form> {
    let form = |name, tax_mode, refunded| {
        let mut facts = booking(typed, SessionMode::Online, ROOM_URL);
        facts.receipt = Some(receipt(tax_mode, refunded));
        (name, of(facts), json!({}))
    };
    let paper = |name: &'static str, tax_mode| {
        let mut facts = booking(typed, SessionMode::Online, ROOM_URL);
        let has_tax = tax_mode == TaxMode::Gst;
        let payer = Payer {
            name: typed.name.clone(),
            gstin: "27AAPFU0939F1ZV".to_owned(),
            address: "12 MG Road, Pune 411001".to_owned(),
            state_code: "27".to_owned(),
        };
        facts.receipt = Some(Receipt {
            kind: name.to_owned(),
            serial: "INV/26-27/00042".to_owned(),
            gstin: "23ABCDE1234F1Z5".to_owned(),
            central_tax: Some(money(0)),
            state_tax: Some(money(0)),
            integrated_tax: Some(money(if has_tax { 22_881 } else { 0 })),
            payer: has_tax.then_some(payer),
            refers_to_serial: "SUK/26-27/00042".to_owned(),
            refers_to_issued_at: Some(convert::to_wire(at(-3 * 24 * HOUR))),
            ..receipt(tax_mode, 0)
        });
        (name, of(facts), json!({}))
    };
    vec![
        form("without_tax", TaxMode::None, 0),
        form("with_tax", TaxMode::Gst, 0),
        form("refunded", TaxMode::Gst, 75_000),
        paper("tax_invoice", TaxMode::Gst),
        paper("bill_of_supply", TaxMode::None),
        paper("credit_note", TaxMode::Gst),
        package_receipt(typed),
    ]
}

fn package_receipt(typed: &Typed) -> Form {
    let mut facts = package(typed, None);
    if let Facts::Booking(facts) = &mut facts {
        facts.receipt = Some(receipt(TaxMode::None, 0));
    }
    ("package", facts, json!({}))
}

fn follow_ups(typed: &Typed) -> Vec<Form> {
    let mut facts = booking(typed, SessionMode::Online, ROOM_URL);
    facts.booking.state = BookingState::Completed.into();
    let uninvited = facts.clone();
    facts.invitation = Some((INVITATION.to_owned(), at(30 * 24 * HOUR)));
    let uninvited = [("uninvited", of(uninvited), json!({})), ("free", free(typed), json!({}))];
    [("invited", of(facts), json!({}))].into_iter().chain(uninvited).collect()
}

fn days(typed: &Typed) -> Vec<Form> {
    let mut first = booking(typed, SessionMode::Online, ROOM_URL);
    let mut second = booking(typed, SessionMode::InPerson, "");
    (second.starts_at, second.ends_at) = (at(2 * HOUR), at(3 * HOUR));
    let mut third = booking(typed, SessionMode::Online, "");
    (third.starts_at, third.ends_at) = (at(5 * HOUR), at(6 * HOUR));
    third.contact.phone = String::new();
    for quiet in [&mut second, &mut third] {
        quiet.contact.notes = String::new();
    }
    first.booking.service_title = format!("{} for two", typed.service_title);
    let date = Date::constant(2026, 11, 24);
    let day = |sessions| Facts::Day { date, sessions };
    vec![
        ("full", day(vec![first.clone(), second, third]), json!({})),
        ("one", day(vec![first]), json!({})),
        ("empty", day(Vec::new()), json!({})),
    ]
}

fn online(typed: &Typed, room: &str) -> Facts {
    of(booking(typed, SessionMode::Online, room))
}

/// A session online with its calendar file.
fn with_file(typed: &Typed, room: &str) -> Facts {
    let mut facts = booking(typed, SessionMode::Online, room);
    facts.calendar_file = "BEGIN:VCALENDAR\r\nMETHOD:PUBLISH\r\nEND:VCALENDAR\r\n".to_owned();
    of(facts)
}

/// A package of three sessions, the second of which was cancelled, with its calendar file; all of
/// it, or the session of a number.
fn package(typed: &Typed, number: Option<usize>) -> Facts {
    let mut facts = booking(typed, SessionMode::Online, ROOM_URL);
    facts.booking.package = Some(BookedPackage {
        package_id: "starter".to_owned(),
        title: "Starter Package".to_owned(),
        notice_hours: 48,
    });
    let session = |week: i64| Session {
        starts_at: Some(convert::to_wire(at(7 * 24 * HOUR * week))),
        ends_at: Some(convert::to_wire(at(7 * 24 * HOUR * week + 90 * MINUTE))),
        cancelled: week == 1,
        share: None,
    };
    facts.booking.sessions = (0..3).map(session).collect();
    facts.calendar_file = "BEGIN:VCALENDAR\r\nMETHOD:PUBLISH\r\nEND:VCALENDAR\r\n".to_owned();
    if let Some(number) = number {
        let week = i64::try_from(number).unwrap_or(1) - 1;
        (facts.starts_at, facts.ends_at) =
            (at(7 * 24 * HOUR * week), at(7 * 24 * HOUR * week + 90 * MINUTE));
        facts.session_number = Some(number);
    }
    of(facts)
}

/// A consultation that costs nothing, with its calendar file.
fn free(typed: &Typed) -> Facts {
    let mut facts = booking(typed, SessionMode::Online, ROOM_URL);
    facts.booking.price = Some(money(0));
    facts.ends_at = at(15 * MINUTE);
    facts.calendar_file = "BEGIN:VCALENDAR\r\nMETHOD:PUBLISH\r\nEND:VCALENDAR\r\n".to_owned();
    of(facts)
}

fn of(facts: BookingFacts) -> Facts {
    Facts::Booking(Box::new(facts))
}

/// A booking whose session starts at [`STARTS_AT`](receipt::STARTS_AT) and takes an hour and a
/// half.
fn booking(typed: &Typed, mode: SessionMode, room: &str) -> BookingFacts {
    let contact = Contact {
        first_name: typed.first_name.clone(),
        last_name: typed.last_name.clone(),
        email: "asha@example.org".to_owned(),
        phone: typed.phone.clone(),
        notes: typed.notes.clone(),
    };
    let booking = Booking {
        booking_id: "bkg_019340000000700080000000000a2b3c".to_owned(),
        service_id: "grief-counselling".to_owned(),
        service_title: typed.service_title.clone(),
        mode: mode.into(),
        price: Some(money(PRICE)),
        state: BookingState::Confirmed.into(),
        join_url: room.to_owned(),
        practitioner_name: "Meera Joshi".to_owned(),
        location: "Sukoon, Arera Colony, Bhopal, Madhya Pradesh 462016".to_owned(),
        contact: Some(contact.clone()),
        ..Booking::default()
    };
    BookingFacts {
        booking,
        contact,
        starts_at: at(0),
        ends_at: at(90 * MINUTE),
        calendar_file: String::new(),
        receipt: None,
        invitation: None,
        session_number: None,
        page_key: String::new(),
        join_key: JOIN_KEY.to_owned(),
    }
}

/// A message of the contact form.
pub(crate) fn messages(typed: &Typed) -> Vec<Form> {
    let facts = Facts::Message(Message {
        name: typed.name.clone(),
        email: "ravi@example.org".to_owned(),
        message: typed.text.clone(),
        received_at: at(-2 * 24 * HOUR),
    });
    vec![("usual", facts, json!({}))]
}

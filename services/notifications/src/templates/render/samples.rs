//! Sample facts for every mail in every variant, for `render` and the tests of the templates.

pub(crate) mod figures;
pub(crate) mod moved;
pub(crate) mod proposals;
pub(crate) mod refunds;
pub(crate) mod refund_requests;

use contract::booking::v1::{
    BookedPackage, Booking, BookingState, Contact, RefundStep, Session, SessionMode,
};
use contract::common::v1::{CancellationPolicy, CancellationTier, PracticeLate};
use contract::convert;
use contract::identity::v1::GetCodeMailResponse;
use serde_json::{Value, json};

use self::figures::{HOUR, MINUTE, PRICE, at, money};
use crate::mails::facts::{BookingFacts, Facts, Message};
use crate::mails::kind::Kind;
use crate::mails::payload::REFUNDED_BEFORE;
use crate::templates::template_context::RenderInput;

/// The room of the sessions online.
pub const ROOM_URL: &str = "https://meet.example/room/a?x=1&y=2";
/// The secret of the link to write a review.
pub const INVITATION: &str = "hJ4u0Yt2cQk8rVb1nWm7xZp5sLd9gFa3eTi6oUy_KwQ";
/// The key of the page that leads a client to the session.
pub const JOIN_KEY: &str = "aQ3xVw8Zr0LkT5yBn2HsJ7uGd4EfCm1PiO9oRtXvK6M";
/// The key of the page on which a client moves and cancels the booking.
pub const SESSION_KEY: &str = "dT7mWq2Xc9LsRf4Zk0BnVj6HyG3EoPi8UaQ5xCtM1Jw";
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
    /// [`STARTS_AT`](figures::STARTS_AT).
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
            let forms = (kind.declaration().samples)(typed);
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

/// A mail that says that a session was booked.
pub(crate) fn confirmations(typed: &Typed) -> Vec<Form> {
    let mut forms = modes(typed);
    forms.extend([
        ("on_claim", with_file(typed, ROOM_URL), json!({ "on_claim": true })),
        ("free", free(typed), json!({})),
        (AFTER_DEADLINE, with_file(typed, ROOM_URL), json!({})),
        (BEGUN, online(typed, ""), json!({})),
        ("package", package(typed, None), json!({})),
        ("in_steps", in_steps(typed), json!({})),
    ]);
    forms
}

/// A mail before a session.
pub(crate) fn reminders(typed: &Typed) -> Vec<Form> {
    let mut forms = modes(typed);
    forms.push((AFTER_DEADLINE, with_file(typed, ROOM_URL), json!({})));
    forms.push(("free", free(typed), json!({})));
    forms.push(("package", package(typed, Some(3)), json!({})));
    forms
}

fn modes(typed: &Typed) -> Vec<Form> {
    vec![
        ("online", with_file(typed, ROOM_URL), json!({})),
        ("without_room", with_file(typed, ""), json!({})),
        ("in_person", of(booking(typed, SessionMode::InPerson, "")), json!({})),
    ]
}

/// A code with a link, and one to type.
pub(crate) fn codes(typed: &Typed) -> Vec<Form> {
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

/// A refund for each cause, of a package and at the desk.
pub(crate) fn refunded(typed: &Typed) -> Vec<Form> {
    let form = |cause| (cause, online(typed, ""), refunds::payload(cause, PRICE));
    let of_package = ("package", package(typed, None), refunds::payload("cancelled", PRICE / 3));
    let at_desk = ("at_desk", online(typed, ""), refunds::at_desk(PRICE));
    refunds::CAUSES.into_iter().map(form).chain([of_package, at_desk]).collect()
}

/// A cancellation by each side, with more or less money back.
pub(crate) fn cancellations(typed: &Typed) -> Vec<Form> {
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
    let (_, _, part) = form("part", "customer", PRICE / 2, "2026-11-23T15:00:00Z", (false, 0));
    let (_, _, ours) = form("late_by_practice", "practice", PRICE, late, (false, 0));
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
        ("part", in_steps(typed), part),
        ("late_by_practice", in_steps(typed), ours),
    ]
}

/// A session online.
pub(crate) fn online(typed: &Typed, room: &str) -> Facts {
    of(booking(typed, SessionMode::Online, room))
}

/// A session online with its calendar file.
pub(crate) fn with_file(typed: &Typed, room: &str) -> Facts {
    let mut facts = booking(typed, SessionMode::Online, room);
    facts.calendar_file = "BEGIN:VCALENDAR\r\nMETHOD:PUBLISH\r\nEND:VCALENDAR\r\n".to_owned();
    of(facts)
}

/// A package of three sessions, the second of which was cancelled, with its calendar file; all of
/// it, or the session of a number.
pub(crate) fn package(typed: &Typed, number: Option<usize>) -> Facts {
    let mut facts = booking(typed, SessionMode::Online, ROOM_URL);
    facts.booking.package = Some(BookedPackage {
        package_id: "starter".to_owned(),
        title: "Starter Package".to_owned(),
        notice_hours: 48,
    });
    facts.booking.cancellation_policy = Some(policy(&[(48, 100), (0, 0)]));
    let session = |week: i64| Session {
        starts_at: Some(convert::to_wire(at(7 * 24 * HOUR * week))),
        ends_at: Some(convert::to_wire(at(7 * 24 * HOUR * week + 90 * MINUTE))),
        cancelled: week == 1,
        ..Session::default()
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
pub(crate) fn free(typed: &Typed) -> Facts {
    let mut facts = booking(typed, SessionMode::Online, ROOM_URL);
    facts.booking.price = Some(money(0));
    facts.ends_at = at(15 * MINUTE);
    facts.calendar_file = "BEGIN:VCALENDAR\r\nMETHOD:PUBLISH\r\nEND:VCALENDAR\r\n".to_owned();
    of(facts)
}

/// The facts of a booking.
pub(crate) fn of(facts: BookingFacts) -> Facts {
    Facts::Booking(Box::new(facts))
}

/// A booking whose session starts at [`STARTS_AT`](figures::STARTS_AT) and takes an hour and a
/// half.
pub(crate) fn booking(typed: &Typed, mode: SessionMode, room: &str) -> BookingFacts {
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
        cancellation_policy: Some(policy(&[(24, 100), (0, 0)])),
        ..Booking::default()
    };
    BookingFacts {
        booking,
        contact,
        starts_at: at(0),
        ends_at: at(90 * MINUTE),
        calendar_file: String::new(),
        receipt: None,
        refund_request: None,
        invitation: None,
        session_number: None,
        page_key: String::new(),
        join_key: JOIN_KEY.to_owned(),
        session_key: SESSION_KEY.to_owned(),
        attended_sessions: Vec::new(),
        preferences: None,
        suggested: Vec::new(),
    }
}

/// So many percent of the price until so many hours before the start.
fn policy(tiers: &[(i32, i32)]) -> CancellationPolicy {
    let tier = |(until_hours, refund_percent): &(i32, i32)| CancellationTier {
        until_hours: *until_hours,
        refund_percent: *refund_percent,
        practice_late: None,
    };
    let tiers = tiers.iter().map(tier).collect();
    CancellationPolicy { version: "sample".to_owned(), tiers, moves: None, grace: None }
}

/// A session online whose price comes back in steps; what the practice gives besides, when it
/// cancels late itself, is a share and then a session.
pub(crate) fn in_steps(typed: &Typed) -> Facts {
    let mut facts = booking(typed, SessionMode::Online, ROOM_URL);
    let mut policy = policy(&[(24, 100), (12, 50), (0, 0)]);
    if let [_all, half, nothing] = policy.tiers.as_mut_slice() {
        half.practice_late = Some(PracticeLate { share_percent: 20, free_session: false });
        nothing.practice_late = Some(PracticeLate { share_percent: 0, free_session: true });
    }
    let step = |tier: &CancellationTier| RefundStep {
        until_at: Some(convert::to_wire(at(-HOUR * i64::from(tier.until_hours)))),
        refund: Some(money(PRICE * i64::from(tier.refund_percent) / 100)),
        practice_late: tier.practice_late,
    };
    facts.booking.sessions = vec![Session {
        starts_at: Some(convert::to_wire(at(0))),
        ends_at: Some(convert::to_wire(at(90 * MINUTE))),
        refund_steps: policy.tiers.iter().map(step).collect(),
        ..Session::default()
    }];
    facts.booking.cancellation_policy = Some(policy);
    of(facts)
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

//! Every mail under hostile input: nothing that a person typed becomes mark-up or a subject.

use std::path::Path;

use contract::booking::v1::{Booking, BookingState, Contact, SessionMode};
use contract::common::v1::Money;
use contract::identity::v1::GetCodeMailResponse;
use serde_json::{Value, json};

use super::{Page, Pages};
use crate::context::Scene;
use crate::facts::{BookingFacts, Facts};
use crate::mail::Kind;

const TITLE: &str = "Grief & <i>Trauma</i> Counselling";
const JOIN_URL: &str = "https://meet.example/room/a?x=1&y=2";
const HOSTILE: &str =
    "Asha <b>\"O'Neil\"</b> </mj-text><script>alert(1)</script> {{ 1111 * 9 }}\r\nBcc: x";

fn scene() -> Scene {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/local/practice");
    Scene {
        practice: runtime::practice::load(&folder).unwrap(),
        public_url: "http://127.0.0.1:8080".to_owned(),
    }
}

fn booking(mode: SessionMode, join_url: &str) -> Facts {
    let contact = Contact {
        first_name: HOSTILE.to_owned(),
        last_name: HOSTILE.to_owned(),
        email: "asha@example.org".to_owned(),
        phone: "\"><script>alert(2)</script>".to_owned(),
        notes: format!("{HOSTILE}\n<img src=\"https://track.example/x.png\">\u{1}\u{202e}"),
    };
    let booking = Booking {
        booking_id: "bkg_019340000000700080000000000a2b3c".to_owned(),
        service_id: "grief-counselling".to_owned(),
        service_title: TITLE.to_owned(),
        mode: mode.into(),
        price: Some(Money { minor_units: 150_000, currency_code: "INR".to_owned() }),
        state: BookingState::Confirmed.into(),
        join_url: join_url.to_owned(),
        practitioner_name: "Meera Joshi".to_owned(),
        location: "Sukoon, Arera Colony, Bhopal".to_owned(),
        contact: Some(contact.clone()),
        ..Booking::default()
    };
    Facts::Booking(Box::new(BookingFacts {
        booking,
        contact,
        starts_at: "2026-11-24T05:30:00Z".parse().unwrap(),
        ends_at: "2026-11-24T07:00:00Z".parse().unwrap(),
        calendar_file: String::new(),
    }))
}

fn code() -> Facts {
    Facts::Code(GetCodeMailResponse {
        email: "asha@example.org".to_owned(),
        first_name: HOSTILE.to_owned(),
        code: "482913".to_owned(),
        purpose: "signup".to_owned(),
        valid_minutes: 60,
        link: "http://127.0.0.1:8080/auth/v1/verify?token=abc&type=signup".to_owned(),
    })
}

fn cancellation(by: &str, amount_minor: i64, at: &str) -> Value {
    json!({
        "cancelled_by": by, "cancelled_at": at, "amount_minor": amount_minor, "currency": "INR",
    })
}

/// The same where no money was verified.
fn unpaid(mut cancellation: Value) -> Value {
    cancellation["unpaid"] = true.into();
    cancellation
}

fn refund(cause: &str) -> Value {
    json!({ "amount_minor": 150_000, "currency": "INR", "cause": cause })
}

/// Each kind in each of its forms.
fn all() -> Vec<(Kind, Facts, Value)> {
    let mut all = Vec::new();
    for kind in Kind::ALL {
        match kind {
            Kind::ConfirmAddress | Kind::RecoverPassword => all.push((kind, code(), json!({}))),
            Kind::RefundStarted | Kind::RefundDone => {
                for cause in
                    ["unplaced", "double", "mismatched", "cancelled", "staff", "discovered"]
                {
                    all.push((kind, booking(SessionMode::Online, ""), refund(cause)));
                }
            }
            Kind::BookingCancelled | Kind::CancellationNotice => {
                for (by, amount) in [("customer", 150_000), ("customer", 0), ("practice", 0)] {
                    let payload = cancellation(by, amount, "2026-11-24T05:00:00Z");
                    all.push((kind, booking(SessionMode::Online, ""), unpaid(payload.clone())));
                    all.push((kind, booking(SessionMode::Online, ""), payload));
                }
            }
            Kind::BookingConfirmed | Kind::PracticeNotice | Kind::MeetingLink | Kind::HoldEnded => {
                let on_claim = json!({ "on_claim": true });
                all.push((kind, booking(SessionMode::Online, JOIN_URL), on_claim));
                all.push((kind, booking(SessionMode::Online, JOIN_URL), json!({})));
                all.push((kind, booking(SessionMode::Online, ""), json!({})));
                all.push((kind, booking(SessionMode::InPerson, ""), json!({})));
            }
        }
    }
    all
}

fn write(kind: Kind, facts: &Facts, payload: &Value) -> Page {
    let variables = scene().variables(facts, payload).unwrap();
    Pages::new().unwrap().write(kind, &variables).unwrap()
}

#[test]
fn what_people_typed_never_becomes_markup() {
    for (kind, facts, payload) in all() {
        let html = write(kind, &facts, &payload).html.to_lowercase();
        for mark in ["<script", "<b>\"", "<b>&quot;", "<img", "<i>trauma", "</mj-", "<mj-"] {
            assert!(!html.contains(mark), "{kind} holds {mark}");
        }
        assert!(!html.contains("9999"), "{kind} evaluates what a person typed");
    }
}

#[test]
fn what_people_typed_can_be_read() {
    let facts = booking(SessionMode::Online, JOIN_URL);
    let page = write(Kind::PracticeNotice, &facts, &json!({}));
    assert!(page.html.contains("&lt;b&gt;"), "{}", page.html);
    assert!(page.text.contains("Asha <b>\"O'Neil\"</b>"), "{}", page.text);
    assert!(!page.text.contains('\u{202e}') && !page.text.contains('\r'));
}

#[test]
fn no_mail_loads_anything() {
    for (kind, facts, payload) in all() {
        let html = write(kind, &facts, &payload).html.to_lowercase();
        for mark in
            ["<link", "<img", "@import", "@font-face", "src=\"", "background=\"http", "url("]
        {
            assert!(!html.contains(mark), "{kind} holds {mark}");
        }
    }
}

#[test]
fn a_subject_tells_nobody_what_the_session_is_about() {
    for (kind, facts, payload) in all() {
        let subject = write(kind, &facts, &payload).subject;
        assert!(!subject.is_empty() && !subject.contains(['\r', '\n']), "{kind}: {subject}");
        for word in ["Grief", "Trauma", "Counselling", "Asha", "O'Neil", "482913", "{{"] {
            assert!(!subject.contains(word), "{kind}: {subject}");
        }
    }
}

#[test]
fn every_mail_has_a_plain_text_with_its_links() {
    for (kind, facts, payload) in all() {
        let page = write(kind, &facts, &payload);
        assert!(page.text.lines().count() > 5, "{kind}: {}", page.text);
        assert!(page.text.contains("hello@sukoon.example"), "{kind}: {}", page.text);
        assert!(!page.text.contains("&lt;") && !page.text.contains("&amp;"), "{kind}");
        assert!(!page.html.contains("&#x2f;"), "{kind} writes its links in disguise");
    }
}

#[test]
fn times_prices_and_links_are_those_of_the_practice() {
    let facts = booking(SessionMode::Online, JOIN_URL);
    let page = write(Kind::BookingConfirmed, &facts, &json!({}));
    assert_eq!(page.subject, "Your session is confirmed: Tuesday 24 November 2026, 11:00 am IST");
    for part in [
        "until 12:30 pm IST, 90 minutes",
        "₹1,500, paid",
        JOIN_URL,
        "Reference:  000A2B3C",
        "/booking-flow?step=confirmed&b=bkg_019340000000700080000000000a2b3c",
    ] {
        assert!(page.text.contains(part), "{part} is missing in {}", page.text);
    }
    assert!(page.html.contains("href=\"https://meet.example/room/a?x=1&amp;y=2\""));
    let refunded = write(Kind::RefundDone, &facts, &refund("unplaced"));
    assert_eq!(refunded.subject, "Your refund of ₹1,500 is done");
    assert!(refunded.text.contains("/booking-flow?service=grief-counselling"));
}

#[test]
fn a_cancellation_says_who_wanted_it_and_what_goes_back() {
    let facts = booking(SessionMode::Online, JOIN_URL);
    let (early, late) = ("2026-11-20T05:30:00Z", "2026-11-23T05:30:01Z");
    let told =
        |by, amount, at| write(Kind::BookingCancelled, &facts, &cancellation(by, amount, at));
    let page = told("customer", 150_000, early);
    assert_eq!(page.subject, "Your session is cancelled: Tuesday 24 November 2026, 11:00 am IST");
    for part in ["as you wished", "What you paid goes back to you", "5-7 business days"] {
        assert!(page.text.contains(part), "{part} is missing in {}", page.text);
    }
    // A part may have gone back before; the figure is in the mail about the refund.
    assert_eq!(page.text.matches("₹1,500").count(), 1, "only the price: {}", page.text);
    assert!(page.text.contains("/booking-flow?service=grief-counselling"));
    assert!(!page.text.contains(", paid") && !page.html.contains(", paid"));
    let page = told("practice", 150_000, late);
    assert!(
        page.text.contains("we are sorry") && page.text.contains("goes back to you, less what")
    );
    let policy = "until 24 hours before";
    let page = told("customer", 0, late);
    assert!(page.text.contains("Nothing goes back this time") && page.text.contains(policy));
    for page in [told("customer", 0, early), told("practice", 0, late)] {
        assert!(page.text.contains("Nothing goes back for this session"), "{}", page.text);
        assert!(!page.text.contains(policy), "{}", page.text);
    }
}

#[test]
fn the_practice_is_told_what_was_cancelled_and_by_whom() {
    let facts = booking(SessionMode::Online, JOIN_URL);
    let at = "2026-11-20T05:30:00Z";
    let page = write(Kind::CancellationNotice, &facts, &cancellation("customer", 150_000, at));
    assert_eq!(page.subject, "Cancelled booking 000A2B3C: Tuesday 24 November 2026, 11:00 am IST");
    let paid =
        "What was paid goes back to the customer by itself, less what has gone back already.";
    for part in ["The customer wished it", paid, "asha@example.org"] {
        assert!(page.text.contains(part), "{part} is missing in {}", page.text);
    }
    let page = write(Kind::CancellationNotice, &facts, &cancellation("practice", 0, at));
    assert!(page.text.contains("The practice cancelled it"));
    assert!(page.text.contains("Nothing goes back to the customer"));
}

#[test]
fn money_that_nobody_has_seen_is_promised_back_only_if_it_comes() {
    let facts = booking(SessionMode::Online, JOIN_URL);
    let payload = unpaid(cancellation("practice", 150_000, "2026-11-20T05:30:00Z"));
    let page = write(Kind::BookingCancelled, &facts, &payload);
    for body in [&page.text, &page.html] {
        assert!(body.contains("If your payment still arrives, ₹1,500 of it goes back"), "{body}");
        assert!(!body.contains("What you paid") && !body.contains("Your money goes"), "{body}");
    }
    let page = write(Kind::CancellationNotice, &facts, &payload);
    for body in [page.text, page.html] {
        assert!(body.contains("if it still arrives, ₹1,500 of it goes back"), "{body}");
    }
}

#[test]
fn a_payment_that_nobody_has_seen_is_not_said_to_have_arrived() {
    let facts = booking(SessionMode::Online, JOIN_URL);
    for kind in [Kind::BookingConfirmed, Kind::PracticeNotice, Kind::MeetingLink] {
        let page = write(kind, &facts, &json!({ "on_claim": true }));
        for body in [page.text, page.html] {
            let said = body.to_lowercase();
            for untrue in ["has arrived", "paid and confirmed", ", paid"] {
                assert!(!said.contains(untrue), "{kind} says {untrue}");
            }
        }
    }
}

#[test]
fn a_refund_says_what_it_is_for() {
    let facts = booking(SessionMode::Online, JOIN_URL);
    let page = |cause| write(Kind::RefundStarted, &facts, &refund(cause));
    let cancelled = page("cancelled").text;
    assert!(cancelled.contains("is cancelled, so we send ₹1,500 back"), "{cancelled}");
    assert!(cancelled.contains("choose another time"));
    for cause in ["staff", "discovered"] {
        let text = page(cause).text;
        assert!(text.contains("we give you ₹1,500 back of what you paid"), "{text}");
        // The session may well take place, and it may be a part of the price.
        assert!(!text.contains("choose another time") && !text.contains("The whole"), "{text}");
    }
}

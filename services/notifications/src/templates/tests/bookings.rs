//! The content of mails about a booking.

use contract::common::v1::DeskWay;
use serde_json::{Value, json};

use super::{
    Facts, INVITATION, JOIN_KEY, Kind, RenderedMail, Templates, Typed, all, context, found, page,
    preview, sample, shown, write,
};
use crate::mails::payload::REFUNDED_BEFORE;
use crate::templates::render::samples::{AFTER_DEADLINE, BEGUN, SESSION_KEY};
use crate::templates::template_context::RenderInput;

fn booking() -> Facts {
    sample(Kind::BookingConfirmed, "online").0
}

fn text(kind: Kind, form: &str) -> String {
    shown(kind, form).text
}

fn refund(cause: &str) -> Value {
    json!({ "amount_minor": 150_000, "currency": "INR", "cause": cause })
}

fn cancellation(by: &str, amount_minor: i64, at: &str) -> Value {
    json!({
        "cancelled_by": by, "cancelled_at": at, "amount_minor": amount_minor, "currency": "INR",
        REFUNDED_BEFORE: 0,
    })
}

#[test]
fn times_prices_and_links_are_those_of_the_practice() {
    let page = write(Kind::BookingConfirmed, &booking(), &json!({}));
    assert_eq!(page.subject, "Your session is confirmed: Tuesday 24 November 2026, 11:00 am IST");
    let join = format!("http://127.0.0.1:8080/join#key={JOIN_KEY}");
    for part in [
        "until 12:30 pm IST, 90 minutes",
        "₹1,500, paid",
        &join,
        "Reference:  000A2B3C",
        &format!("/session#key={SESSION_KEY}"),
    ] {
        assert!(page.text.contains(part), "{part} is missing in {}", page.text);
    }
    assert!(page.html.contains(&format!("href=\"{join}\"")));
    let refunded = write(Kind::RefundDone, &booking(), &refund("unplaced"));
    assert_eq!(refunded.subject, "Your refund of ₹1,500 is done");
    assert!(refunded.text.contains("/booking-flow?service=grief-counselling"));
}

#[test]
fn each_step_says_what_goes_back_and_what_we_give_if_we_cancel_then() {
    let mail = text(Kind::BookingConfirmed, "in_steps");
    let step = "we refund ₹750 (if we cancel then: all of it, and 20% of the price); after that";
    assert!(mail.contains(step) && mail.contains("and a free session besides"), "{mail}");
}

/// Neither a payment nor a refund is spoken of where there is none.
#[test]
fn mails_about_what_costs_nothing_name_no_money() {
    for kind in [
        Kind::BookingConfirmed,
        Kind::PracticeNotice,
        Kind::Reminder,
        Kind::SecondReminder,
        Kind::BookingCancelled,
        Kind::CancellationNotice,
        Kind::BookingMoved,
        Kind::MoveNotice,
        Kind::FollowUp,
    ] {
        let told = text(kind, "free").to_lowercase();
        for word in ["₹", "paid", "payment", "refund", "goes back", "free of charge", "money"] {
            assert!(!told.contains(word), "{word} in {kind:?}: {told}");
        }
    }
    for kind in [Kind::BookingConfirmed, Kind::PracticeNotice, Kind::BookingCancelled] {
        let words: Vec<String> = text(kind, "free").split_whitespace().map(str::to_owned).collect();
        assert!(words.join(" ").contains("Price: Free"), "{words:?}");
    }
    let follow_up = text(Kind::FollowUp, "free");
    assert!(follow_up.contains("http://127.0.0.1:8080/services"), "{follow_up}");
    assert!(!follow_up.contains("/reviews"), "{follow_up}");
}

#[test]
fn a_cancellation_says_who_wanted_it_and_what_goes_back() {
    let facts = booking();
    let (early, late) = ("2026-11-20T05:30:00Z", "2026-11-23T05:30:01Z");
    let told =
        |by, amount, at| write(Kind::BookingCancelled, &facts, &cancellation(by, amount, at));
    let page = told("customer", 150_000, early);
    assert_eq!(page.subject, "Your session is cancelled: Tuesday 24 November 2026, 11:00 am IST");
    let sum =
        "We're refunding ₹1,500 to your original payment method. Expect it within 5-7 business";
    for part in ["We've cancelled your session as you asked.", sum] {
        assert!(page.text.contains(part), "{part} is missing in {}", page.text);
    }
    assert!(page.text.contains("/booking-flow?service=grief-counselling"));
    assert!(!page.text.contains(", paid") && !page.html.contains(", paid"));
    let page = told("practice", 150_000, late);
    assert!(page.text.contains("We are sorry") && page.text.contains(sum), "{}", page.text);
    let policy = "until 24 hours before";
    let page = told("customer", 0, late);
    assert!(page.text.contains("Nothing goes back this time") && page.text.contains(policy));
    for page in [told("customer", 0, early), told("practice", 0, late)] {
        assert!(page.text.contains("Nothing goes back for this session"), "{}", page.text);
        assert!(!page.text.contains(policy), "{}", page.text);
    }
}

#[test]
fn a_move_says_who_wanted_it_and_both_times() {
    let (before, now) =
        ("Sunday 22 November 2026, 9:30 am IST", "Tuesday 24 November 2026, 11:00 am IST");
    let page = shown(Kind::BookingMoved, "by_practice");
    assert_eq!(page.subject, format!("Your session has a new time: {now}"));
    let unbroken = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let both = format!("It was on {before}, and now it is on {now}.");
    let said = unbroken(&page.text);
    for part in [&both, "we are sorry", "If this time does not suit you", "price, payment"] {
        assert!(said.to_lowercase().contains(&part.to_lowercase()), "{part}: {said}");
    }
    assert!(page.text.contains(&format!("http://127.0.0.1:8080/join#key={JOIN_KEY}")));
    let said = unbroken(&text(Kind::BookingMoved, "by_client"));
    assert!(said.contains("as you asked") && !said.contains("sorry"), "{said}");
    let package = unbroken(&text(Kind::BookingMoved, "package"));
    assert!(package.contains("Starter Package, session 3 of 3"), "{package}");
    let page = shown(Kind::BookingMoved, "handed_over");
    assert_eq!(page.subject, format!("Your session has a new practitioner: {now}"));
    let said = unbroken(&page.text);
    assert!(said.contains("gives it now") && said.contains("It stays on"), "{said}");
    assert!(!said.contains("It was on") && !said.contains("new time"), "{said}");
    let notice = unbroken(&text(Kind::MoveNotice, "handed_over"));
    assert!(notice.contains("gives it now") && !notice.contains("It was on"), "{notice}");
    for (form, who) in [
        ("by_client", "The client moved it."),
        ("client_asked", "Staff moved it for the client"),
        ("by_practice", "The practice moved it."),
    ] {
        let notice = unbroken(&text(Kind::MoveNotice, form));
        assert!(notice.contains(who) && notice.contains(&both), "{form}: {notice}");
    }
}

#[test]
fn earlier_refunds_are_subtracted() {
    let mut payload = cancellation("customer", 150_000, "2026-11-20T05:30:00Z");
    for kind in [Kind::BookingCancelled, Kind::CancellationNotice] {
        // Those with a word are mails that an earlier release queued.
        for (before, said) in [
            (json!(0), "₹1,500"),
            (json!(true), "₹1,500"),
            (json!(null), "₹1,500"),
            (json!(50_000), "₹1,000"),
            (json!(150_000), "gone back"),
        ] {
            payload[REFUNDED_BEFORE] = before;
            let page = write(kind, &booking(), &payload);
            assert!(page.text.contains(said), "{kind}: {}", page.text);
        }
    }
}

#[test]
fn the_practice_notice_names_the_cancelled_session_and_who_cancelled() {
    let facts = booking();
    let at = "2026-11-20T05:30:00Z";
    let page = write(Kind::CancellationNotice, &facts, &cancellation("customer", 150_000, at));
    assert_eq!(page.subject, "Cancelled booking 000A2B3C: Tuesday 24 November 2026, 11:00 am IST");
    let paid = "₹1,500 goes back to the client automatically.";
    let cancelled = "The client cancelled. The time is open again in your calendar.";
    for part in [cancelled, paid, "asha@example.org"] {
        assert!(page.text.contains(part), "{part} is missing in {}", page.text);
    }
    let page = write(Kind::CancellationNotice, &facts, &cancellation("practice", 0, at));
    assert!(page.text.contains("The practice cancelled it"));
    assert!(page.text.contains("Nothing goes back to the client"));
}

#[test]
fn unverified_money_is_promised_back_only_if_it_arrives() {
    let mut payload = cancellation("practice", 150_000, "2026-11-20T05:30:00Z");
    payload["unpaid"] = true.into();
    let page = write(Kind::BookingCancelled, &booking(), &payload);
    for body in [&page.text, &page.html] {
        assert!(body.contains("If your payment still arrives, ₹1,500 of it goes back"), "{body}");
        assert!(!body.contains("refunding") && !body.contains("Your money goes"), "{body}");
    }
    let text = write(Kind::CancellationNotice, &booking(), &payload).text;
    assert!(text.contains("if it still arrives, ₹1,500 of it goes back"), "{text}");
}

#[test]
fn a_payment_that_is_not_verified_is_not_said_to_have_arrived() {
    for kind in [Kind::BookingConfirmed, Kind::PracticeNotice, Kind::MeetingLink] {
        let page = write(kind, &booking(), &json!({ "on_claim": true }));
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
    let page = |cause| write(Kind::RefundStarted, &booking(), &refund(cause));
    let cancelled = page("cancelled").text;
    assert!(cancelled.contains("is cancelled, so we send ₹1,500 back"), "{cancelled}");
    assert!(cancelled.contains("choose another time"));
    for cause in ["staff", "discovered"] {
        let text = page(cause).text;
        assert!(text.contains("We give you ₹1,500 back of what you paid"), "{text}");
        // The session may well take place, and it may be a part of the price.
        assert!(!text.contains("choose another time") && !text.contains("The whole"), "{text}");
    }
}

/// The provider has nothing to send, so no such promise is made.
#[test]
fn what_was_paid_at_the_desk_is_promised_at_the_desk() {
    let untrue = ["original payment method", "business days", "on its way", "send ₹"];
    for kind in [Kind::RefundStarted, Kind::RefundDone] {
        let said = text(kind, "at_desk");
        assert!(said.contains("₹1,500") && said.contains("at the practice"), "{said}");
        for words in untrue {
            assert!(!said.contains(words), "{kind} says {words}: {said}");
        }
    }
    let mut paid = booking();
    if let Facts::Booking(facts) = &mut paid {
        facts.booking.paid_at_desk = DeskWay::Cash.into();
    }
    let said = write(
        Kind::BookingCancelled,
        &paid,
        &cancellation("customer", 150_000, "2026-11-20T05:30:00Z"),
    )
    .text;
    assert!(said.contains("You get ₹1,500 back at the practice, where you paid"), "{said}");
    assert!(!said.contains("original payment method"), "{said}");
}

#[test]
fn a_reminder_tells_how_to_come_and_how_to_cancel() {
    for kind in [Kind::Reminder, Kind::SecondReminder] {
        let online = text(kind, "online");
        for part in [JOIN_KEY, "join 5 minutes early", "answer this mail or call us"] {
            assert!(online.contains(part), "{kind}: {part} is missing in {online}");
        }
        let in_person = text(kind, "in_person");
        for part in ["Sukoon, Arera Colony", "Ring the bell", "https://www.openstreetmap.org/"] {
            assert!(in_person.contains(part), "{kind}: {part} is missing in {in_person}");
        }
        assert!(!in_person.contains("join") && !in_person.contains("link"), "{in_person}");
        // The page is there before the room is.
        assert_eq!(text(kind, "without_room"), online, "{kind}");
    }
}

/// The mails that say what to do when the client cannot come.
const ABOUT_COMING: [Kind; 3] = [Kind::BookingConfirmed, Kind::Reminder, Kind::SecondReminder];

#[test]
fn a_deadline_is_named_only_before_it() {
    // As a time, so that the sentence is true whenever the mail is read.
    let free = "Until Monday 23 November 2026, 11:00 am IST we cancel your session free of charge";
    // Of a session that was booked late there was no time to cancel that could be over.
    let over = "Your session starts too soon to be cancelled for a refund.";
    for kind in ABOUT_COMING {
        for form in ["online", "without_room", "in_person"] {
            let before = text(kind, form);
            assert!(before.contains(free) && !before.contains(over), "{kind} {before}");
        }
        let after = text(kind, AFTER_DEADLINE);
        assert!(after.contains(over) && after.contains("please still let us know"), "{after}");
        assert!(!after.contains("23 November"), "{kind} {after}");
    }
}

#[test]
fn the_deadline_and_the_start_are_over_at_their_second() {
    let (context, (facts, payload)) = (context(), sample(Kind::BookingConfirmed, "online"));
    let told = |now: &str| {
        let kind = Kind::BookingConfirmed;
        let now = now.parse().unwrap();
        let render_input = RenderInput { kind, payload: &payload, unsubscribe_url: "", now };
        let variables = context.variables(&facts, &render_input).unwrap();
        let flag = |name| variables["booking"][name].as_bool().unwrap();
        (flag("free_to_cancel"), flag("has_begun"))
    };
    assert_eq!(told("2026-11-23T05:29:59Z"), (true, false));
    assert_eq!(told("2026-11-23T05:30:00Z"), (false, false));
    assert_eq!(told("2026-11-24T05:29:59Z"), (false, false));
    assert_eq!(told("2026-11-24T05:30:00Z"), (false, true));
}

/// Nothing on the website cancels a booking.
#[test]
fn no_mail_links_to_a_page_for_cancelling() {
    for (sample, page) in all(&Typed::usual()) {
        for sentence in page.text.split(['.', ';', '\n']) {
            let promised = sentence.contains("cancel your") || sentence.contains("cancelled or");
            let led = ["page", "/booking-flow", "with your booking"];
            let leads = led.iter().any(|it| sentence.to_lowercase().contains(it));
            assert!(!promised || !leads, "{}: {sentence}", sample.name());
        }
    }
}

#[test]
fn a_confirmation_that_comes_too_late_looks_back() {
    let ahead =
        ["look forward", "cancel", "link", "Join", "welcome you", "cannot come", "attached"];
    let all_of = |page: &RenderedMail| format!("{}\n{}", preview(page), page.text);
    let customer = all_of(&shown(Kind::BookingConfirmed, BEGUN));
    for part in ["your session was confirmed", "sorry that it is so late", "₹1,500, paid"] {
        assert!(customer.contains(part), "{part} is missing in {customer}");
    }
    let practice = all_of(&shown(Kind::PracticeNotice, BEGUN));
    assert!(practice.contains("This notice comes after the session began."), "{practice}");
    for said in [&customer, &practice] {
        for part in ahead {
            assert!(!said.contains(part), "{part} is said in {said}");
        }
    }
    // Neither does one at the practice, or one whose link is there.
    for form in ["in_person", "online", "on_claim"] {
        for kind in [Kind::BookingConfirmed, Kind::PracticeNotice] {
            let mut late = found(kind, form);
            late.form = BEGUN;
            let late = all_of(&page(&context(), &Templates::new().unwrap(), &late));
            for part in ["look forward", "cancel", "link", "Join", "meeting room", "welcome you"] {
                assert!(!late.contains(part), "{kind} {form}: {part} is said in {late}");
            }
        }
    }
    let on_time = all_of(&shown(Kind::BookingConfirmed, "online"));
    assert!(on_time.contains("We look forward") && !on_time.contains("so late"), "{on_time}");
}

#[test]
fn a_link_that_comes_too_late_does_not_ask_to_be_early() {
    let late = text(Kind::MeetingLink, BEGUN);
    assert!(late.contains(JOIN_KEY) && late.contains("so late"), "{late}");
    assert!(!late.contains("early") && !late.contains("attached"), "{late}");
    assert!(text(Kind::MeetingLink, "online").contains("join 5 minutes early"));
}

#[test]
fn a_calendar_file_is_mentioned_only_where_there_is_one() {
    for (sample, page) in all(&Typed::usual()) {
        let Facts::Booking(facts) = &sample.facts else { continue };
        let has_file = !facts.calendar_file.is_empty() && sample.kind.has_calendar_file();
        assert_eq!(page.text.contains("attached file"), has_file, "{}", sample.name());
    }
}

/// A payment may still be in flight when the mail is sent (UPI confirms late).
#[test]
fn an_ended_hold_promises_nothing_about_money() {
    let page = shown(Kind::HoldEnded, "online");
    let said = format!("{}\n{}", preview(&page), page.text);
    assert!(!said.contains("charged"), "{said}");
    assert!(said.contains("No payment has reached us in time."), "{said}");
    for (by_now, untrue) in [
        (shown(Kind::RefundDone, "unplaced"), "is back with"),
        (shown(Kind::CancellationNotice, "late"), "have been told"),
        (shown(Kind::ContactMessage, "usual"), "told by mail"),
    ] {
        assert!(!format!("{}\n{}", preview(&by_now), by_now.text).contains(untrue), "{untrue}");
    }
}

#[test]
fn a_follow_up_invites_and_does_not_push() {
    let invited = text(Kind::FollowUp, "invited");
    let link = format!("http://127.0.0.1:8080/reviews#invitation={INVITATION}\n");
    for part in
        [link.as_str(), "until Thursday 24 December 2026, 11:00 am IST", "There is no need to"]
    {
        assert!(invited.contains(part), "{part} is missing in {invited}");
    }
    let uninvited = text(Kind::FollowUp, "uninvited");
    assert!(!uninvited.contains("review") && uninvited.contains("Thank you"), "{uninvited}");
}

#[test]
fn a_receipt_states_what_was_paid_and_tax_only_where_there_is_one() {
    let page = |form| {
        let (facts, payload) = sample(Kind::Receipt, form);
        write(Kind::Receipt, &facts, &payload)
    };
    assert_eq!(page("with_tax").subject, "Your receipt SUK/26-27/00042");
    let taxed = page("with_tax").text;
    for part in [
        "SUK/26-27/00042",
        "Saturday 21 November 2026",
        "GSTIN 23ABCDE1234F1Z5",
        "Service code (SAC) 999319",
        "₹1,271.19",
        "9%:  ₹114.41",
        "9%:    ₹114.40",
        "₹1,500.00",
        "pay_Nq7T2kXv9LmB4e",
        "/receipt?b=bkg_019340000000700080000000000a2b3c",
    ] {
        assert!(taxed.contains(part), "{part} is missing in {taxed}");
    }
    assert!(!taxed.contains("Given back"), "{taxed}");
    let untaxed = page("without_tax").text;
    assert!(untaxed.contains("Sukoon is not registered for GST"), "{untaxed}");
    assert!(!untaxed.contains("GSTIN") && !untaxed.contains("CGST"), "{untaxed}");
    assert!(page("refunded").text.contains("₹750.00"));
}

#[test]
fn a_receipt_is_made_out_to_a_name_or_to_the_address_alone() {
    let to = |typed: &Typed| {
        let receipts = all(typed).into_iter().filter(|(sample, _)| sample.kind == Kind::Receipt);
        let texts: Vec<String> = receipts.map(|(_, page)| page.text).collect();
        assert!(texts.iter().all(|text| text.contains("asha@example.org")), "{texts:?}");
        texts.iter().filter(|text| text.contains("Asha O'Neil")).count()
    };
    // Four receipts, one of a package, and a bill of supply; an invoice and a credit note name the
    // payer.
    assert_eq!(to(&Typed::usual()), 5);
    let last_name = "O'Neil https://bait.example".to_owned();
    assert_eq!(to(&Typed { last_name, ..Typed::usual() }), 0);
}

//! The content of mails that are not about one booking.

use super::{HOSTILE, Kind, context, sample, write};
use crate::mails::facts::Facts;
use crate::templates::template_context::one_line;

fn text(kind: Kind, form: &str) -> String {
    let (facts, payload) = sample(kind, form);
    write(kind, &facts, &payload).text
}

#[test]
fn the_practice_reads_who_writes_and_what() {
    let text = text(Kind::ContactMessage, "usual");
    for part in ["ravi@example.org", "Sunday 22 November 2026, 11:00 am IST", "> Asha <b>"] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}

#[test]
fn an_international_address_is_shown_in_its_letters_and_linked_in_ascii() {
    let (mut facts, payload) = sample(Kind::ContactMessage, "usual");
    let Facts::Message(message) = &mut facts else { panic!("{facts:?}") };
    message.email = "asha@xn--p1b6ci4b4b3a.xn--h2brj9c".to_owned();
    let page = write(Kind::ContactMessage, &facts, &payload);
    assert!(page.text.contains("asha@उदाहरण.भारत"), "{}", page.text);
    let link = "mailto:asha@xn--p1b6ci4b4b3a.xn--h2brj9c\">asha@उदाहरण.भारत</a>";
    assert!(page.html.contains(link), "{}", page.html);
}

#[test]
fn an_acknowledgement_repeats_nothing_and_says_when_an_answer_comes() {
    let (facts, payload) = sample(Kind::ContactAcknowledgement, "usual");
    let page = write(Kind::ContactAcknowledgement, &facts, &payload);
    for body in [&page.text, &page.html] {
        for typed in ["Asha", "Bcc", "track.example", "ravi@example.org"] {
            assert!(!body.contains(typed), "{typed} is repeated in {body}");
        }
        assert!(body.contains("Mon-Fri 9am-6pm") && body.contains("+91 75555 50100"), "{body}");
    }
}

#[test]
fn the_guide_is_whole() {
    let text = text(Kind::MeditationGuide, "usual");
    let guide = context().guide;
    let steps = guide.steps.iter().flat_map(|step| &step.paragraphs);
    for paragraph in guide.introduction.iter().chain(steps).chain(&guide.closing) {
        assert!(text.contains(&one_line(paragraph)), "{paragraph} is missing in {text}");
    }
    for (step, number) in guide.steps.iter().zip(1..) {
        let minutes = if step.minutes == 1 {
            "1 minute".to_owned()
        } else {
            format!("{} minutes", step.minutes)
        };
        let heading = format!("{number}. {} ({minutes})", step.title);
        assert!(text.contains(&heading), "{heading} is missing in {text}");
    }
    assert!(text.contains("http://127.0.0.1:8080/meditation-guide\n"));
}

#[test]
fn a_review_is_shown_with_its_stars_and_its_link() {
    let text = text(Kind::ReviewNotice, "of_any_visitor");
    let link = "/reviews/rvw_01934000000070008000000000000007";
    for part in ["★★★☆☆", "3 of 5 stars", "> Asha <b>", link, "is not known"] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
    let (facts, payload) = sample(Kind::ReviewNotice, "verified");
    let page = write(Kind::ReviewNotice, &facts, &payload);
    assert_eq!(page.subject, "A new review: 5 of 5 stars");
    assert!(page.text.contains("known to be a client"));
}

#[test]
fn the_day_sheet_lists_the_sessions_or_says_that_there_are_none() {
    let full = text(Kind::DaySheet, "full");
    for part in [
        "Tuesday 24 November 2026",
        "3 sessions are booked",
        "11:00 am to 12:30 pm IST",
        "1:00 pm to 2:00 pm IST",
        "In person: Sukoon, Arera Colony",
        "Online",
        "/join/bkg_",
        "asha@example.org",
    ] {
        assert!(full.contains(part), "{part} is missing in {full}");
    }
    assert!(full.contains(&one_line(HOSTILE)), "{full}");
    assert!(text(Kind::DaySheet, "one").contains("One session is booked today."));
    let empty = text(Kind::DaySheet, "empty");
    assert!(empty.contains("Nothing is booked today."), "{empty}");
    assert!(!empty.contains("personal data"), "{empty}");
}

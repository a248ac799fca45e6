//! Invitations, the way to an event, and files that cancel.

use super::{Case, case, event, file, free, hours, one, one_event};

const WED: &str = "2026-07-15T10:00[Asia/Kolkata]";
const HOUR: &str = "DTSTART:20260715T043000Z\nDTEND:20260715T053000Z\n";
const OTHER: &str = "ORGANIZER:mailto:asha@example.org\n";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = invitations();
    cases.extend(travel());
    cases.extend(cancellations());
    cases
}

fn invitations() -> Vec<Case> {
    let free_when = [
        "ATTENDEE;PARTSTAT=DECLINED:mailto:ravi@example.org",
        "ATTENDEE;CN=Ravi;PARTSTAT=declined;ROLE=REQ-PARTICIPANT:MAILTO:RAVI@example.org",
        "ATTENDEE;CN=Ravi;EMAIL=ravi@example.org;PARTSTAT=DECLINED:/aMTI3/principal/",
        "ATTENDEE;PARTSTAT=DELEGATED;DELEGATED-TO=\"mailto:a@b.example\":mailto:ravi@example.org",
        "ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:ravi@example.org",
        "ATTENDEE;PARTSTAT=ACCEPTED:mailto:asha@example.org\n\
         ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ravi@example.org",
    ];
    let busy_when = [
        "ATTENDEE;PARTSTAT=ACCEPTED:mailto:ravi@example.org",
        "ATTENDEE;PARTSTAT=TENTATIVE:mailto:ravi@example.org",
        "ATTENDEE:mailto:ravi@example.org",
        // Others decline.
        "ATTENDEE;PARTSTAT=DECLINED:mailto:asha@example.org",
        "ATTENDEE;PARTSTAT=DECLINED:mailto:xravi@example.org",
        // Invited twice, accepted once.
        "ATTENDEE;PARTSTAT=DECLINED:mailto:ravi@example.org\n\
         ATTENDEE;PARTSTAT=ACCEPTED:mailto:ravi@example.org",
    ];
    let of = |answers: &str| event(&format!("{HOUR}{OTHER}{answers}"));
    let named = |answers: &str| format!("invitation: {answers}");
    let mut cases: Vec<Case> = free_when.iter().map(|it| case(named(it), of(it), free())).collect();
    cases.extend(busy_when.iter().map(|it| case(named(it), of(it), hours(&[WED]))));
    let day = "DTSTART;VALUE=DATE:20260715\nATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ravi@example.org";
    cases.push(case("an unanswered whole day", event(day), free()));
    let own = format!(
        "{HOUR}ORGANIZER:mailto:ravi@example.org\n\
         ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ravi@example.org"
    );
    cases.push(case("an own event without an own answer", event(&own), hours(&[WED])));
    let series = one_event("s", &format!("{HOUR}RRULE:FREQ=WEEKLY;COUNT=3"));
    let declined = "RECURRENCE-ID:20260722T043000Z\nDTSTART:20260722T043000Z\n\
                    DTEND:20260722T053000Z\nATTENDEE;PARTSTAT=DECLINED:mailto:ravi@example.org";
    cases.push(case(
        "one time of a series is declined",
        file(&format!("{series}{}", one_event("s", declined))),
        hours(&[WED, "2026-07-29T10:00[Asia/Kolkata]"]),
    ));
    cases
}

fn travel() -> Vec<Case> {
    let hour_before = "2026-07-15T09:00[Asia/Kolkata]";
    let of = |line: &str| event(&format!("{HOUR}{line}"));
    let apple = "X-APPLE-TRAVEL-DURATION;VALUE=DURATION:PT1H";
    let series = format!("{HOUR}RRULE:FREQ=WEEKLY;COUNT=2\n{apple}");
    vec![
        case("the way to an event", of(apple), one(hour_before, 120)),
        case(
            "the way to an event, without its type",
            of("X-APPLE-TRAVEL-DURATION:PT60M"),
            one(hour_before, 120),
        ),
        case("no way", of("X-APPLE-TRAVEL-DURATION;VALUE=DURATION:PT0S"), hours(&[WED])),
        case(
            "the way to each time of a series",
            event(&series),
            super::Expected::Busy(vec![
                (hour_before.to_owned(), 120),
                ("2026-07-22T09:00[Asia/Kolkata]".to_owned(), 120),
            ]),
        ),
        case(
            "a way that says nothing",
            of("X-APPLE-TRAVEL-DURATION;VALUE=DURATION:soon"),
            super::Expected::Odd(vec![(WED.to_owned(), 60)], 1),
        ),
    ]
}

fn cancellations() -> Vec<Case> {
    let cancel = file(&format!("METHOD:CANCEL\n{}", one_event("a", HOUR)));
    let publish = file(&format!("METHOD:PUBLISH\n{}", one_event("a", HOUR)));
    let days = |exception: &str| {
        event(&format!("DTSTART;VALUE=DATE:20260715\nRRULE:FREQ=DAILY;COUNT=3\n{exception}"))
    };
    let day = 24 * 60;
    let two = super::Expected::Busy(vec![
        ("2026-07-15T00:00[Asia/Kolkata]".to_owned(), day),
        ("2026-07-17T00:00[Asia/Kolkata]".to_owned(), day),
    ]);
    vec![
        case("a file that cancels", cancel, free()),
        case("a file that is published", publish, hours(&[WED])),
        case(
            "Exchange: a day of a series is excepted by its midnight elsewhere",
            days("EXDATE;TZID=Europe/Berlin:20260716T000000"),
            two.clone(),
        ),
        case("a day is excepted by a midnight without a zone", days("EXDATE:20260716T000000"), two),
        case(
            "a time of another day excepts no day",
            days("EXDATE;TZID=Europe/Berlin:20260716T100000"),
            one("2026-07-15T00:00[Asia/Kolkata]", 3 * day),
        ),
    ]
}

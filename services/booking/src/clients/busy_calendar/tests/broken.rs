//! Files that break the standard, and pages that are none.

use super::super::Unreadable;
use super::{Case, Expected, case, event, file, free, hours, one_event};

const WED: &str = "2026-07-15T10:00[Asia/Kolkata]";

/// An hour on Wednesday with a long text beside it.
fn good() -> String {
    event(
        "SUMMARY:A long summary with commas\\, semicolons\\; and words to be folded somewhere
         DTSTART;TZID=Asia/Kolkata:20260715T100000
         DTEND;TZID=Asia/Kolkata:20260715T110000
         DESCRIPTION:सुकून – मन की शांति 🕊",
    )
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = line_ends();
    cases.extend(folded());
    cases.extend(strange_lines());
    cases.extend(strange_events());
    cases.extend(no_calendars());
    cases
}

fn line_ends() -> Vec<Case> {
    let good = good();
    vec![
        case("as it should be", good.clone(), hours(&[WED])),
        case("lines that end with LF", good.replace("\r\n", "\n"), hours(&[WED])),
        case("blank lines", good.replace("\r\n", "\r\n\r\n"), hours(&[WED])),
        case("a byte order mark", format!("\u{feff}{good}"), hours(&[WED])),
        case("spaces at the ends of lines", good.replace("\r\n", " \r\n"), hours(&[WED])),
        case("no line break at the end", good.trim_end().to_owned(), hours(&[WED])),
        case("blank lines before and after", format!("\r\n\r\n{good}\r\n\r\n"), hours(&[WED])),
        case("names in small letters", lower_names(&good), hours(&[WED])),
    ]
}

fn lower_names(text: &str) -> String {
    let lower = |line: &str| match line.split_once([';', ':']) {
        Some((name, _)) => format!("{}{}", name.to_lowercase(), &line[name.len()..]),
        None => line.to_owned(),
    };
    text.lines().map(lower).map(|line| format!("{line}\r\n")).collect()
}

/// Lines that are folded after so many characters, in the middle of words and values.
fn folded() -> Vec<Case> {
    let fold = |width: usize, with: &str| -> String {
        let folded = |line: &str| {
            let characters: Vec<char> = line.chars().collect();
            let parts: Vec<String> =
                characters.chunks(width).map(|part| part.iter().collect()).collect();
            format!("{}\r\n", parts.join(&format!("\r\n{with}")))
        };
        good().lines().map(folded).collect()
    };
    let mut cases: Vec<Case> = [17, 20, 31, 40, 55, 60, 73, 74, 75]
        .into_iter()
        .map(|width| case(format!("folded after {width}"), fold(width, " "), hours(&[WED])))
        .collect();
    cases.push(case("folded with tabs", fold(30, "\t"), hours(&[WED])));
    cases
}

fn strange_lines() -> Vec<Case> {
    let hour = "DTSTART:20260715T043000Z\nDURATION:PT1H\n";
    let long = format!("DESCRIPTION:{}", "x".repeat(100_000));
    [
        "a line without a colon",
        "X-UNKNOWN;A=B;C=\"D:E;F\":G",
        "X-EMPTY:",
        ":a value without a name",
        "ATTACH;FMTTYPE=image/png;ENCODING=BASE64;VALUE=BINARY:AAAA////",
        "ATTENDEE;CN=\"A \\\" quote\":mailto:a@example.org",
        "ORGANIZER;CN=Ärger \u{1f54a}:MAILTO:b@example.org",
        "DESCRIPTION;ALTREP=\"data:text/html,%3Cb%3E\":text",
        "SUMMARY;LANGUAGE=hi:ध्यान",
        "GEO:north",
        "PRIORITY:high",
        "SEQUENCE:one",
        "URL:not an address",
        "COMMENT:=0D=0A=\r",
        "X-NUL:a\0b",
        long.as_str(),
    ]
    .into_iter()
    .map(|line| {
        let shown: String = line.chars().take(40).collect();
        case(format!("a line {shown:?}"), event(&format!("{hour}{line}")), hours(&[WED]))
    })
    .collect()
}

fn strange_events() -> Vec<Case> {
    let good = one_event("g", "DTSTART:20260715T043000Z\nDURATION:PT1H");
    let beside = |other: &str| file(&format!("{other}{good}"));
    let odd = |count: usize| Expected::Odd(vec![(WED.to_owned(), 60)], count);
    vec![
        case("an event without a start", beside("BEGIN:VEVENT\nUID:x\nEND:VEVENT\n"), odd(1)),
        case("an event with nothing", beside("BEGIN:VEVENT\nEND:VEVENT\n"), odd(1)),
        case("a start that is no date", beside(&one_event("x", "DTSTART:tomorrow")), odd(1)),
        case("a month that is none", beside(&one_event("x", "DTSTART:20261315T043000Z")), odd(1)),
        case("a day that is none", beside(&one_event("x", "DTSTART;VALUE=DATE:20260230")), odd(1)),
        case("an hour that is none", beside(&one_event("x", "DTSTART:20260715T993000Z")), odd(1)),
        case("an empty start", beside(&one_event("x", "DTSTART:")), odd(1)),
        case(
            "a duration that is none",
            beside(&one_event("x", "DTSTART:20260716T043000Z\nDURATION:an hour")),
            odd(1),
        ),
        case(
            "a rule that is none",
            beside(&one_event("x", "DTSTART:20250716T043000Z\nDURATION:PT1H\nRRULE:SOMETIMES")),
            odd(1),
        ),
        case(
            "a rule with an unknown frequency",
            beside(&one_event(
                "x",
                "DTSTART:20250716T043000Z\nDURATION:PT1H\nRRULE:FREQ=FORTNIGHTLY",
            )),
            odd(1),
        ),
        case(
            "events without ids",
            file(
                "BEGIN:VEVENT\nDTSTART:20260715T043000Z\nDURATION:PT1H\nEND:VEVENT\nBEGIN:VEVENT\n\
                 DTSTART:20260716T043000Z\nDURATION:PT1H\nEND:VEVENT\n",
            ),
            hours(&[WED, "2026-07-16T10:00[Asia/Kolkata]"]),
        ),
        case(
            "a component that nobody knows",
            beside("BEGIN:X-THING\nDTSTART:20260801T000000Z\nEND:X-THING\n"),
            hours(&[WED]),
        ),
        case(
            "a definition of a zone without anything",
            beside("BEGIN:VTIMEZONE\nEND:VTIMEZONE\n"),
            hours(&[WED]),
        ),
        case(
            "no version and no producer",
            format!("BEGIN:VCALENDAR\r\n{}END:VCALENDAR\r\n", good.replace('\n', "\r\n")),
            hours(&[WED]),
        ),
        case("an old version", file(&good).replace("VERSION:2.0", "VERSION:1.0"), hours(&[WED])),
    ]
}

fn no_calendars() -> Vec<Case> {
    let no = |name: &str, text: &str| case(name, text, Expected::Fails(Unreadable::NotACalendar));
    vec![
        no("nothing", ""),
        no("blank lines", "\r\n\r\n"),
        no("a page", "<!doctype html><html><body>Sign in</body></html>"),
        no("a page that quotes a calendar", "<pre>BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n</pre>"),
        no("JSON", "{\"error\":\"not found\"}"),
        no("a card", "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Asha\r\nEND:VCARD\r\n"),
        no("an event alone", &one_event("a", "DTSTART:20260715T043000Z")),
        no("bytes", "\u{fffd}\u{fffd}\0\0\0"),
        case("only a begin", "BEGIN:VCALENDAR\r\n", Expected::Fails(Unreadable::Incomplete)),
        case(
            "an error after a calendar",
            format!("{}Internal Server Error", file("")),
            Expected::Fails(Unreadable::Incomplete),
        ),
        case("begin and end alone", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", free()),
    ]
}

//! Series: rules, their ends, exceptions, moved times.

use super::super::Unreadable;
use super::{Case, Expected, case, event, file, hours, one, one_event};

/// An hour at ten in Bhopal on the 15th of July, a Wednesday, with these further lines.
fn series(lines: &str) -> String {
    event(&format!("DTSTART;TZID=Asia/Kolkata:20260715T100000\nDURATION:PT1H\n{lines}"))
}

/// At ten on these dates of July and later.
fn at_ten(dates: &[&str]) -> Expected {
    let starts: Vec<String> =
        dates.iter().map(|date| format!("2026-{date}T10:00[Asia/Kolkata]")).collect();
    hours(&starts.iter().map(String::as_str).collect::<Vec<_>>())
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = daily();
    cases.extend(monthly());
    cases.extend(rules());
    cases.extend(ends());
    cases.extend(exceptions());
    cases.extend(moved());
    cases.extend(moved_alone_or_for_good());
    cases.extend(bounds());
    cases
}

fn daily() -> Vec<Case> {
    let mut cases = Vec::new();
    for interval in 1..=4_i8 {
        for count in 1..=4_i8 {
            let text = series(&format!("RRULE:FREQ=DAILY;INTERVAL={interval};COUNT={count}"));
            let dates: Vec<String> =
                (0..count).map(|number| format!("07-{}", 15 + number * interval)).collect();
            let dates: Vec<&str> = dates.iter().map(String::as_str).collect();
            cases.push(case(format!("each {interval} days, {count} times"), text, at_ten(&dates)));
        }
    }
    cases
}

fn monthly() -> Vec<Case> {
    let mut cases = Vec::new();
    for day in [15, 20, 28, 30, 31] {
        let text = series(&format!("RRULE:FREQ=MONTHLY;BYMONTHDAY={day};UNTIL=20260901T000000Z"));
        let mut dates = vec!["07-15".to_owned()];
        dates.extend((day != 15).then(|| format!("07-{day}")));
        dates.push(format!("08-{day}"));
        let dates: Vec<&str> = dates.iter().map(String::as_str).collect();
        cases.push(case(format!("on the {day}th of each month"), text, at_ten(&dates)));
    }
    for (name, rule, dates) in [
        ("the last day", "BYMONTHDAY=-1", ["07-15", "07-31", "08-31", "09-30"]),
        ("the third Wednesday", "BYDAY=3WE", ["07-15", "08-19", "09-16", "10-21"]),
        ("the last Friday", "BYDAY=-1FR", ["07-15", "07-31", "08-28", "09-25"]),
        (
            "the first workday",
            "BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1",
            ["07-15", "08-03", "09-01", "10-01"],
        ),
        (
            "the last workday",
            "BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
            ["07-15", "07-31", "08-31", "09-30"],
        ),
        (
            "Friday the 13th or later",
            "BYDAY=FR;BYMONTHDAY=13,14,15,16",
            ["07-15", "08-14", "10-16", "11-13"],
        ),
    ] {
        let last = dates[3].replace('-', "");
        let text = series(&format!("RRULE:FREQ=MONTHLY;{rule};UNTIL=2026{last}T235959Z"));
        cases.push(case(name, text, at_ten(&dates)));
    }
    cases
}

fn rules() -> Vec<Case> {
    vec![
        case(
            "three days a week",
            series("RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=5"),
            at_ten(&["07-15", "07-17", "07-20", "07-22", "07-24"]),
        ),
        case(
            "every other week, weeks from Sunday",
            series("RRULE:FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,WE;COUNT=4"),
            at_ten(&["07-15", "07-26", "07-29", "08-09"]),
        ),
        case(
            "every other week, weeks from Monday",
            series("RRULE:FREQ=WEEKLY;INTERVAL=2;WKST=MO;BYDAY=SU,WE;COUNT=4"),
            at_ten(&["07-15", "07-19", "07-29", "08-02"]),
        ),
        case(
            "a first time that the rule does not have",
            series("RRULE:FREQ=WEEKLY;BYDAY=TH;UNTIL=20260731T000000Z"),
            at_ten(&["07-15", "07-16", "07-23", "07-30"]),
        ),
        case(
            "a yearly one that began long ago",
            event("DTSTART;VALUE=DATE:19700715\nRRULE:FREQ=YEARLY"),
            one("2026-07-15T00:00[Asia/Kolkata]", 24 * 60),
        ),
        case(
            "a leap day, which 2026 does not have",
            event("DTSTART;VALUE=DATE:20240229\nRRULE:FREQ=YEARLY"),
            super::free(),
        ),
        case(
            "two rules",
            series("RRULE:FREQ=DAILY;COUNT=2\nRRULE:FREQ=WEEKLY;COUNT=2"),
            at_ten(&["07-15", "07-16", "07-22"]),
        ),
        case(
            "several times of a day",
            series("RRULE:FREQ=DAILY;COUNT=4;BYHOUR=10,14"),
            hours(&[
                "2026-07-15T10:00[Asia/Kolkata]",
                "2026-07-15T14:00[Asia/Kolkata]",
                "2026-07-16T10:00[Asia/Kolkata]",
                "2026-07-16T14:00[Asia/Kolkata]",
            ]),
        ),
        case(
            "each hour of a morning is one time",
            series("RRULE:FREQ=HOURLY;COUNT=3"),
            one("2026-07-15T10:00[Asia/Kolkata]", 180),
        ),
        case(
            "a rule in small letters with spaces at its end",
            series("RRULE:freq=daily;count=2 "),
            at_ten(&["07-15", "07-16"]),
        ),
        case(
            "more dates",
            series("RDATE;TZID=Asia/Kolkata:20260717T100000,20260720T100000"),
            at_ten(&["07-15", "07-17", "07-20"]),
        ),
        case(
            "a further period",
            series("RDATE;VALUE=PERIOD:20260717T043000Z/20260717T053000Z,20260720T043000Z/PT1H"),
            at_ten(&["07-15", "07-17", "07-20"]),
        ),
    ]
}

fn ends() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, until) in [
        // The last start itself is included.
        ("in UTC, at the last start", "20260717T043000Z"),
        ("in local time, at the last start", "20260717T100000"),
        ("a date, that of the last start", "20260717"),
        ("in UTC, before the next start", "20260718T042959Z"),
        ("in local time, before the next start", "20260718T095959"),
    ] {
        let text = series(&format!("RRULE:FREQ=DAILY;UNTIL={until}"));
        let expected = at_ten(&["07-15", "07-16", "07-17"]);
        cases.push(case(format!("an end {name}"), text, expected));
    }
    for (name, until) in [("before the start", "20260101T000000Z"), ("a date before", "20260714")] {
        let text = series(&format!("RRULE:FREQ=DAILY;UNTIL={until}"));
        cases.push(case(format!("an end {name}"), text, at_ten(&["07-15"])));
    }
    // The last one is the midnight in Bhopal with which the last day begins.
    for until in ["20260717", "20260717T000000Z", "20260717T235959", "20260716T183000Z"] {
        let text = event(&format!("DTSTART;VALUE=DATE:20260715\nRRULE:FREQ=DAILY;UNTIL={until}"));
        let expected = one("2026-07-15T00:00[Asia/Kolkata]", 3 * 24 * 60);
        cases.push(case(format!("days that end {until}"), text, expected));
    }
    cases
}

fn exceptions() -> Vec<Case> {
    let rule = "RRULE:FREQ=DAILY;COUNT=4\n";
    let mut cases = Vec::new();
    for (name, line) in [
        ("in the series' zone", "EXDATE;TZID=Asia/Kolkata:20260716T100000"),
        ("in UTC", "EXDATE:20260716T043000Z"),
        ("in another zone", "EXDATE;TZID=Europe/Berlin:20260716T063000"),
        ("by its Windows name", "EXDATE;TZID=India Standard Time:20260716T100000"),
        ("as a date", "EXDATE;VALUE=DATE:20260716"),
        ("as a date without VALUE", "EXDATE:20260716"),
        ("without a zone", "EXDATE:20260716T100000"),
    ] {
        let expected = at_ten(&["07-15", "07-17", "07-18"]);
        cases.push(case(
            format!("an exception {name}"),
            series(&format!("{rule}{line}")),
            expected,
        ));
    }
    cases.push(case(
        "exceptions in one line and in several",
        series(&format!("{rule}EXDATE:20260715T043000Z,20260716T043000Z\nEXDATE:20260718T043000Z")),
        at_ten(&["07-17"]),
    ));
    cases.push(case(
        "an exception of a date in a series of dates",
        event("DTSTART;VALUE=DATE:20260715\nRRULE:FREQ=WEEKLY;COUNT=2\nEXDATE;VALUE=DATE:20260715"),
        one("2026-07-22T00:00[Asia/Kolkata]", 24 * 60),
    ));
    cases.push(case(
        "an exception at another hour excepts nothing",
        series(&format!("{rule}EXDATE:20260716T053000Z")),
        at_ten(&["07-15", "07-16", "07-17", "07-18"]),
    ));
    let odd = series(&format!("{rule}EXDATE:yesterday"));
    let Expected::Busy(times) = at_ten(&["07-15", "07-16", "07-17", "07-18"]) else { return cases };
    cases.push(case("an exception that is no date", odd, Expected::Odd(times, 1)));
    cases
}

/// Another hour of the series' second day.
const LATER: &str = "DTSTART;TZID=Asia/Kolkata:20260716T150000\nDURATION:PT1H";

/// A series of three days at ten.
fn master() -> String {
    one_event(
        "s",
        "SEQUENCE:1\nDTSTART;TZID=Asia/Kolkata:20260715T100000\nDURATION:PT1H\n\
         RRULE:FREQ=DAILY;COUNT=3",
    )
}

/// The series with its second day moved.
fn second_moved() -> Expected {
    hours(&[
        "2026-07-15T10:00[Asia/Kolkata]",
        "2026-07-16T15:00[Asia/Kolkata]",
        "2026-07-17T10:00[Asia/Kolkata]",
    ])
}

fn moved() -> Vec<Case> {
    let master = master();
    let with = |lines: &str| file(&format!("{master}{}", one_event("s", lines)));
    let (moved, to) = (second_moved(), LATER);
    let gone = at_ten(&["07-15", "07-17"]);
    let mut cases = Vec::new();
    for (name, which) in [
        ("with its zone", "RECURRENCE-ID;TZID=Asia/Kolkata:20260716T100000"),
        ("in UTC", "RECURRENCE-ID:20260716T043000Z"),
        ("by a date", "RECURRENCE-ID;VALUE=DATE:20260716"),
    ] {
        cases.push(case(format!("moved {name}"), with(&format!("{which}\n{to}")), moved.clone()));
        let newer = with(&format!("SEQUENCE:7\n{which}\n{to}"));
        cases.push(case(format!("moved {name}, a newer version"), newer, moved.clone()));
        let cancelled = with(&format!("{which}\n{to}\nSTATUS:CANCELLED"));
        cases.push(case(format!("cancelled {name}"), cancelled, gone.clone()));
        let free = with(&format!("{which}\n{to}\nTRANSP:TRANSPARENT"));
        cases.push(case(format!("marked as free {name}"), free, gone.clone()));
    }
    cases
}

fn moved_alone_or_for_good() -> Vec<Case> {
    let master = master();
    let with = |lines: &str| file(&format!("{master}{}", one_event("s", lines)));
    let mut cases = Vec::new();
    let first = one_event("s", &format!("RECURRENCE-ID:20260716T043000Z\n{LATER}"));
    cases.push(case(
        "the exception stands first",
        file(&format!("{first}{master}")),
        second_moved(),
    ));
    cases.push(case(
        "an exception without its series",
        file(&first),
        one("2026-07-16T15:00[Asia/Kolkata]", 60),
    ));
    cases.push(case(
        "of two versions of an exception the newer counts",
        file(&format!(
            "{master}{}{first}",
            one_event(
                "s",
                "SEQUENCE:2\nRECURRENCE-ID:20260716T043000Z\nDTSTART:20260716T043000Z\n\
                STATUS:CANCELLED"
            )
        )),
        at_ten(&["07-15", "07-17"]),
    ));
    cases.push(case(
        "all later times are moved",
        with(
            "RECURRENCE-ID;RANGE=THISANDFUTURE:20260716T043000Z\nDTSTART:20260716T093000Z\n\
            DURATION:PT1H",
        ),
        hours(&[
            "2026-07-15T10:00[Asia/Kolkata]",
            "2026-07-16T15:00[Asia/Kolkata]",
            "2026-07-17T15:00[Asia/Kolkata]",
        ]),
    ));
    cases.push(case(
        "another event's exception is not ours",
        file(&format!(
            "{master}{}",
            one_event(
                "other",
                "RECURRENCE-ID:20260716T043000Z\nDTSTART:20260716T043000Z\nSTATUS:CANCELLED"
            )
        )),
        at_ten(&["07-15", "07-16", "07-17"]),
    ));
    cases
}

fn bounds() -> Vec<Case> {
    let many: String =
        (0..10_001).map(|n| one_event(&format!("{n}"), "DTSTART:20260715T000000Z")).collect();
    vec![
        case(
            "a series without an end is read until the window's end",
            event("DTSTART:20261230T043000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY"),
            hours(&["2026-12-30T10:00[Asia/Kolkata]", "2026-12-31T10:00[Asia/Kolkata]"]),
        ),
        case(
            "a huge number of times too",
            event("DTSTART:20261231T043000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=4000000000"),
            hours(&["2026-12-31T10:00[Asia/Kolkata]"]),
        ),
        case(
            "a rule that never gives a time",
            series("RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"),
            at_ten(&["07-15"]),
        ),
        case(
            "each minute",
            series("RRULE:FREQ=MINUTELY"),
            Expected::Fails(Unreadable::TooManyTimes),
        ),
        case(
            "each second",
            series("RRULE:FREQ=SECONDLY"),
            Expected::Fails(Unreadable::TooManyTimes),
        ),
        case(
            "each hour since 1990",
            event("DTSTART:19900101T000000Z\nDURATION:PT1M\nRRULE:FREQ=HOURLY"),
            Expected::Fails(Unreadable::TooManyTimes),
        ),
        case("too many events", file(&many), Expected::Fails(Unreadable::TooManyEvents)),
        case(
            "an event that began before the window",
            event("DTSTART:20251231T200000Z\nDTEND:20260101T010000Z"),
            one("2026-01-01T00:00:00Z[UTC]", 60),
        ),
        case(
            "an event that ends after the window",
            event("DTSTART:20261231T230000Z\nDTEND:20300101T010000Z"),
            one("2026-12-31T23:00:00Z[UTC]", 60),
        ),
        case(
            "an event of another year",
            event("DTSTART:20250715T043000Z\nDURATION:PT1H"),
            super::free(),
        ),
    ]
}

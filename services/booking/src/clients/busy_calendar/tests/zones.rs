//! Names and definitions of zones, in winter and in summer, and changes of the clock.

use super::{Case, Expected, case, event, file, one, one_event};

/// What programs call a zone, and which one it is.
const NAMES: &[(&str, &str)] = &[
    // IANA's names, old ones too.
    ("Asia/Kolkata", "Asia/Kolkata"),
    ("Asia/Calcutta", "Asia/Kolkata"),
    ("Asia/Katmandu", "Asia/Kathmandu"),
    ("Europe/Berlin", "Europe/Berlin"),
    ("Europe/Kiev", "Europe/Kyiv"),
    ("America/New_York", "America/New_York"),
    ("US/Pacific", "America/Los_Angeles"),
    ("Australia/Lord_Howe", "Australia/Lord_Howe"),
    ("Etc/GMT-5", "Etc/GMT-5"),
    ("Etc/UTC", "UTC"),
    ("UTC", "UTC"),
    ("GMT", "UTC"),
    // Windows' and Outlook's.
    ("India Standard Time", "Asia/Kolkata"),
    ("W. Europe Standard Time", "Europe/Berlin"),
    ("Central Europe Standard Time", "Europe/Budapest"),
    ("Romance Standard Time", "Europe/Paris"),
    ("GMT Standard Time", "Europe/London"),
    ("Eastern Standard Time", "America/New_York"),
    ("Central Standard Time", "America/Chicago"),
    ("Pacific Standard Time", "America/Los_Angeles"),
    ("Tokyo Standard Time", "Asia/Tokyo"),
    ("Singapore Standard Time", "Asia/Singapore"),
    ("Arabian Standard Time", "Asia/Dubai"),
    ("Sri Lanka Standard Time", "Asia/Colombo"),
    ("Nepal Standard Time", "Asia/Kathmandu"),
    ("AUS Eastern Standard Time", "Australia/Sydney"),
    ("(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi", "Asia/Kolkata"),
    ("(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna", "Europe/Berlin"),
    // Paths of Evolution, Mozilla and others.
    ("/freeassociation.sourceforge.net/Asia/Kolkata", "Asia/Kolkata"),
    ("/freeassociation.sourceforge.net/Tzfile/Europe/Berlin", "Europe/Berlin"),
    ("/softwarestudio.org/Olson_20011030_5/America/Chicago", "America/Chicago"),
    ("/mozilla.org/20070129_1/Europe/Berlin", "Europe/Berlin"),
    // Names without a definition, as Exchange, Kerio and others write them.
    ("tzone://Microsoft/Utc", "UTC"),
    ("http://tz.example/zoneinfo/Europe/Berlin", "Europe/Berlin"),
    ("GMT-0500", "Etc/GMT+5"),
    ("GMT+1", "Etc/GMT-1"),
    ("UTC+05:30", "Asia/Kolkata"),
    ("UTC -3", "Etc/GMT+3"),
    ("US-Eastern", "America/New_York"),
    ("Europe-Berlin", "Europe/Berlin"),
    ("America/New York", "America/New_York"),
    ("Amsterdam, Belgrade, Berlin, Brussels, Budapest, Madrid, Paris", "Europe/Berlin"),
    ("Eastern Time (US & Canada)", "America/New_York"),
    ("(GMT-05:00) Eastern Time (US & Canada)", "America/New_York"),
    ("(GMT+01:00) Amsterdam / Berlin / Bern / Rome", "Europe/Berlin"),
    ("(GMT+01.00) Amsterdam / Berlin / Bern / Rome", "Europe/Berlin"),
    ("UTC+5.30", "Asia/Kolkata"),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = named();
    cases.extend(defined());
    cases.extend(changes_of_the_clock());
    cases.extend(dates());
    cases
}

fn named() -> Vec<Case> {
    let mut cases = Vec::new();
    for (name, zone) in NAMES {
        for date in ["2026-01-15", "2026-07-15"] {
            let day = date.replace('-', "");
            let quoted =
                if name.contains([',', ':']) { format!("\"{name}\"") } else { (*name).to_owned() };
            let text = event(&format!(
                "DTSTART;TZID={quoted}:{day}T100000\nDTEND;TZID={quoted}:{day}T110000"
            ));
            let expected = one(&format!("{date}T10:00[{zone}]"), 60);
            cases.push(case(format!("{name} on {date}"), text, expected));
        }
    }
    cases
}

/// A definition of a zone with a name that says nothing.
fn definition(name: &str, halves: &str) -> String {
    format!("BEGIN:VTIMEZONE\nTZID:{name}\n{halves}END:VTIMEZONE\n")
}

fn half(kind: &str, start: &str, (from, to): (&str, &str), rule: &str) -> String {
    let rule = if rule.is_empty() { String::new() } else { format!("RRULE:{rule}\n") };
    format!(
        "BEGIN:{kind}\nDTSTART:{start}\nTZOFFSETFROM:{from}\nTZOFFSETTO:{to}\n{rule}END:{kind}\n"
    )
}

fn defined() -> Vec<Case> {
    let summer = "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU";
    let winter = "FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU";
    let berlin = [
        half("STANDARD", "19701025T030000", ("+0200", "+0100"), winter),
        half("DAYLIGHT", "19700329T020000", ("+0100", "+0200"), summer),
    ]
    .concat();
    let american = [
        half("DAYLIGHT", "20070311T020000", ("-0500", "-0400"), "FREQ=YEARLY;BYMONTH=3;BYDAY=2SU"),
        half("STANDARD", "20071104T020000", ("-0400", "-0500"), "FREQ=YEARLY;BYMONTH=11;BYDAY=1SU"),
    ]
    .concat();
    let india = half("STANDARD", "16010101T000000", ("+0530", "+0530"), "");
    let with = |name: &str, halves: &str, date: &str| {
        let lines = format!("DTSTART;TZID={name}:{date}T100000\nDTEND;TZID={name}:{date}T110000");
        file(&format!("{}{}", definition(name, halves), one_event("a", &lines)))
    };
    let mut cases = Vec::new();
    for (name, halves, zone) in [
        ("Customized Time Zone", &berlin, "Europe/Berlin"),
        ("tzone://Microsoft/Custom", &american, "America/New_York"),
        ("My own", &india, "Asia/Kolkata"),
        // A description counts less than the definition beside it.
        ("(GMT+01.00) Amsterdam / Berlin / Bern / Rom", &berlin, "Europe/Berlin"),
        ("(GMT-05.00) Our office", &american, "America/New_York"),
        ("(UTC+05:30) Bhopal", &india, "Asia/Kolkata"),
        // A well-known name counts more than its definition.
        ("Asia/Kolkata", &berlin, "Asia/Kolkata"),
        ("India Standard Time", &american, "Asia/Kolkata"),
    ] {
        let quoted = if name.contains(':') { format!("\"{name}\"") } else { name.to_owned() };
        for date in ["2026-01-15", "2026-03-20", "2026-07-15", "2026-10-30"] {
            let text = with(&quoted, halves, &date.replace('-', ""));
            let text = text.replace(&format!("TZID:{quoted}"), &format!("TZID:{name}"));
            let expected = one(&format!("{date}T10:00[{zone}]"), 60);
            cases.push(case(format!("defined {name} on {date}"), text, expected));
        }
    }
    let exchange = "(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi";
    let lines = format!("DTSTART;TZID=\"{exchange}\":20260715T100000\nDURATION:PT1H");
    let described = definition(&exchange.replace(',', "\\,"), &india);
    let text = file(&format!("{described}{}", one_event("a", &lines)));
    cases.push(case("Exchange's India", text, one("2026-07-15T10:00[Asia/Kolkata]", 60)));
    let located = definition("Home", "X-LIC-LOCATION:Europe/Berlin\n");
    let lines = "DTSTART;TZID=Home:20260715T100000\nDTEND;TZID=Home:20260715T110000";
    let text = file(&format!("{located}{}", one_event("a", lines)));
    cases.push(case("a zone by X-LIC-LOCATION", text, one("2026-07-15T10:00[Europe/Berlin]", 60)));
    let text = event("DTSTART;TZID=Atlantis:20260715T100000\nDTEND;TZID=Atlantis:20260715T110000");
    // From ten o'clock in the easternmost zone to eleven in the westernmost.
    let expected = Expected::Odd(vec![("2026-07-14T20:00:00Z[UTC]".to_owned(), 27 * 60)], 2);
    cases.push(case("a zone that is not known may be any", text, expected));
    cases.extend(listed());
    cases
}

/// Definitions whose changes are listed, or end.
fn listed() -> Vec<Case> {
    let to_summer = ("+0100", "+0200");
    let to_winter = ("+0200", "+0100");
    let dates = |start: &str, more: &str| format!("{start}\nRDATE:{more}");
    let by_dates = [
        half("STANDARD", &dates("20251026T030000", "20261025T030000"), to_winter, ""),
        half("DAYLIGHT", &dates("20250330T020000", "20260329T020000"), to_summer, ""),
    ]
    .concat();
    let by_ends = [
        half(
            "STANDARD",
            "20201025T030000",
            to_winter,
            "FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU;UNTIL=20261025T010000Z",
        ),
        half(
            "DAYLIGHT",
            "20210328T020000",
            to_summer,
            "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=20260329T010000Z",
        ),
    ]
    .concat();
    // Each half of the year by itself, as some servers write only what an event needs.
    let by_year = [
        half("DAYLIGHT", "20260329T020000", to_summer, ""),
        half("STANDARD", "20261025T030000", to_winter, ""),
    ]
    .concat();
    // Summer time that was given up: its rule has ended.
    let given_up = [
        half("STANDARD", "19801026T030000", to_winter, "FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU"),
        half(
            "DAYLIGHT",
            "19810329T020000",
            to_summer,
            "FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;UNTIL=20200329T010000Z",
        ),
    ]
    .concat();
    let mut cases = Vec::new();
    for (name, halves, zone) in [
        ("Custom Berlin", &by_dates, "Europe/Berlin"),
        ("Ends", &by_ends, "Europe/Berlin"),
        ("One year", &by_year, "Europe/Berlin"),
        ("Given up", &given_up, "Etc/GMT-1"),
    ] {
        for date in ["2026-01-15", "2026-03-30", "2026-04-12", "2026-10-24", "2026-10-26"] {
            let day = date.replace('-', "");
            let lines = format!("DTSTART;TZID={name}:{day}T160000\nDURATION:PT1H");
            let text = file(&format!("{}{}", definition(name, halves), one_event("a", &lines)));
            let expected = one(&format!("{date}T16:00[{zone}]"), 60);
            cases.push(case(format!("{name} on {date}"), text, expected));
        }
    }
    let odd = half("STANDARD", "soon", to_winter, "");
    let lines = "DTSTART;TZID=Odd:20260715T100000\nDURATION:PT1H";
    let text = file(&format!("{}{}", definition("Odd", &odd), one_event("a", lines)));
    let expected = Expected::Odd(vec![("2026-07-14T20:00:00Z[UTC]".to_owned(), 27 * 60)], 1);
    cases.push(case("a definition that says nothing", text, expected));
    cases
}

fn changes_of_the_clock() -> Vec<Case> {
    let berlin = |lines: &str| event(&lines.replace("@", ";TZID=Europe/Berlin:"));
    vec![
        // 02:30 does not exist on that night; it is read with the offset before the change.
        case(
            "a start in a gap",
            berlin("DTSTART@20260329T023000\nDURATION:PT1H"),
            one("2026-03-29T01:30:00Z[UTC]", 60),
        ),
        // 02:30 comes twice; the first one counts.
        case(
            "a start in a repeated hour",
            berlin("DTSTART@20261025T023000\nDURATION:PT1H"),
            one("2026-10-25T00:30:00Z[UTC]", 60),
        ),
        case(
            "a series across a gap stays at its local time",
            berlin("DTSTART@20260327T090000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=4"),
            super::hours(&[
                "2026-03-27T09:00[Europe/Berlin]",
                "2026-03-28T09:00[Europe/Berlin]",
                "2026-03-29T09:00[Europe/Berlin]",
                "2026-03-30T09:00[Europe/Berlin]",
            ]),
        ),
        case(
            "one time of a series falls into the gap",
            berlin("DTSTART@20260328T023000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=3"),
            super::hours(&[
                "2026-03-28T01:30:00Z[UTC]",
                "2026-03-29T01:30:00Z[UTC]",
                "2026-03-30T00:30:00Z[UTC]",
            ]),
        ),
        case(
            "one time of a series comes twice",
            berlin("DTSTART@20261024T023000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=3"),
            super::hours(&[
                "2026-10-24T00:30:00Z[UTC]",
                "2026-10-25T00:30:00Z[UTC]",
                "2026-10-26T01:30:00Z[UTC]",
            ]),
        ),
        case(
            "a series in UTC does not move",
            event("DTSTART:20260328T083000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=2"),
            super::hours(&["2026-03-28T08:30:00Z[UTC]", "2026-03-29T08:30:00Z[UTC]"]),
        ),
        case(
            "start and end in different zones",
            event(
                "DTSTART;TZID=Asia/Kolkata:20260715T100000\n\
                 DTEND;TZID=Europe/Berlin:20260715T080000",
            ),
            one("2026-07-15T10:00[Asia/Kolkata]", 90),
        ),
        case(
            "an end in UTC of a local start",
            event("DTSTART;TZID=Asia/Kolkata:20260715T100000\nDTEND:20260715T053000Z"),
            one("2026-07-15T10:00[Asia/Kolkata]", 60),
        ),
        case(
            "an end without a zone is in the start's",
            event("DTSTART;TZID=Europe/Berlin:20260715T100000\nDTEND:20260715T110000"),
            one("2026-07-15T10:00[Europe/Berlin]", 60),
        ),
    ]
}

fn dates() -> Vec<Case> {
    let day = 24 * 60;
    let kolkata = |date: &str| format!("{date}T00:00[Asia/Kolkata]");
    let mut cases = vec![
        case(
            "a whole day is the practice's day",
            event("DTSTART;VALUE=DATE:20260715\nDTEND;VALUE=DATE:20260716"),
            one(&kolkata("2026-07-15"), day),
        ),
        case(
            "a whole day without an end",
            event("DTSTART;VALUE=DATE:20260715"),
            one(&kolkata("2026-07-15"), day),
        ),
        case(
            "a whole day that ends on itself",
            event("DTSTART;VALUE=DATE:20260715\nDTEND;VALUE=DATE:20260715"),
            one(&kolkata("2026-07-15"), day),
        ),
        case(
            "a date without VALUE",
            event("DTSTART:20260715\nDTEND:20260717"),
            one(&kolkata("2026-07-15"), 2 * day),
        ),
        case(
            "a date with a zone",
            event("DTSTART;VALUE=DATE;TZID=America/New_York:20260715"),
            one(&kolkata("2026-07-15"), day),
        ),
        case(
            "a week away",
            event("DTSTART;VALUE=DATE:20260713\nDURATION:P1W"),
            one(&kolkata("2026-07-13"), 7 * day),
        ),
        case(
            "a time without a zone is the practice's",
            event("DTSTART:20260715T100000\nDTEND:20260715T110000"),
            one("2026-07-15T10:00[Asia/Kolkata]", 60),
        ),
        case(
            "an end at 24:00",
            event("DTSTART:20260715T230000\nDTEND:20260715T240000"),
            one("2026-07-15T23:00[Asia/Kolkata]", 60),
        ),
    ];
    let floating = one_event("a", "DTSTART:20260715T100000\nDTEND:20260715T110000");
    cases.push(case(
        "a time without a zone is the calendar's",
        file(&format!("X-WR-TIMEZONE:Europe/Berlin\n{floating}")),
        one("2026-07-15T10:00[Europe/Berlin]", 60),
    ));
    cases
}

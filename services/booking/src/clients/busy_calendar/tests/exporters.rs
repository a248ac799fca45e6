//! What Google, Outlook, Apple, Nextcloud, Fastmail, Proton and others write.

use super::{Case, Expected, case, event, file, free, hours, one, one_event};

const WED: &str = "2026-07-15T10:00[Asia/Kolkata]";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = programs();
    cases.extend(statuses());
    cases.extend(several());
    cases.extend(lists_of_busy_times());
    cases
}

fn programs() -> Vec<Case> {
    vec![
        case(
            "Google: a series with a cancelled and a moved time",
            file(GOOGLE),
            hours(&[WED, "2026-07-22T12:00[Asia/Kolkata]", "2026-08-05T10:00[Asia/Kolkata]"]),
        ),
        case("Outlook, published", file(OUTLOOK), hours(&[WED, "2026-07-22T10:00[Asia/Kolkata]"])),
        case("Apple", file(APPLE), one(WED, 45)),
        case("Nextcloud", file(NEXTCLOUD), one("2026-07-15T10:00[Europe/Berlin]", 30)),
        case("Fastmail", file(FASTMAIL), hours(&[WED, "2026-07-22T10:00[Asia/Kolkata]"])),
        case("Proton", file(PROTON), hours(&["2026-07-15T10:00[Europe/Zurich]"])),
        case(
            "Airbnb: dates that are reserved",
            file(
                "BEGIN:VEVENT\nDTEND;VALUE=DATE:20260718\nDTSTART;VALUE=DATE:20260715\n\
                 UID:1418fb94e984-1@airbnb.com\nSUMMARY:Reserved\nEND:VEVENT",
            ),
            one("2026-07-15T00:00[Asia/Kolkata]", 3 * 24 * 60),
        ),
        case(
            "Thunderbird: a snoozed alarm",
            event(
                "LAST-MODIFIED:20260101T000000Z\nDTSTART;TZID=Asia/Kolkata:20260715T100000\n\
                 DTEND;TZID=Asia/Kolkata:20260715T110000\nX-MOZ-GENERATION:4\n\
                 X-MOZ-SNOOZE-TIME-1784091600000000:20260715T042000Z\nBEGIN:VALARM\n\
                 TRIGGER;RELATED=START:-PT15M\nDURATION:PT5M\nREPEAT:3\nACTION:DISPLAY\n\
                 END:VALARM",
            ),
            hours(&[WED]),
        ),
        case(
            "a session of ours, saved from a mail",
            file(&one_event(
                "bkg_019340000000700080000000000000ab-0@bookings.sukoon",
                "DTSTART:20260715T043000Z\nDURATION:PT1H",
            )),
            free(),
        ),
        case(
            "a session of another practice with the same program",
            file(&one_event(
                "bkg_019340000000700080000000000000ac-0@bookings.sukoon",
                "DTSTART:20260715T043000Z\nDURATION:PT1H",
            )),
            hours(&[WED]),
        ),
        case(
            "tasks and journals close nothing",
            file(
                "BEGIN:VTODO\nUID:t\nDTSTART:20260715T043000Z\nDUE:20260715T053000Z\nEND:VTODO\n\
                 BEGIN:VJOURNAL\nUID:j\nDTSTART:20260715T043000Z\nEND:VJOURNAL\n",
            ),
            free(),
        ),
    ]
}

fn several() -> Vec<Case> {
    vec![
        case("an empty calendar", file(""), free()),
        case(
            "two calendars in one file",
            format!(
                "{}{}",
                event("DTSTART:20260715T043000Z\nDURATION:PT1H"),
                event("DTSTART:20260716T043000Z\nDURATION:PT1H")
            ),
            hours(&[WED, "2026-07-16T10:00[Asia/Kolkata]"]),
        ),
        case(
            "events that overlap and touch are one time",
            file(
                &[
                    one_event("a", "DTSTART:20260715T043000Z\nDURATION:PT1H"),
                    one_event("b", "DTSTART:20260715T050000Z\nDURATION:PT1H"),
                    one_event("c", "DTSTART:20260715T060000Z\nDURATION:PT30M"),
                    one_event("d", "DTSTART:20260715T044500Z\nDURATION:PT5M"),
                ]
                .concat(),
            ),
            one(WED, 120),
        ),
        case(
            "different events with the same id",
            file(
                &[
                    one_event("same", "DTSTART:20260715T043000Z\nDURATION:PT1H"),
                    one_event("same", "DTSTART:20260716T043000Z\nDURATION:PT1H"),
                ]
                .concat(),
            ),
            hours(&[WED, "2026-07-16T10:00[Asia/Kolkata]"]),
        ),
    ]
}

/// An hour on Wednesday with these lines, busy or not.
fn statuses() -> Vec<Case> {
    let hour = "DTSTART:20260715T043000Z\nDURATION:PT1H\n";
    let mut cases = Vec::new();
    for (lines, is_busy) in [
        ("TRANSP:OPAQUE", true),
        ("TRANSP:TRANSPARENT", false),
        ("TRANSP:transparent", false),
        ("STATUS:CONFIRMED", true),
        ("STATUS:TENTATIVE", true),
        ("STATUS:CANCELLED", false),
        ("STATUS:CANCELLED\nTRANSP:OPAQUE", false),
        ("X-MICROSOFT-CDO-BUSYSTATUS:BUSY", true),
        ("X-MICROSOFT-CDO-BUSYSTATUS:OOF", true),
        ("X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE", true),
        ("X-MICROSOFT-CDO-BUSYSTATUS:FREE", false),
        ("TRANSP:OPAQUE\nX-MICROSOFT-CDO-BUSYSTATUS:FREE", true),
        ("TRANSP:TRANSPARENT\nX-MICROSOFT-CDO-BUSYSTATUS:BUSY", false),
        ("CLASS:PRIVATE\nSUMMARY:Busy", true),
        ("STATUS:SOMETHING", true),
        ("TRANSP:SOMETHING", true),
    ] {
        let expected = if is_busy { hours(&[WED]) } else { free() };
        cases.push(case(lines.replace('\n', ", "), event(&format!("{hour}{lines}")), expected));
    }
    for (lines, minutes) in [
        ("DTSTART:20260715T043000Z\nDURATION:P1D", 24 * 60),
        ("DTSTART:20260715T043000Z\nDURATION:P1DT2H30M", 26 * 60 + 30),
        ("DTSTART:20260715T043000Z\nDURATION:PT90M", 90),
        ("DTSTART:20260715T043000Z\nDURATION:+PT15M", 15),
        ("DTSTART:20260715T043000Z\nDURATION:PT3600S", 60),
        ("DTSTART:20260715T043000Z\nDTEND:20260716T043000Z", 24 * 60),
    ] {
        cases.push(case(lines.replace('\n', ", "), event(lines), one(WED, minutes)));
    }
    let nothing = "DTSTART:20260715T043000Z";
    cases.push(case("an event without an end takes no time", event(nothing), free()));
    let same = "DTSTART:20260715T043000Z\nDTEND:20260715T043000Z";
    cases.push(case("an event that ends at its start", event(same), free()));
    let backwards = "DTSTART:20260715T043000Z\nDTEND:20260715T033000Z";
    let odd = Expected::Odd(Vec::new(), 1);
    cases.push(case("an event that ends before its start", event(backwards), odd));
    cases
}

fn lists_of_busy_times() -> Vec<Case> {
    let list = |lines: &str| file(&format!("BEGIN:VFREEBUSY\nUID:f\n{lines}\nEND:VFREEBUSY"));
    vec![
        case(
            "periods",
            list("FREEBUSY:20260715T043000Z/20260715T053000Z,20260716T043000Z/PT1H"),
            hours(&[WED, "2026-07-16T10:00[Asia/Kolkata]"]),
        ),
        case(
            "kinds of periods",
            list(
                "FREEBUSY;FBTYPE=BUSY:20260715T043000Z/PT1H\n\
                 FREEBUSY;FBTYPE=FREE:20260716T043000Z/PT1H\n\
                 FREEBUSY;FBTYPE=BUSY-TENTATIVE:20260717T043000Z/PT1H\n\
                 FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20260718T043000Z/PT1H",
            ),
            hours(&[WED, "2026-07-17T10:00[Asia/Kolkata]", "2026-07-18T10:00[Asia/Kolkata]"]),
        ),
    ]
}

const GOOGLE: &str = "\
CALSCALE:GREGORIAN
METHOD:PUBLISH
X-WR-CALNAME:someone@example.org
X-WR-TIMEZONE:Asia/Kolkata
BEGIN:VTIMEZONE
TZID:Asia/Kolkata
X-LIC-LOCATION:Asia/Kolkata
BEGIN:STANDARD
TZOFFSETFROM:+0530
TZOFFSETTO:+0530
TZNAME:GMT+5:30
DTSTART:19700101T000000
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
DTSTART;TZID=Asia/Kolkata:20260722T120000
DTEND;TZID=Asia/Kolkata:20260722T130000
DTSTAMP:20260701T000000Z
UID:4hq5bq1k@google.com
RECURRENCE-ID;TZID=Asia/Kolkata:20260722T100000
SEQUENCE:3
STATUS:CONFIRMED
SUMMARY:Yoga
TRANSP:OPAQUE
END:VEVENT
BEGIN:VEVENT
DTSTART;TZID=Asia/Kolkata:20260715T100000
DTEND;TZID=Asia/Kolkata:20260715T110000
RRULE:FREQ=WEEKLY;WKST=MO;UNTIL=20260805T182959Z;BYDAY=WE
EXDATE;TZID=Asia/Kolkata:20260729T100000
DTSTAMP:20260701T000000Z
UID:4hq5bq1k@google.com
SEQUENCE:2
STATUS:CONFIRMED
SUMMARY:Yoga
TRANSP:OPAQUE
END:VEVENT
";

const OUTLOOK: &str = "\
METHOD:PUBLISH
X-WR-CALNAME:Calendar
BEGIN:VTIMEZONE
TZID:India Standard Time
BEGIN:STANDARD
DTSTART:16010101T000000
TZOFFSETFROM:+0530
TZOFFSETTO:+0530
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T000000
TZOFFSETFROM:+0530
TZOFFSETTO:+0530
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
DESCRIPTION:\\n
RRULE:FREQ=WEEKLY;UNTIL=20260722T043000Z;INTERVAL=1;BYDAY=WE;WKST=MO
UID:040000008200E00074C5B7101A82E008
SUMMARY:Busy
DTSTART;TZID=India Standard Time:20260715T100000
DTEND;TZID=India Standard Time:20260715T110000
CLASS:PUBLIC
PRIORITY:5
DTSTAMP:20260701T000000Z
TRANSP:OPAQUE
STATUS:CONFIRMED
SEQUENCE:0
X-MICROSOFT-CDO-APPT-SEQUENCE:0
X-MICROSOFT-CDO-BUSYSTATUS:BUSY
X-MICROSOFT-CDO-INTENDEDSTATUS:BUSY
X-MICROSOFT-CDO-ALLDAYEVENT:FALSE
X-MICROSOFT-CDO-INSTTYPE:1
END:VEVENT
BEGIN:VEVENT
UID:040000008200E00074C5B7101A82E009
SUMMARY:Free
DTSTART;TZID=India Standard Time:20260716T100000
DTEND;TZID=India Standard Time:20260716T110000
DTSTAMP:20260701T000000Z
TRANSP:TRANSPARENT
X-MICROSOFT-CDO-BUSYSTATUS:FREE
END:VEVENT
";

const APPLE: &str = "\
CALSCALE:GREGORIAN
BEGIN:VTIMEZONE
TZID:Asia/Kolkata
BEGIN:STANDARD
TZOFFSETFROM:+0630
DTSTART:19451015T000000
TZNAME:GMT+5:30
TZOFFSETTO:+0530
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
CREATED:20260701T000000Z
UID:2D9A5CF5-0000-4A1B-8B7E-000000000000
DTEND;TZID=Asia/Kolkata:20260715T104500
X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC
TRANSP:OPAQUE
SUMMARY:Dentist
DTSTART;TZID=Asia/Kolkata:20260715T100000
DTSTAMP:20260701T000000Z
X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-ADDRESS=\"1 Road\\nBhopal\";X-APPLE-R
 ADIUS=70;X-TITLE=\"Dentist, Dr. \":geo:23.233,77.434
SEQUENCE:0
BEGIN:VALARM
X-WR-ALARMUID:00000000
UID:00000000
TRIGGER:-PT30M
ACTION:DISPLAY
END:VALARM
END:VEVENT
";

const NEXTCLOUD: &str = "\
CALSCALE:GREGORIAN
X-WR-CALNAME:Personal
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:DAYLIGHT
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
TZNAME:CEST
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
BEGIN:STANDARD
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
TZNAME:CET
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
CREATED:20260701T000000Z
DTSTAMP:20260701T000000Z
LAST-MODIFIED:20260701T000000Z
SEQUENCE:2
UID:7d5f3f0e-0000-4000-8000-000000000000
DTSTART;TZID=Europe/Berlin:20260715T100000
DTEND;TZID=Europe/Berlin:20260715T103000
STATUS:CONFIRMED
SUMMARY:Call
ATTENDEE;CN=Asha;PARTSTAT=DECLINED:mailto:asha@example.org
END:VEVENT
";

const FASTMAIL: &str = "\
CALSCALE:GREGORIAN
BEGIN:VEVENT
DTSTAMP:20260701T000000Z
DTSTART:20260715T043000Z
DURATION:PT1H
RRULE:FREQ=WEEKLY;UNTIL=20260731T000000Z
EXDATE:20260729T043000Z
SEQUENCE:0
SUMMARY:English
TRANSP:OPAQUE
UID:3884575i-hashauto
X-JMAP-ID;VALUE=TEXT:1
END:VEVENT
";

const PROTON: &str = "\
METHOD:PUBLISH
CALSCALE:GREGORIAN
X-WR-CALNAME:Private
BEGIN:VTIMEZONE
TZID:Europe/Zurich
LAST-MODIFIED:20221105T024525Z
X-LIC-LOCATION:Europe/Zurich
BEGIN:DAYLIGHT
TZNAME:CEST
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
BEGIN:STANDARD
TZNAME:CET
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
UID:abc@proton.me
DTSTAMP:20260701T000000Z
DTSTART;TZID=Europe/Zurich:20260715T100000
DTEND;TZID=Europe/Zurich:20260715T110000
SEQUENCE:0
STATUS:CONFIRMED
X-PM-CONFERENCE-ID;X-PM-PROVIDER=1:
END:VEVENT
";

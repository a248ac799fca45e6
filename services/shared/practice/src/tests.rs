//! The demonstration practice's own file is read, and mistakes in it are named.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::civil::{Weekday, date, time};

use kernel::PracticeLate;

use super::{CalendarKind, Error, LEAD_ID, load, parse};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../deploy/local/practice")
}

/// The demonstration file with one text replaced by another.
fn with(old: &str, new: &str) -> Result<super::Practice, Error> {
    let text = fs::read_to_string(folder().join("practice.toml")).unwrap();
    assert!(text.contains(old), "{old}");
    parse(&text.replacen(old, new, 1), Path::new("practice.toml"))
}

#[test]
fn the_demonstration_practice_is_read() {
    let practice = load(&folder()).unwrap();
    assert_eq!(practice.practice.zone.iana_name(), Some("Asia/Kolkata"));
    assert_eq!(practice.availability.first_start, time(11, 0, 0, 0));
    assert_eq!(practice.availability.last_start, time(17, 0, 0, 0));
    assert_eq!(practice.availability.weekdays.first(), Some(&Weekday::Monday));
    assert_eq!(practice.policies.hold_minutes, 15);
    assert!(practice.figures.iter().any(|figure| figure.key == "happy_clients"));
}

#[test]
fn closed_days_and_blocked_times_are_read() {
    let blocked = "closed_dates = [\"2026-12-25\"]\n[[availability.blocked_times]]\n\
                   date = \"2026-12-01\"\nfrom = \"13:00\"\nto = \"15:00\"";
    let availability = with("closed_dates = []", blocked).unwrap().availability;
    assert!(availability.closed_dates.contains(&date(2026, 12, 25)));
    assert_eq!(availability.blocked_times[0].to, time(15, 0, 0, 0));
}

#[test]
fn a_key_that_is_unknown_or_missing_is_named_with_its_line() {
    let unknown = with("[policies]", "[policies]\nholdminutes = 3").unwrap_err().to_string();
    assert!(unknown.contains("holdminutes") && unknown.contains("line"), "{unknown}");
    let missing = with("hold_minutes = 15", "").unwrap_err().to_string();
    assert!(missing.contains("hold_minutes"), "{missing}");
}

#[test]
fn values_of_the_wrong_form_are_named() {
    for (old, new, told) in [
        ("Asia/Kolkata", "Asia/Bhopal", "IANA"),
        ("\"monday\", ", "\"Monday\", ", "weekday"),
        ("\"11:00\"", "\"eleven\"", "first_start"),
        ("hold_minutes = 15", "hold_minutes = \"15\"", "hold_minutes"),
    ] {
        let error = with(old, new).unwrap_err();
        assert!(matches!(error, Error::Malformed { .. }), "{error}");
        assert!(error.to_string().contains(told), "{error}");
    }
}

#[test]
fn values_that_cannot_be_meant_are_all_named_at_once() {
    let text = fs::read_to_string(folder().join("practice.toml")).unwrap();
    let text = text
        .replacen("step_minutes = 60", "step_minutes = 0", 1)
        .replacen("\"+917555550100\"", "\"07555\"", 1)
        .replacen("primary = \"#2B6355\"", "primary = \"green\"", 1)
        .replacen("notice_minutes = 15", "notice_minutes = 5", 1);
    let Err(Error::Wrong { problems, .. }) = parse(&text, Path::new("practice.toml")) else {
        panic!("it was accepted");
    };
    let keys: Vec<&str> = problems.iter().filter_map(|p| p.split(':').next()).collect();
    assert_eq!(
        keys,
        [
            "practice.phone",
            "availability.step_minutes",
            "availability.notice_minutes",
            "brand.primary"
        ]
    );
}

/// A mistake that is found when the first mail is sent, or the first client calls, is too late.
#[test]
fn numbers_and_addresses_that_lead_nowhere_are_named() {
    for (old, wrong, told) in [
        ("+917555550100", "+07555550100", "practice.phone: it must be + and 8 to 15 digits"),
        ("+917555550100", "+91 7555550100", "practice.phone: it must be + and 8 to 15 digits"),
        ("hello@sukoon.example", "hello@sukoon.", "practice.email: it must be an e-mail address"),
        ("hello@sukoon.example", "hello@@sukoon.example", "practice.email: it must be"),
        ("hello@sukoon.example", "hello@sukoon..example", "practice.email: it must be"),
        ("hello@sukoon.example", "mailto:hello@sukoon.example", "practice.email: it must be"),
        ("hello@sukoon.example", "hello@sukoon.example,a@b.example", "practice.email: it must be"),
        ("bookings@sukoon.example", "<bookings@sukoon.example>", "practice.notices_email: it must"),
    ] {
        let error = with(&format!("\"{old}\""), &format!("\"{wrong}\"")).unwrap_err().to_string();
        assert!(error.contains(told), "{wrong}: {error}");
    }
    for good in ["Hello@Sukoon.example", "hello+desk@sukoon.co.in", "hello@sükoon.example"] {
        let read = with("\"hello@sukoon.example\"", &format!("\"{good}\"")).unwrap();
        assert_eq!(read.practice.email, good);
    }
}

/// Practices keep their own copy of the file, which a newer version has to go on reading.
#[test]
fn a_file_that_is_older_than_a_setting_has_its_usual_value() {
    let reply = "reply_days_text = \"2-3 business days\"";
    let policies = with(reply, "").unwrap().policies;
    assert_eq!(policies.reply_days_text, "2-3 business days");
    let policies = with(reply, "reply_days_text = \"one day\"").unwrap().policies;
    assert_eq!(policies.reply_days_text, "one day");
    let empty = with(reply, "reply_days_text = \" \"").unwrap_err().to_string();
    assert!(empty.contains("policies.reply_days_text: it is empty"), "{empty}");
    let unsaid = with("wellbeing_note = ", "# ").unwrap().practice;
    assert_eq!(unsaid.wellbeing_note, "");
}

#[test]
fn no_site_may_show_the_widget_unless_the_file_lists_it() {
    assert!(load(&folder()).unwrap().embedding.origins.is_empty());
    assert!(with("[embedding]\norigins = []", "").unwrap().embedding.origins.is_empty());
    let listed = with("origins = []", "origins = [\"https://wellness.example\"]").unwrap();
    assert_eq!(listed.embedding.origins, ["https://wellness.example"]);
    let wrong = with("origins = []", "origins = [\"https://*\"]").unwrap_err().to_string();
    assert!(wrong.contains("embedding.origins: \"https://*\" is no origin"), "{wrong}");
    let unknown = with("origins = []", "origin = []").unwrap_err().to_string();
    assert!(unknown.contains("origin") && unknown.contains("line"), "{unknown}");
}

/// The demonstration file with a block at its end.
fn and(block: &str) -> Result<super::Practice, Error> {
    let text = fs::read_to_string(folder().join("practice.toml")).unwrap();
    parse(&format!("{text}\n{block}"), Path::new("practice.toml"))
}

#[test]
fn a_practice_has_one_practitioner_unless_it_names_more() {
    let practice = load(&folder()).unwrap();
    let all = practice.all_practitioners();
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].id.as_str(), all[0].name.as_str()), (LEAD_ID, "Meera Joshi"));
    assert!(!practice.has_several_practitioners());
}

#[test]
fn a_further_practitioner_has_own_hours_or_those_of_the_practice() {
    let practice = and("[[practitioners]]\npractitioner_id = \"ravi\"\nname = \"Ravi Menon\"\n\
         weekdays = [\"saturday\"]\nfirst_start = \"09:00\"\nclosed_dates = [\"2026-12-26\"]\n\
         [[practitioners]]\npractitioner_id = \"ila\"\nname = \"Ila Sen\"\nweekdays = []\n\
         blocked_times = [{ date = \"2026-12-01\", from = \"13:00\", to = \"14:00\" }]\n")
    .unwrap();
    let [lead, ravi, ila] = practice.all_practitioners().try_into().unwrap();
    assert_eq!((lead.id, lead.hours.first_start), (LEAD_ID.to_owned(), time(11, 0, 0, 0)));
    assert_eq!((ravi.id.as_str(), ravi.name.as_str()), ("ravi", "Ravi Menon"));
    assert_eq!(ravi.hours.weekdays, [Weekday::Saturday]);
    assert_eq!(ravi.hours.first_start, time(9, 0, 0, 0));
    assert_eq!(ravi.hours.last_start, time(17, 0, 0, 0));
    assert!(ravi.hours.closed_dates.contains(&date(2026, 12, 26)));
    assert_eq!(ravi.hours.step_minutes, lead.hours.step_minutes);
    assert_eq!(ila.hours.weekdays, []);
    assert_eq!(ila.hours.blocked_times.len(), 1);
    assert!(practice.has_several_practitioners());
    assert_eq!(practice.name_of_practitioner("ravi"), "Ravi Menon");
    assert_eq!(practice.name_of_practitioner(LEAD_ID), "Meera Joshi");
}

/// Bookings of a practitioner whose block was deleted still have to be shown.
#[test]
fn a_practitioner_who_is_gone_is_called_by_the_practices_name() {
    let practice = load(&folder()).unwrap();
    assert_eq!(practice.name_of_practitioner("unknown"), "Sukoon");
}

#[test]
fn mistakes_about_practitioners_are_named() {
    let ravi = "[[practitioners]]\npractitioner_id = \"ravi\"\nname = \"Ravi\"\n";
    for (block, told) in [
        (ravi.repeat(2), "practitioner_id: an id stands only once"),
        (ravi.replace("\"ravi\"", "\"lead\""), "practitioner_id: lead is the practitioner of"),
        (ravi.replace("\"ravi\"", "\"Ravi\""), "practitioner_id: it must be 1 to 32 small"),
        (ravi.replace("\"ravi\"", "\"\""), "practitioner_id: it must be 1 to 32 small"),
        (ravi.replace("\"Ravi\"", "\" \""), "practitioners.ravi.name: it is empty"),
        (format!("{ravi}last_start = \"10:00\"\n"), "practitioners.ravi.last_start: it must not"),
        (format!("{ravi}first_start = \"18:00\"\n"), "practitioners.ravi.last_start: it must not"),
        (
            format!("{ravi}weekdays = [\"monday\", \"monday\"]\n"),
            "practitioners.ravi.weekdays: a day stands only once",
        ),
        (
            format!(
                "{ravi}[[practitioners.blocked_times]]\n\
                 date = \"2026-12-01\"\nfrom = \"13:00\"\nto = \"13:00\"\n"
            ),
            "practitioners.ravi.blocked_times.to: it must be after from",
        ),
        (format!("{ravi}weekdays = [\"Monday\"]\n"), "a weekday is one of"),
        (format!("{ravi}hours = 3\n"), "unknown field `hours`"),
        (
            (0..20).map(|n| ravi.replace("ravi", &format!("p-{n}"))).collect(),
            "practitioners: there are at most 20",
        ),
    ] {
        let error = and(&block).unwrap_err().to_string();
        assert!(error.contains(told), "{told}\n{error}");
    }
}

#[test]
fn calendars_close_the_times_of_a_practitioner() {
    assert_eq!(load(&folder()).unwrap().calendars, []);
    let practice = and("[[calendars]]\ncalendar_id = \"google\"\nkind = \"address\"\n\
         invited_as = [\"asha@example.org\"]\n[[calendars]]\ncalendar_id = \"home\"\n\
         practitioner_id = \"ravi\"\nkind = \"caldav\"\n\
         url = \"https://dav.example/\"\nusername = \"ravi\"\n\
         [[practitioners]]\npractitioner_id = \"ravi\"\nname = \"Ravi\"\n")
    .unwrap();
    let [google, home] = practice.calendars.try_into().unwrap();
    assert_eq!((google.practitioner_id.as_str(), google.kind), (LEAD_ID, CalendarKind::Address));
    assert_eq!((home.practitioner_id.as_str(), home.kind), ("ravi", CalendarKind::Caldav));
    assert_eq!((google.invited_as, home.invited_as), (vec!["asha@example.org".to_owned()], vec![]));
}

#[test]
fn an_accounts_address_may_have_a_mail_address_in_its_path_and_no_user() {
    let of = |url: &str| {
        and(&format!(
            "[[calendars]]\ncalendar_id = \"a\"\nkind = \"caldav\"\nusername = \"ravi\"\n\
             url = \"{url}\"\n"
        ))
    };
    let fastmail = "https://caldav.example/dav/calendars/user/ravi@example.org/";
    assert_eq!(of(fastmail).unwrap().calendars[0].url, fastmail);
    for wrong in [
        "https://ravi:word@dav.example/",
        "https://ravi@dav.example",
        "https://ravi@dav.example?a=b",
        "https:///ravi:word@dav.example/",
    ] {
        let error = of(wrong).unwrap_err().to_string();
        assert!(error.contains("calendars.a.url: no name or password"), "{wrong}: {error}");
    }
}

#[test]
fn mistakes_about_calendars_are_named() {
    let address = "[[calendars]]\ncalendar_id = \"a\"\nkind = \"address\"\n";
    let caldav = "[[calendars]]\ncalendar_id = \"a\"\nkind = \"caldav\"\n\
                  url = \"https://dav.example\"\nusername = \"ravi\"\n";
    for (block, told) in [
        (address.repeat(2), "calendar_id: an id stands only once"),
        (address.replace("\"a\"", "\"A\""), "calendar_id: it must be 1 to 32 small"),
        (format!("{address}practitioner_id = \"x\"\n"), "practitioner_id: there is no such"),
        (format!("{address}url = \"https://a.example\"\n"), "calendars.a.url: the address"),
        (format!("{address}username = \"a\"\n"), "calendars.a.username: only a caldav"),
        (format!("{address}invited_as = [\"asha\"]\n"), "calendars.a.invited_as: each must"),
        (caldav.replace("https", "http"), "calendars.a.url: it must begin with https"),
        (caldav.replace("dav.", "ravi:word@dav."), "calendars.a.url: no name or password"),
        (caldav.replace("\"ravi\"", "\"\""), "calendars.a.username: it is empty"),
        (address.replace("address", "carddav"), "unknown variant `carddav`"),
        (
            (0..21).map(|n| address.replace("\"a\"", &format!("\"a-{n}\""))).collect(),
            "calendars: there are at most 20",
        ),
    ] {
        let error = and(&block).unwrap_err().to_string();
        assert!(error.contains(told), "{told}\n{error}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let error = load(Path::new("nowhere")).unwrap_err().to_string();
    assert!(error.contains("practice.toml cannot be read"), "{error}");
}

#[test]
fn the_policy_of_cancelled_sessions_is_read_in_steps() {
    let usual = load(&folder()).unwrap().policies;
    let percents = |policies: &super::Policies, notice| -> Vec<(u16, u8)> {
        let policy = policies.cancellation_policy(notice);
        policy.tiers().iter().map(|tier| (tier.until_hours, tier.refund_percent)).collect()
    };
    assert_eq!(percents(&usual, None), [(24, 100), (0, 0)]);
    let line = "reply_days_text = \"2-3 business days\"\n";
    let step = |hours: &str, percent: &str, given: &str| {
        let step = format!(
            "{line}[[policies.cancellation_steps]]\nuntil_hours = {hours}\n\
             refund_percent = {percent}\n\
             practice_late = \"{given}\"\n"
        );
        with(line, &step).map(|practice| practice.policies)
    };
    let half = step("12", "50", "20 %").unwrap();
    assert_eq!(percents(&half, None), [(24, 100), (12, 50), (0, 0)]);
    // A package with less notice than the step knows all or nothing.
    assert_eq!(percents(&half, Some(6)), [(6, 100), (0, 0)]);
    let tiers = half.cancellation_policy(None).tiers().to_vec();
    assert_eq!(tiers[1].practice_late, PracticeLate::Share(20));
    let version =
        |policies: &super::Policies| policies.cancellation_policy(None).version().to_owned();
    // The pages that are written ahead name them so, too (practice-files.ts).
    assert_eq!([version(&usual), version(&half)], ["09f801dd0ee0", "ce2dadfdd355"]);
    for (hours, percent, given, told) in [
        ("24", "50", "nothing", "policies.cancellation_steps: each step has fewer hours"),
        ("12", "100", "nothing", "policies.cancellation_steps: each step has fewer hours"),
        ("12", "0", "nothing", "policies.cancellation_steps: each step has fewer hours"),
        ("12", "50", "0%", "policies.practice_late: a share must be from 1% to 100%"),
        ("12", "50", "cake", "it must be \"nothing\", \"free session\" or a share"),
    ] {
        let error = step(hours, percent, given).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
}

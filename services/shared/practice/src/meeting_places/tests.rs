//! Where sessions take place is read for each practitioner, and mistakes are named.

use std::fs;
use std::path::Path;

use crate::meetings::{MeetingPlace, is_link};
use crate::{Error, Practice, parse};

const RAVI: &str = "[[practitioners]]\npractitioner_id = \"ravi\"\nname = \"Ravi\"\n";
const LINK: &str = "link = \"https://meet.example.org/asha?pwd=1\"\n";

/// The demonstration file with another practitioner and a block at its end.
fn and(block: &str) -> Result<Practice, Error> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../deploy/local/practice");
    let text = fs::read_to_string(folder.join("practice.toml")).unwrap();
    parse(&format!("{text}\n{RAVI}\n{block}"), Path::new("practice.toml"))
}

fn link(text: &str) -> MeetingPlace {
    MeetingPlace::Link(text.into())
}

#[test]
fn a_practice_without_the_table_meets_at_its_own_provider() {
    let practice = and("").unwrap();
    assert_eq!(practice.meeting_place("lead"), MeetingPlace::Own);
    assert_eq!(practice.meeting_place("gone"), MeetingPlace::Own);
}

#[test]
fn a_practitioner_has_a_place_of_their_own_or_the_practices() {
    let own = "[[meetings.practitioners]]\npractitioner_id = \"ravi\"\n\
               link = \"https://zoom.example/j/1\"\n";
    let practice = and(&format!("[meetings]\nprovider = \"link\"\n{LINK}{own}")).unwrap();
    let usual = link("https://meet.example.org/asha?pwd=1");
    assert_eq!(practice.meeting_place("lead"), usual);
    assert_eq!(practice.meeting_place("gone"), usual);
    assert_eq!(practice.meeting_place("ravi"), link("https://zoom.example/j/1"));
    let own = own.replace("link =", "provider = \"link\"\nlink =");
    let practice = and(&own).unwrap();
    assert_eq!(practice.meeting_place("lead"), MeetingPlace::Own);
    assert_eq!(practice.meeting_place("ravi"), link("https://zoom.example/j/1"));
    let shown = format!("{practice:?}");
    assert!(!shown.contains("zoom.example"), "a link is in what logs could have");
}

#[test]
fn mistakes_are_named() {
    let all = format!("[meetings]\nprovider = \"link\"\n{LINK}");
    let ravi = "[[meetings.practitioners]]\npractitioner_id = \"ravi\"\n";
    for (block, told) in [
        (all.replace("link\"\n", "skype\"\n"), "unknown variant `skype`"),
        (all.replace("link =", "url ="), "unknown field `url`"),
        (all.replace(LINK, ""), "meetings.link: with provider = \"link\" it must be given"),
        (
            format!("{}{ravi}{LINK}", all.replace(LINK, "")),
            "meetings.link: with provider = \"link\" it must be given",
        ),
        (
            format!("{ravi}provider = \"link\"\n"),
            "meetings.practitioners.ravi.link: with provider = \"link\" it must be given",
        ),
        (format!("[meetings]\n{LINK}"), "meetings.link: only provider = \"link\" has one"),
        (
            format!("{all}{ravi}provider = \"own\"\n{LINK}"),
            "meetings.practitioners.ravi.link: only provider = \"link\" has one",
        ),
        (all.replace("https", "http"), "meetings.link: it must be a link that begins with https"),
        (all.replace("meet.", "asha:word@meet."), "meetings.link: it must be a link"),
        (format!("{all}{ravi}{ravi}"), "practitioner_id: a practitioner stands only once"),
        (
            format!("{all}{}", ravi.replace("ravi", "ila")),
            "practitioner_id: \"ila\" is no practitioner of this file",
        ),
    ] {
        let error = and(&block).unwrap_err().to_string();
        assert!(error.contains(told), "{told}\n{error}");
        assert!(!error.contains("pwd=1") || error.contains("unknown"), "{error}");
    }
}

#[test]
fn a_link_has_a_host_and_no_user() {
    for good in [
        "https://meet.example.org",
        "https://us02web.zoom.us/j/81234567890?pwd=Q2FuYXJ5.1",
        "https://teams.microsoft.com/l/meetup-join/19%3ameeting_x%40thread.v2/0?context=%7b%7d",
        "https://Meet.Example.org:8443/Room#config.prejoin=false",
    ] {
        assert!(is_link(good), "{good}");
    }
    for wrong in [
        "",
        "meet.example.org/asha",
        "http://meet.example.org/asha",
        "https://",
        "https:///asha",
        "https://localhost/asha",
        "https://asha@meet.example.org",
        "https://meet.example.org@evil.example/",
        "https://meet.example.org\\@evil.example/",
        "https://meet.example.org:x/",
        "https://meet.example.org/a b",
        "https://meet.example.org/\u{e4}",
        "javascript:alert(1)",
    ] {
        assert!(!is_link(wrong), "{wrong}");
    }
}

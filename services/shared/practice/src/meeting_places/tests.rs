//! Where sessions take place is read for each practitioner, and mistakes are named.

use std::fs;
use std::path::Path;

use crate::meetings::{JitsiPlace, MeetingPlace, is_link};
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
fn a_jitsi_server_has_an_address_and_perhaps_an_application() {
    let jitsi = "[meetings]\nprovider = \"jitsi\"\nserver = \"https://Meet.example.org/\"\n";
    let plain = JitsiPlace {
        server: "https://meet.example.org".to_owned(),
        app_id: None,
        audience: "jitsi".to_owned(),
    };
    assert_eq!(plain.subject(), "meet.example.org");
    assert_eq!(and(jitsi).unwrap().meeting_place("ravi"), MeetingPlace::Jitsi(plain));
    let tenant = jitsi.replace(".org/", ".org:8443/asha");
    let tokens = format!("{tenant}app_id = \"sukoon\"\naudience = \"meet\"\n");
    let MeetingPlace::Jitsi(found) = and(&tokens).unwrap().meeting_place("lead") else {
        panic!("it is another place");
    };
    assert_eq!((found.app_id.as_deref(), found.audience.as_str()), (Some("sukoon"), "meet"));
    assert_eq!(found.subject(), "asha");
    for (block, told) in [
        (jitsi.replace("server = ", "# "), "meetings.server: it must be the address of a Jitsi"),
        (jitsi.replace("https", "http"), "meetings.server: it must be the address of a Jitsi"),
        (jitsi.replace(".org/", ".org/?a"), "meetings.server: it must be the address of a Jitsi"),
        (jitsi.replace("jitsi", "own"), "meetings.server: only provider = \"jitsi\" has one"),
        (format!("{jitsi}app_id = \"a b\"\n"), "meetings.app_id: it must be a word"),
        (format!("{jitsi}audience = \"a\"\n"), "meetings.audience: only a server with app_id"),
        (
            format!("{jitsi}fallback_link = \"http://a.example\"\n"),
            "meetings.fallback_link: it must be a link",
        ),
    ] {
        let error = and(&block).unwrap_err().to_string();
        assert!(error.contains(told), "{told}\n{error}");
    }
}

#[test]
fn a_meeting_at_zoom_has_a_user_of_the_practice_or_of_the_practitioner() {
    let zoom = "[meetings]\nprovider = \"zoom\"\nuser = \"asha@example.org\"\n";
    let own = "[[meetings.practitioners]]\npractitioner_id = \"ravi\"\nuser = \"me\"\n";
    let practice = and(&format!("{zoom}{own}")).unwrap();
    assert_eq!(practice.meeting_place("lead"), MeetingPlace::Zoom("asha@example.org".to_owned()));
    assert_eq!(practice.meeting_place("ravi"), MeetingPlace::Zoom("me".to_owned()));
    for (block, told) in [
        (zoom.replace("user = ", "# "), "meetings.user: with provider = \"zoom\" it must be"),
        (zoom.replace("asha@", "asha "), "meetings.user: with provider = \"zoom\" it must be"),
        (zoom.replace("\"zoom\"", "\"own\""), "meetings.user: only provider = \"zoom\" has one"),
        (own.to_owned(), "meetings.practitioners.ravi.user: only provider = \"zoom\" has one"),
    ] {
        let error = and(&block).unwrap_err().to_string();
        assert!(error.contains(told), "{told}\n{error}");
    }
}

#[test]
fn the_fallback_link_is_the_practitioners_or_the_practices() {
    let own = "[[meetings.practitioners]]\npractitioner_id = \"ravi\"\n\
               fallback_link = \"https://zoom.example/j/1\"\n";
    let practice = and(own).unwrap();
    assert_eq!(practice.fallback_link("lead"), None);
    assert_eq!(practice.fallback_link("ravi"), Some(&"https://zoom.example/j/1".into()));
    let usual = "[meetings]\nfallback_link = \"https://meet.example.org/spare\"\n";
    let practice = and(&format!("{usual}{own}")).unwrap();
    assert_eq!(practice.fallback_link("gone"), Some(&"https://meet.example.org/spare".into()));
    assert_eq!(practice.fallback_link("ravi"), Some(&"https://zoom.example/j/1".into()));
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

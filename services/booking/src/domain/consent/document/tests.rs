//! A consent file has everything that was agreed to, and is known again; a changed one is not.

use jiff::tz::TimeZone;
use kernel::Id;
use uuid::Uuid;

use super::super::GivenConsent;
use super::super::proof::{Channel, Proof};
use super::{BYTES_MAX, Document, Fingerprints, Verified, WeakKey, verify, write};

const KEY: &str = "the-key-of-consents-in-these-tests";
const TEXT: &str = "Consent to Online Session\n\n1. Age\n\nYou are 18 or older.\n";

fn given() -> GivenConsent {
    GivenConsent {
        id: Id::from_uuid(Uuid::from_u128(1)),
        customer_id: Id::from_uuid(Uuid::from_u128(2)),
        booking_id: Id::from_uuid(Uuid::from_u128(3)),
        version: "2026-11-25.0123456789abcdef".to_owned(),
        full_name: "आशा Rao".to_owned(),
        email: "asha@example.org".to_owned(),
        signature: "Asha".to_owned(),
        given_at: "2026-11-24T20:42:03.5Z".parse().unwrap(),
        withdrawn_at: None,
        proof: Proof::default(),
    }
}

fn file(given: &GivenConsent) -> Document {
    let zone = TimeZone::get("Asia/Kolkata").unwrap();
    write(given, TEXT, ("Sukoon", &zone), &Fingerprints::new(KEY).unwrap())
}

fn check(content: &str) -> Option<Verified> {
    verify(content, &Fingerprints::new(KEY).unwrap())
}

#[test]
fn a_file_says_what_was_agreed_to_by_whom_and_when() {
    let written = file(&given());
    insta::assert_snapshot!("consent_file", written.content);
    // The day is the practice's own.
    assert_eq!(written.filename, "consent-2026-11-25.txt");
    assert!(written.content.ends_with(&format!("\nFingerprint: {}\n", written.fingerprint)));
    let withdrawn_at = Some("2026-12-01T06:00:00Z".parse().unwrap());
    let withdrawn = file(&GivenConsent { withdrawn_at, ..given() }).content;
    assert!(withdrawn.contains("\nWithdrawn: 2026-12-01 11:30:00 +05:30 (2026-12-01T06:00:00Z)\n"));
}

#[test]
fn a_file_says_by_which_way_it_was_given() {
    let content = |proof| file(&GivenConsent { proof, ..given() }).content;
    assert!(content(Proof::default()).contains("\nWay: unknown; it was not recorded"));
    let account = content(Proof {
        channel: Channel::Account,
        session_id: Some(Uuid::from_u128(7)),
        network: Some("192.0.2.0/24".to_owned()),
        user_agent: Some("Firefox".to_owned()),
        ..Proof::default()
    });
    assert!(account.contains(
        "\nWay: the session of the client's account\n\
         Session: 00000000-0000-0000-0000-000000000007\nNetwork: 192.0.2.0/24\nBrowser: Firefox\n"
    ));
    let page = content(Proof {
        channel: Channel::Page,
        page_key: Some("0123abcd".to_owned()),
        code_mailed_to: Some("asha@example.org".to_owned()),
        code_confirmed_at: Some("2026-11-24T20:42:00Z".parse().unwrap()),
        ..Proof::default()
    });
    assert!(page.contains(
        "\nWay: the page of a booking made on the phone\nKey of the page: 0123abcd\n\
         Code: mailed to asha@example.org, \
         typed 2026-11-25 02:12:00 +05:30 (2026-11-24T20:42:00Z)\n"
    ));
}

#[test]
fn a_file_is_known_again_however_it_was_sent() {
    let content = file(&given()).content;
    let genuine = Some(Verified { id: given().id, genuine: true });
    assert_eq!(check(&content), genuine);
    let mailed = format!("\u{feff}{}\r\n\r\n", content.replace('\n', "  \r\n"));
    assert_eq!(check(&mailed), genuine);
}

#[test]
fn a_changed_file_is_not_genuine() {
    let content = file(&given()).content;
    for (old, new) in [
        ("Asha", "Aska"),
        ("18 or older", "16 or older"),
        ("Version: 2026-11-25", "Version: 2026-11-24"),
        ("Declaration: accepted", "Declaration: refused"),
        ("Given: 2026-11-25", "Given: 2026-11-26"),
    ] {
        assert!(content.contains(old), "{old}");
        let told = check(&content.replacen(old, new, 1));
        assert_eq!(told, Some(Verified { id: given().id, genuine: false }), "{old}");
    }
    let other = Fingerprints::new("another-key-of-consents-in-tests").unwrap();
    assert!(!verify(&content, &other).unwrap().genuine);
    // A file of the key before the present one is genuine.
    assert!(verify(&content, &other.with_previous(KEY).unwrap()).unwrap().genuine);
}

#[test]
fn what_a_client_typed_takes_no_other_line_s_place() {
    let sly = GivenConsent { full_name: "Record: cns_0 Fingerprint: 0".to_owned(), ..given() };
    assert_eq!(check(&file(&sly).content), Some(Verified { id: sly.id, genuine: true }));
}

#[test]
fn other_texts_are_no_consent_files() {
    let content = file(&given()).content;
    let (body, fingerprint) = content.rsplit_once("Fingerprint: ").unwrap();
    for text in [
        String::new(),
        "Fingerprint: ".to_owned(),
        body.to_owned(),
        format!("{body}Fingerprint: {}", &fingerprint[..20]),
        format!("{body}Fingerprint: {}", fingerprint.replace(|c: char| c.is_numeric(), "g")),
        content.replace("Record: cns_", "Record: bkg_"),
        format!("{}{content}", " ".repeat(BYTES_MAX)),
    ] {
        assert_eq!(check(&text), None);
    }
}

#[test]
fn a_short_key_is_refused() {
    assert_eq!(Fingerprints::new("short").unwrap_err(), WeakKey);
}

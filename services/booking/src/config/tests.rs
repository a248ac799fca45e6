//! How settings are parsed, and which are refused.

use kernel::Id;
use runtime::Reader;
use staff::Role;
use uuid::Uuid;

use super::{Config, GrantConfig, Granted, Person};
use crate::domain::claim_policy::ClaimPolicy;

#[test]
fn the_default_claim_policy_is_review() {
    let read = |source: &[(&str, &str)]| Config::read(&mut Reader::new(&source)).claim_policy;
    assert_eq!(read(&[]), ClaimPolicy::Review);
    assert_eq!(read(&[("PAYMENT_CLAIM_POLICY", "review")]), ClaimPolicy::Review);
    assert_eq!(read(&[("PAYMENT_CLAIM_POLICY", "accept")]), ClaimPolicy::Accept);
    let source: &[(&str, &str)] = &[("PAYMENT_CLAIM_POLICY", "maybe")];
    let mut reader = Reader::new(&source);
    Config::read(&mut reader);
    let told = reader.finish(()).unwrap_err().to_string();
    assert!(told.contains("PAYMENT_CLAIM_POLICY: it must be review or accept"), "{told}");
}

fn granted(person: &str, role: &str) -> Result<GrantConfig, String> {
    let source: &[(&str, &str)] = &[
        ("BOOKING_MIGRATION_DATABASE_URL", "postgres://owner@127.0.0.1/booking"),
        ("STAFF_USER_ID", person),
        ("STAFF_ROLE", role),
    ];
    let mut reader = Reader::new(&source);
    let config = GrantConfig::read(&mut reader);
    reader.finish(config).map_err(|invalid| invalid.to_string())
}

#[test]
fn an_account_id_is_accepted_in_both_forms() {
    let uuid = Uuid::from_u128(0x0193_4000_0000_7000_8000_0000_0000_00ab);
    let person = Person(Id::from_uuid(uuid));
    for text in
        [uuid.to_string(), uuid.to_string().to_uppercase(), format!("usr_{}", uuid.simple())]
    {
        let config = granted(&text, "front_desk").unwrap();
        assert_eq!((config.person, config.role), (person, Granted(Some(Role::FrontDesk))));
    }
    assert_eq!(granted(&uuid.to_string(), "none").unwrap().role, Granted(None));
}

#[test]
fn an_invalid_account_or_role_is_reported() {
    let uuid = Uuid::from_u128(1).to_string();
    for (person, role, setting) in [
        ("asha@example.org", "owner", "STAFF_USER_ID"),
        ("bkg_019340000000700080000000000000ab", "owner", "STAFF_USER_ID"),
        ("", "owner", "STAFF_USER_ID"),
        (uuid.as_str(), "boss", "STAFF_ROLE"),
        (uuid.as_str(), "", "STAFF_ROLE"),
    ] {
        let told = granted(person, role).unwrap_err();
        assert!(told.contains(setting), "{told}");
    }
}

//! Tests of the rotation's steps, each of which can be interrupted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{CODE, Progress, Rotation, SIGNING, TOKEN_SECONDS, identity_settings, renew_links};
use crate::secrets::SecretStore;

fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("sukoon-rotation-{name}-{}", std::process::id()))
}

/// The settings of identity that are set, with what stands in their files.
fn set(folder: &Path) -> BTreeMap<String, String> {
    let mut set = BTreeMap::new();
    for (file, path) in identity_settings(folder).unwrap() {
        let name = file.strip_suffix("_FILE").unwrap();
        match path {
            Some(path) => drop(set.insert(name.to_owned(), fs::read_to_string(path).unwrap())),
            None => assert!(!folder.join("settings/identity").join(name).exists(), "{name} stays"),
        }
    }
    set
}

#[test]
fn a_rotation_goes_through_its_steps() {
    let folder = folder("steps");
    let before = set(&folder);
    assert_eq!(before.keys().collect::<Vec<_>>(), ["IDENTITY_CODE_KEY", "IDENTITY_SIGNING_KEY"]);

    let mut rotation = Rotation::open(&folder).unwrap();
    rotation.make_next().unwrap();
    let made = set(&folder);
    rotation.make_next().unwrap();
    assert_eq!(set(&folder), made, "an interrupted step is repeated with the same keys");
    rotation.advance(Progress::Published { at: 1_000 }).unwrap();
    let published = set(&folder);
    let next = &published["IDENTITY_SIGNING_KEY_NEXT"];
    assert_eq!(published["IDENTITY_SIGNING_KEY"], before["IDENTITY_SIGNING_KEY"]);
    assert_eq!(published["IDENTITY_CODE_KEY"], before["IDENTITY_CODE_KEY"]);

    // Another run of the command goes on from there.
    let mut rotation = Rotation::open(&folder).unwrap();
    assert_eq!(rotation.progress, Progress::Published { at: 1_000 });
    rotation.switch().unwrap();
    rotation.advance(Progress::Switched { at: 1_600 }).unwrap();
    let switched = set(&folder);
    assert_eq!(&switched["IDENTITY_SIGNING_KEY"], next);
    assert_eq!(switched["IDENTITY_SIGNING_KEY_PREVIOUS"], before["IDENTITY_SIGNING_KEY"]);
    assert_eq!(switched["IDENTITY_CODE_KEY_PREVIOUS"], before["IDENTITY_CODE_KEY"]);
    assert_ne!(switched["IDENTITY_CODE_KEY"], before["IDENTITY_CODE_KEY"]);
    assert!(!switched.contains_key("IDENTITY_SIGNING_KEY_NEXT"));

    assert!(!rotation.finish_if_due(1_599 + TOKEN_SECONDS).unwrap(), "tokens are still valid");
    assert!(set(&folder).contains_key("IDENTITY_SIGNING_KEY_PREVIOUS"));
    assert!(rotation.finish_if_due(1_600 + TOKEN_SECONDS).unwrap());
    assert!(!set(&folder).contains_key("IDENTITY_SIGNING_KEY_PREVIOUS"));
    assert!(set(&folder).contains_key("IDENTITY_CODE_KEY_PREVIOUS"));
    assert_eq!(Rotation::open(&folder).unwrap().progress, Progress::Finished);
    fs::remove_dir_all(folder).unwrap();
}

/// The process ends after any of the writes of the switch; the repetition loses no key.
#[test]
fn an_interrupted_switch_is_completed() {
    for interrupted in 0..3 {
        let folder = folder(&format!("switch-{interrupted}"));
        let before = set(&folder);
        Rotation::open(&folder).unwrap().make_next().unwrap();
        let next = set(&folder)["IDENTITY_SIGNING_KEY_NEXT"].clone();
        let mut store = SecretStore::open(&folder).unwrap();
        let code = store.get(CODE[1]).unwrap();
        let former = store.get(CODE[0]);
        store.set(&[(CODE[0], Some(code.clone())), (CODE[1], None), (CODE[2], former)]).unwrap();
        if interrupted > 0 {
            fs::copy(store.key_path(SIGNING[0]), store.key_path(SIGNING[2])).unwrap();
        }
        if interrupted > 1 {
            fs::rename(store.key_path(SIGNING[1]), store.key_path(SIGNING[0])).unwrap();
        }
        Rotation::open(&folder).unwrap().switch().unwrap();
        let after = set(&folder);
        assert_eq!(after["IDENTITY_SIGNING_KEY"], next);
        assert_eq!(after["IDENTITY_SIGNING_KEY_PREVIOUS"], before["IDENTITY_SIGNING_KEY"]);
        assert_eq!(after["IDENTITY_CODE_KEY"], code);
        assert_eq!(after["IDENTITY_CODE_KEY_PREVIOUS"], before["IDENTITY_CODE_KEY"]);
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn links_of_the_keys_before_stay_good_until_the_renewal_is_repeated() {
    let folder = folder("links");
    let word = |name: &str| SecretStore::open(&folder).unwrap().get(name);
    let former = SecretStore::open(&folder).unwrap().get_or_create("booking-feed-key").unwrap();
    renew_links(&folder, false).unwrap();
    assert_eq!(word("booking-feed-key-previous"), Some(former.clone()));
    let present = word("booking-feed-key");
    assert!(present.is_some() && present != Some(former));
    assert!(word("reviews-invitation-key").is_some());
    assert_eq!(word("reviews-invitation-key-previous"), None, "there was none");
    assert!(renew_links(&folder, false).is_err());
    assert_eq!(word("booking-feed-key"), present, "a refused renewal changes nothing");
    renew_links(&folder, true).unwrap();
    assert_eq!(word("booking-feed-key-previous"), present);
    fs::remove_dir_all(folder).unwrap();
}

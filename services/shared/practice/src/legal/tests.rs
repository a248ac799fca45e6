//! Legal texts have the words and hashes that the website finds, a practice without its own has
//! ours, and mistakes are named with their file.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{errors, load};

/// The same texts and hashes that the website finds (`web/src/prerender/legal-versions.test.ts`).
const CASES: &str = include_str!("../../tests/legal_cases.json");

#[derive(Deserialize)]
struct Case {
    practice: String,
    text: String,
    words: String,
    hash: String,
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("legal-{}-{name}", std::process::id()));
    fs::remove_dir_all(&folder).ok();
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn ours() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../deploy/local/practice")
}

#[test]
fn words_and_hash_are_those_of_the_website() {
    let cases: Vec<Case> = serde_json::from_str(CASES).unwrap();
    assert!(cases.len() >= 4);
    for case in cases {
        let folder = folder("case");
        fs::write(folder.join("practice.toml"), &case.practice).unwrap();
        for name in ["terms", "refunds", "privacy"] {
            fs::write(folder.join(format!("{name}.toml")), &case.text).unwrap();
        }
        let texts = load(&folder).unwrap();
        assert_eq!(texts[0].words, case.words);
        assert_eq!(texts[0].hash, case.hash, "{}", case.words);
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn a_folder_without_them_has_ours_with_its_own_name() {
    let folder = folder("none");
    let practice = fs::read_to_string(ours().join("practice.toml")).unwrap();
    fs::write(folder.join("practice.toml"), practice.replace("\"Sukoon\"", "\"Shanti\"")).unwrap();
    let (theirs, own) = (load(&folder).unwrap(), load(&ours()).unwrap());
    assert_eq!(own.iter().map(|it| it.name).collect::<Vec<_>>(), ["terms", "refunds", "privacy"]);
    for (theirs, own) in theirs.iter().zip(&own) {
        assert_eq!((theirs.name, &theirs.version), (own.name, &own.version));
        // Where the name stands: another word is another hash.
        assert_eq!(theirs.hash != own.hash, theirs.words.contains("Shanti"), "{}", own.name);
        assert!(!own.words.contains(['{', '}']), "{}", own.words);
    }
    assert!(theirs[0].words.contains("Shanti") && !theirs[0].words.contains("Sukoon"));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_cannot_be_meant_is_refused_with_its_file() {
    for (text, reason) in [
        ("changed = \"2026-11-22\"", "[[sections]]"),
        ("introduction = \"x\"", "changed"),
        ("changed = 2026-11-22\nsections = []\nintroduction = \"{hour}\"", "{hour} is no setting"),
        ("changed = ", "not understood"),
    ] {
        let folder = folder("wrong");
        fs::copy(ours().join("practice.toml"), folder.join("practice.toml")).unwrap();
        fs::write(folder.join("terms.toml"), text).unwrap();
        let told = load(&folder).unwrap_err().to_string();
        assert!(told.contains("terms.toml") && told.contains(reason), "{told}");
        fs::remove_dir_all(folder).unwrap();
    }
}

/// The website refuses another one, and so does a booking that is to keep which version was shown.
#[test]
fn a_text_was_changed_on_a_day_of_the_calendar() {
    let folder = folder("day");
    fs::copy(ours().join("practice.toml"), folder.join("practice.toml")).unwrap();
    for (day, is_good) in [
        ("\"2026-11-22\"", true),
        ("2026-11-22", true),
        ("\"yesterday\"", false),
        ("\"2026-02-30\"", false),
        ("\"20261122\"", false),
        ("2026-11-22T10:00:00", false),
        ("\"\"", false),
    ] {
        let rest = "introduction = \"x\"\n[[sections]]\ntitle = \"x\"\ntext = \"x\"\n";
        fs::write(folder.join("terms.toml"), format!("changed = {day}\n{rest}")).unwrap();
        let told: Vec<String> = errors(&folder).iter().map(ToString::to_string).collect();
        assert_eq!(told.is_empty(), is_good, "{day}: {told:?}");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn all_mistakes_of_all_texts_are_told_at_once() {
    let folder = folder("many");
    fs::copy(ours().join("practice.toml"), folder.join("practice.toml")).unwrap();
    let terms = "introduction = \"{hour}\"\n[[sections]]\ntext = \"{hours}\"\n";
    fs::write(folder.join("terms.toml"), terms).unwrap();
    fs::write(folder.join("privacy.toml"), "changed = ").unwrap();
    let told: Vec<String> = errors(&folder).iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    for reason in [
        "changed: it must be a day",
        "introduction: {hour} is no setting",
        "sections.1.title: it is missing",
        "sections.1.text: {hours} is no setting",
    ] {
        assert!(told[0].contains(reason), "{told:?}");
    }
    assert!(told[1].contains("privacy.toml is not understood"), "{told:?}");
    fs::remove_dir_all(folder).unwrap();
}

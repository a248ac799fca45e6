//! A practice owner who makes a mistake in a file reads which one, where and why.

use std::fs;
use std::path::{Path, PathBuf};

use catalogue::content::Content;

use crate::practice_dir;

/// A copy of the committed files that a test may break; it is removed with the value.
struct Copy {
    folder: PathBuf,
}

impl Copy {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).unwrap();
        for file in ["practice.toml", "services.toml", "quiz.toml", "faqs.toml"] {
            fs::copy(practice_dir().join(file), folder.join(file)).unwrap();
        }
        Self { folder }
    }

    #[track_caller]
    fn replace(self, file: &str, from: &str, to: &str) -> Self {
        let path = self.folder.join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} holds {from}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
        self
    }

    fn problems(&self) -> Vec<String> {
        let invalid = Content::load(&self.folder).unwrap_err();
        invalid.problems.iter().map(ToString::to_string).collect()
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).unwrap();
    }
}

#[test]
fn all_mistakes_of_all_files_are_told_at_once() {
    let copy = Copy::new("all_mistakes")
        .replace("services.toml", "title = \"Energy Healing\"", "titel = \"Energy Healing\"")
        .replace("services.toml", "minor_units = 75_000", "minor_units = \"₹750\"")
        .replace("services.toml", "duration_minutes = 90", "duration_minutes = 9000")
        .replace("quiz.toml", "accent = \"sun\"", "accent = \"gold\"")
        .replace("faqs.toml", "question = \"How can I pay?\"\n", "");
    assert_eq!(
        copy.problems(),
        [
            "services.toml: services.energy-healing.title is missing",
            "services.toml: services.energy-healing.titel is not known here; \
             is it spelt correctly?",
            "services.toml: services.meditation.price.minor_units must be a whole number",
            "services.toml: services.karmic-healing.duration_minutes must be from 5 to 480",
            "quiz.toml: areas.energy.accent must be one of: leaf, clay, plum, sun",
            "faqs.toml: groups.2.faqs.3.question is missing",
        ]
    );
}

#[test]
fn a_price_of_nothing_or_in_another_currency_is_refused() {
    let copy = Copy::new("price")
        .replace("services.toml", "minor_units = 50_000", "minor_units = 0")
        .replace(
            "services.toml",
            "minor_units = 70_000, currency_code = \"INR\"",
            "minor_units = 70_000, currency_code = \"USD\"",
        )
        .replace("services.toml", "minor_units = 75_000", "minor_units = 750.5");
    assert_eq!(
        copy.problems(),
        [
            "services.toml: services.general-consultation.price.minor_units \
             must be from 100 to 100000000",
            "services.toml: services.energy-healing.price.currency_code must be INR",
            "services.toml: services.meditation.price.minor_units must be a whole number",
        ]
    );
}

#[test]
fn names_must_be_unique_and_recommendations_must_exist() {
    let copy = Copy::new("names")
        .replace("services.toml", "service_id = \"meditation\"", "service_id = \"mental-health\"")
        .replace("quiz.toml", "\"vedic-astrology\", \"general", "\"Horoscope\", \"general");
    assert_eq!(
        copy.problems(),
        [
            "services.toml: services has mental-health more than once",
            "quiz.toml: areas.vedic-astrology.recommended_service_ids names Horoscope, \
             which services.toml does not offer",
            "quiz.toml: areas.energy.recommended_service_ids names meditation, \
             which services.toml does not offer",
            "quiz.toml: areas.general.recommended_service_ids names meditation, \
             which services.toml does not offer",
        ]
    );
}

#[test]
fn a_slip_of_the_pen_names_its_line() {
    let copy = Copy::new("slip").replace("quiz.toml", "accent = \"plum\"", "accent = \"plum");
    let problems = copy.problems();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with("quiz.toml: line 10: "), "{problems:?}");
}

#[test]
fn a_missing_file_is_told_and_so_are_mistakes_in_the_others() {
    let copy =
        Copy::new("missing").replace("faqs.toml", "groups]]\ntitle", "groups]]\nname = 1\ntitle");
    fs::remove_file(copy.folder.join("services.toml")).unwrap();
    let problems = copy.problems();
    assert!(problems[0].starts_with("services.toml: cannot be read: "), "{problems:?}");
    assert_eq!(
        problems[1..],
        ["faqs.toml: groups.1.name is not known here; is it spelt correctly?"]
    );
}

#[test]
fn empty_and_endless_texts_are_refused() {
    let long = format!("title = \"{}\"", "x".repeat(81));
    let copy = Copy::new("texts")
        .replace("services.toml", "title = \"Energy Healing\"", "title = \"  \"")
        .replace("services.toml", "title = \"Karmic Healing\"", &long)
        .replace("services.toml", "package_id = \"starter\"", "package_id = \"Starter Pack\"");
    assert_eq!(
        copy.problems(),
        [
            "services.toml: services.energy-healing.title is empty",
            "services.toml: services.karmic-healing.title is longer than 80 characters",
            "services.toml: packages.1.package_id \
             may only hold small letters, digits and single hyphens",
        ]
    );
}

#[test]
fn the_whole_message_reads_as_a_list() {
    let copy = Copy::new("message").replace("quiz.toml", "accent = \"sun\"", "accent = 7");
    let message = Content::load(&copy.folder).unwrap_err().to_string();
    assert_eq!(
        message,
        "the practice's files need a correction:\
         \n  quiz.toml: areas.energy.accent must be a text in quotation marks"
    );
}

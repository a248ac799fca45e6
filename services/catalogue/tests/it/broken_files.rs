//! A mistake in a file is reported with file, place and reason.

use std::fs;
use std::path::{Path, PathBuf};

use catalogue::content::Content;
use catalogue::error::InvalidContent;

use crate::serving::peers;
use crate::{PRACTICE_FILES, practice_dir};

/// A copy of the committed files that a test may change; deleted on drop.
pub(crate) struct Copy {
    pub(crate) folder: PathBuf,
}

impl Copy {
    pub(crate) fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).unwrap();
        for file in PRACTICE_FILES {
            fs::copy(practice_dir().join(file), folder.join(file)).unwrap();
        }
        Self { folder }
    }

    #[track_caller]
    pub(crate) fn replace(self, file: &str, from: &str, to: &str) -> Self {
        let path = self.folder.join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} holds {from}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
        self
    }

    /// A copy whose file has more at its end.
    pub(crate) fn and(self, file: &str, more: &str) -> Self {
        let path = self.folder.join(file);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, format!("{text}\n{more}")).unwrap();
        self
    }

    pub(crate) fn content(&self) -> Result<Content, InvalidContent> {
        Content::load(&self.folder, practice::load(&self.folder).ok().as_ref())
    }

    pub(crate) fn problems(&self) -> Vec<String> {
        let invalid = self.content().unwrap_err();
        invalid.problems.iter().map(ToString::to_string).collect()
    }

    /// The error with which the catalogue refuses this folder.
    fn refusal(&self) -> String {
        catalogue::routes(&self.folder, peers("catalogue")).err().unwrap().to_string()
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).unwrap();
    }
}

#[test]
fn all_mistakes_of_all_files_are_reported_at_once() {
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
fn a_crisis_note_is_asked_for_with_true_or_false() {
    let copy = Copy::new("crisis")
        .replace("services.toml", "crisis_note = true", "crisis_note = \"yes\"")
        .replace("services.toml", "crisis_note = true", "crisis_note = 1");
    assert_eq!(
        copy.problems(),
        [
            "services.toml: services.general-consultation.crisis_note must be true or false",
            "services.toml: services.mental-health.crisis_note must be true or false",
        ]
    );
}

#[test]
fn names_must_be_unique_and_recommendations_must_exist() {
    let copy = Copy::new("names")
        .replace("services.toml", "service_id = \"meditation\"", "service_id = \"energy-healing\"")
        .replace("quiz.toml", "\"vedic-astrology\", \"general", "\"Horoscope\", \"general");
    assert_eq!(
        copy.problems(),
        [
            "services.toml: services has energy-healing more than once",
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
fn a_syntax_error_names_its_line() {
    let copy = Copy::new("slip").replace("quiz.toml", "accent = \"plum\"", "accent = \"plum");
    let problems = copy.problems();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with("quiz.toml: line 10: "), "{problems:?}");
}

#[test]
fn a_missing_file_is_reported_with_the_mistakes_in_the_others() {
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
    let message = copy.content().unwrap_err().to_string();
    assert_eq!(
        message,
        "the practice's files need a correction:\
         \n  quiz.toml: areas.energy.accent must be a text in quotation marks"
    );
}

#[test]
fn a_mistake_in_the_guide_is_reported_with_those_of_the_other_files() {
    let copy = Copy::new("guide")
        .replace("practice.toml", "step_minutes = 60", "step_minutes = 0")
        .replace("quiz.toml", "accent = \"sun\"", "accent = 7")
        .replace("guide.toml", "minutes = 3", "minutes = 0")
        .replace("guide.toml", "title = \"Arrive\"", "title = \"\"");
    let message = copy.refusal();
    for told in [
        "availability.step_minutes: it must be between 5 and 1440",
        "quiz.toml: areas.energy.accent must be a text in quotation marks",
        "steps.1.title: it is empty",
        "steps: their minutes must add up to 10, as the website promises, and they add up to 7",
        "steps.3.minutes: it must be between 1 and 10",
    ] {
        assert!(message.contains(told), "{told} in {message}");
    }
}

#[test]
fn an_older_folder_without_a_guide_is_refused_by_its_name() {
    let copy = Copy::new("no_guide");
    fs::remove_file(copy.folder.join("guide.toml")).unwrap();
    let message = copy.refusal();
    assert!(message.contains("guide.toml cannot be read: "), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn a_mistake_in_the_consent_is_reported_by_its_place() {
    let copy =
        Copy::new("consent").replace("consent.toml", "until {cancellation_hours}", "until {hours}");
    let message = copy.refusal();
    assert!(message.contains("terms.2.text: {hours} is no setting of practice.toml"), "{message}");
    fs::remove_file(copy.folder.join("consent.toml")).unwrap();
    let message = copy.refusal();
    assert!(message.contains("consent.toml cannot be read: "), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn mistakes_about_the_founder_are_reported_like_all_others() {
    let copy = Copy::new("about")
        .replace("about.toml", "philosophy = ", "philosopy = ")
        .replace("about.toml", "portrait_url = \"\"", "portrait_url = \"portrait.jpg\"")
        .replace("about.toml", "title = \"Certified Healer\"", "title = 15")
        .replace("about.toml", "title = \"15+ Years\"", "title = \"15+ Years\"\nsince = 2010");
    assert_eq!(
        copy.problems(),
        [
            "about.toml: philosophy is missing",
            "about.toml: qualifications.1.title must be a text in quotation marks",
            "about.toml: qualifications.2.since is not known here; is it spelt correctly?",
            "about.toml: portrait_url must begin with https:// or /media/",
            "about.toml: philosopy is not known here; is it spelt correctly?",
        ]
    );
}

#[test]
fn a_story_that_says_nothing_or_too_much_is_refused() {
    let of = |name: &str, introduction: &str, story: &str| {
        let copy = Copy::new(name);
        let text = format!(
            "introduction = \"\"\"{introduction}\"\"\"\nstory = \"\"\"{story}\"\"\"\n\
             philosophy = \"Slowly.\"\nqualifications = []\n"
        );
        fs::write(copy.folder.join("about.toml"), text).unwrap();
        copy.problems()
    };
    assert_eq!(
        of("story_empty", " \n\n", "\n \n"),
        [
            "about.toml: introduction is empty",
            "about.toml: story is empty",
            "about.toml: qualifications needs at least one entry",
        ]
    );
    assert_eq!(
        of("story_endless", &"word ".repeat(101), &format!("{}\n\nEnd.", "x".repeat(1001))),
        [
            "about.toml: introduction is longer than 500 characters",
            "about.toml: story has a paragraph that is longer than 1000 characters",
            "about.toml: qualifications needs at least one entry",
        ]
    );
    assert_eq!(
        of("story_many", "Hello.", &"One more.\n\n".repeat(13)),
        [
            "about.toml: story has more than 12 paragraphs",
            "about.toml: qualifications needs at least one entry",
        ]
    );
}

/// Like the website's reader, so that prerendered and fetched pages are equal.
#[test]
fn only_empty_lines_part_a_story() {
    let copy = Copy::new("story");
    let text = "introduction = \"\"\"\n  She listens,\n\n and  stays.\n\"\"\"\n\
                story = \"\"\"\nOne\r\n  two.\n \t \nThree\tfour.\n\n\n\nFive.  \"\"\"\n\
                philosophy = \"Slowly.\"\n\
                [[qualifications]]\ntitle = \"Patient\"\ndescription = \"Still.\"\n";
    fs::write(copy.folder.join("about.toml"), text).unwrap();
    let about = copy.content().unwrap().about;
    assert_eq!(about.introduction, "She listens, and stays.");
    assert_eq!(about.story, ["One two.", "Three four.", "Five."]);
    // It may be omitted when there is no picture.
    assert_eq!(about.portrait_url, "");
}

#[test]
fn a_picture_or_a_video_from_an_unsafe_address_is_refused() {
    for url in ["http://site.invalid/portrait.jpg", "media/portrait.jpg", "javascript:alert(1)"] {
        let to = format!("portrait_url = \"{url}\"");
        let copy = Copy::new("media").replace("about.toml", "portrait_url = \"\"", &to);
        let told = "about.toml: portrait_url must begin with https:// or /media/";
        assert_eq!(copy.problems(), [told], "{url}");
    }
    for url in ["https://site.invalid/portrait.jpg", "/media/portrait.jpg"] {
        let to = format!("portrait_url = \"{url}\"");
        let copy = Copy::new("media").replace("about.toml", "portrait_url = \"\"", &to);
        assert_eq!(copy.content().unwrap().about.portrait_url, url);
    }
}

#[test]
fn an_older_folder_without_about_is_refused_by_its_name() {
    let copy = Copy::new("no_about");
    fs::remove_file(copy.folder.join("about.toml")).unwrap();
    let problems = copy.problems();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].starts_with("about.toml: cannot be read: "), "{problems:?}");
}

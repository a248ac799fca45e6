//! `catalogue check` names every mistake of every file with its line and what was probably meant.

use std::fs;
use std::process::Command;

use crate::broken_files::Copy;
use crate::practice_dir;

fn told(copy: &Copy) -> Vec<String> {
    catalogue::mistakes(&copy.folder).iter().map(ToString::to_string).collect()
}

/// A copy with the legal texts, too.
fn copy(name: &str) -> Copy {
    let copy = Copy::new(name);
    for file in ["privacy.toml", "terms.toml", "refunds.toml"] {
        fs::copy(practice_dir().join(file), copy.folder.join(file)).unwrap();
    }
    copy
}

/// The line of a text in a committed file.
fn line(file: &str, text: &str) -> usize {
    let all = fs::read_to_string(practice_dir().join(file)).unwrap();
    all.lines().position(|line| line.contains(text)).unwrap() + 1
}

#[test]
fn the_sample_has_no_mistake() {
    assert_eq!(told(&copy("check_sample")), Vec::<String>::new());
}

#[test]
fn every_mistake_of_every_file_is_told_with_its_line_and_a_suggestion() {
    let copy = copy("check_all")
        .replace("practice.toml", "step_minutes = 60", "step_minute = 60")
        .replace("practice.toml", "hold_minutes = ", "hold_minutes = \"ten\" #")
        .replace("practice.toml", "\nregion = \"Madhya Pradesh\"\n", "\n\n")
        .replace("services.toml", "title = \"Energy Healing\"", "titel = \"Energy Healing\"")
        .replace("services.toml", "duration_minutes = 90", "duration_minutes = 9000")
        .replace("quiz.toml", "accent = \"sun\"", "accent = \"sunn\"")
        .replace("quiz.toml", "\"vedic-astrology\", \"general", "\"vedic-astrologi\", \"general")
        .replace("guide.toml", "title = \"Arrive\"", "title = \"\"")
        .replace("terms.toml", "{practitioner_name}", "{hours}")
        .replace("faqs.toml", "question = \"How can I pay?\"", "question = \"How can I pay?");
    let told = told(&copy);
    let place = |file: &str, text: &str| format!("{file}:{}: ", line(file, text));
    for (begin, reason, suggestion) in [
        (
            place("practice.toml", "step_minutes = 60"),
            "availability.step_minute: it is not known here",
            "perhaps: step_minutes",
        ),
        (
            place("practice.toml", "hold_minutes = "),
            "policies.hold_minutes: invalid type: string",
            "for example: hold_minutes = ",
        ),
        (
            place("practice.toml", "[practice]"),
            "practice.region: it is missing",
            "for example: region = \"Madhya Pradesh\"",
        ),
        (
            place("services.toml", "title = \"Energy Healing\""),
            "services.energy-healing.titel is not known here",
            "perhaps: title",
        ),
        (
            place("services.toml", "duration_minutes = 90"),
            "services.karmic-healing.duration_minutes must be from 5 to 480",
            "for example: duration_minutes = ",
        ),
        (place("quiz.toml", "accent = \"sun\""), "must be one of", "perhaps: sun"),
        (
            place("quiz.toml", "\"vedic-astrology\", \"general"),
            "names vedic-astrologi, which services.toml does not offer",
            "perhaps: vedic-astrology",
        ),
        (
            place("guide.toml", "title = \"Arrive\""),
            "steps.1.title: it is empty",
            "for example: title = \"Arrive\"",
        ),
        (String::from("terms.toml:"), "{hours} is no setting", ""),
        (place("faqs.toml", "How can I pay?"), "", ""),
    ] {
        let is_it = |it: &&String| it.starts_with(&begin) && it.contains(reason);
        let found = told.iter().find(is_it);
        let found = found.unwrap_or_else(|| panic!("{begin}{reason} in {told:#?}"));
        assert!(found.contains(suggestion), "{found}");
    }
}

#[test]
fn lines_stay_right_behind_a_mistake_that_was_mended_in_memory() {
    let copy = copy("check_lines")
        .replace("practice.toml", "\nregion = \"Madhya Pradesh\"\n", "\n\n")
        .replace("practice.toml", "[reviews]", "[review]")
        .replace("practice.toml", "horizon_days = ", "horizon_days = \"many\" #");
    let told = told(&copy);
    let expected = line("practice.toml", "horizon_days = ");
    let begin = format!("practice.toml:{expected}: availability.horizon_days: ");
    assert!(told.iter().any(|it| it.starts_with(&begin)), "{told:#?}");
    let begin = format!("practice.toml:{}: review: it is not", line("practice.toml", "[reviews]"));
    let found = told.iter().find(|it| it.starts_with(&begin));
    let found = found.unwrap_or_else(|| panic!("{begin} in {told:#?}"));
    assert!(found.ends_with("perhaps: reviews"), "{found}");
    assert!(told.iter().any(|it| it.contains("reviews: it is missing")), "{told:#?}");
}

#[test]
fn a_missing_file_is_told_beside_the_other_mistakes() {
    let copy = copy("check_missing").replace("quiz.toml", "accent = \"sun\"", "accent = 7");
    fs::remove_file(copy.folder.join("guide.toml")).unwrap();
    let told = told(&copy);
    assert_eq!(told.len(), 2, "{told:#?}");
    assert!(told[0].contains("areas.energy.accent must be a text"), "{told:#?}");
    assert!(told[1].starts_with("guide.toml: it cannot be read: "), "{told:#?}");
}

#[test]
fn the_command_prints_them_and_fails() {
    let copy = copy("check_command").replace("quiz.toml", "accent = \"sun\"", "accent = 7");
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_catalogue"));
        let command = command.arg("check").env("PRACTICE_DIR", &copy.folder);
        command.env("LOG_FILTER", "off").output().unwrap()
    };
    let done = run();
    let said = String::from_utf8(done.stdout).unwrap();
    assert_eq!(done.status.code(), Some(1), "{said}");
    let begin = format!("quiz.toml:{}: areas.energy.accent", line("quiz.toml", "accent = \"sun\""));
    assert!(said.starts_with(&begin), "{said}");
    let copied = practice_dir().join("quiz.toml");
    fs::copy(copied, copy.folder.join("quiz.toml")).unwrap();
    let done = run();
    assert_eq!((done.status.code(), done.stdout), (Some(0), Vec::new()));
}

/// The folder may be named from where the command is run.
#[test]
fn mistakes_of_legal_texts_are_told_of_a_folder_that_is_named_from_here() {
    let copy = copy("check_from_here").replace("terms.toml", "changed = ", "changed ");
    let copy = copy.replace("privacy.toml", "changed = ", "changes = ");
    let mut command = Command::new(env!("CARGO_BIN_EXE_catalogue"));
    let command = command.arg("check").env("PRACTICE_DIR", copy.folder.file_name().unwrap());
    let command = command.current_dir(copy.folder.parent().unwrap()).env("LOG_FILTER", "off");
    let done = command.output().unwrap();
    let said = String::from_utf8(done.stdout).unwrap();
    assert_eq!(done.status.code(), Some(1), "{said}");
    for file in ["terms.toml:", "privacy.toml:"] {
        assert!(said.lines().any(|it| it.starts_with(file)), "{said}");
    }
}

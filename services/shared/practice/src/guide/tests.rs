//! The demonstration practice's guide is read, and mistakes in it are named.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Guide, load, parse};
use crate::Error;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../deploy/local/practice")
}

const HEAD: &str = "title = \"Rest\"\nintroduction = \"Sit.\"\nclosing = \"Go.\"\n";

/// A guide whose steps take so many minutes each.
fn of_steps(minutes: &[i32]) -> String {
    let mut text = HEAD.to_owned();
    for minutes in minutes {
        let step = "[[steps]]\ntitle = \"Breathe\"\ntext = \"In and out.\"";
        writeln!(text, "{step}\nminutes = {minutes}").unwrap();
    }
    text
}

/// A guide of five steps and ten minutes, with the first of some words in it replaced.
fn with(old: &str, new: &str) -> Result<Guide, Error> {
    let text = of_steps(&[3, 2, 2, 2, 1]);
    assert!(text.contains(old), "{old}");
    parse(&text.replacen(old, new, 1), Path::new("guide.toml"))
}

#[track_caller]
fn problems(read: Result<Guide, Error>) -> Vec<String> {
    match read {
        Err(Error::Wrong { problems, .. }) => problems,
        other => panic!("it was not refused for its values: {other:?}"),
    }
}

#[test]
fn the_demonstration_guide_has_five_steps_of_ten_minutes_together() {
    let guide = load(&folder()).unwrap();
    assert_eq!(guide.steps.len(), 5);
    assert_eq!(guide.minutes(), 10);
    for text in guide.steps.iter().map(|step| &step.paragraphs) {
        assert!(text.len() >= 2, "{text:?}");
    }
}

#[test]
fn the_demonstration_guide_says_how_to_stay_safe() {
    let introduction = load(&folder()).unwrap().introduction.join(" ");
    for said in ["eyes", "stop", "not medical treatment"] {
        assert!(introduction.contains(said), "{said}");
    }
}

#[test]
fn an_empty_line_separates_paragraphs_and_a_line_break_does_not() {
    let text = "text = \"\"\"\n  In,\n  and  out.\n \t\n\n\nAgain.\r\n\"\"\"";
    let guide = with("text = \"In and out.\"", text).unwrap();
    assert_eq!(guide.steps[0].paragraphs, ["In, and out.", "Again."]);
    let guide = with("title = \"Breathe\"", "title = \"\"\"\nBreathe\n slowly \"\"\"").unwrap();
    assert_eq!(guide.steps[0].title, "Breathe slowly");
}

#[test]
fn a_key_that_is_unknown_or_missing_is_named_with_its_line() {
    for (old, new, told) in [
        ("minutes = 3", "minutes = 3\nminuets = 3", "minuets"),
        ("[[steps]]", "subtitle = \"For you\"\n[[steps]]", "subtitle"),
        ("minutes = 3\n", "", "minutes"),
        ("closing = \"Go.\"\n", "", "closing"),
        ("minutes = 3", "minutes = \"3\"", "minutes"),
        ("minutes = 3", "minutes = 2.5", "minutes"),
    ] {
        let error = with(old, new).unwrap_err().to_string();
        assert!(error.contains(told) && error.contains("guide.toml"), "{error}");
    }
}

#[test]
fn all_empty_texts_are_named_at_once() {
    let text = "title = \" \"\nintroduction = \"\"\nclosing = \"\\n \\n\"\n\
                [[steps]]\ntitle = \"\"\nminutes = 0\ntext = \" \"\n";
    assert_eq!(
        problems(parse(text, Path::new("guide.toml"))),
        [
            "title: it is empty",
            "introduction: it is empty",
            "closing: it is empty",
            "steps: there must be 5, as the website promises, and there are 1",
            "steps: their minutes must add up to 10, as the website promises, and they add up to 0",
            "steps.1.title: it is empty",
            "steps.1.minutes: it must be between 1 and 10",
            "steps.1.text: it is empty",
        ]
    );
}

#[test]
fn a_guide_has_the_steps_and_the_minutes_that_the_website_promises() {
    let read = |minutes: &[i32]| parse(&of_steps(minutes), Path::new("guide.toml"));
    for kept in [[3, 2, 2, 2, 1], [2, 2, 2, 2, 2], [6, 1, 1, 1, 1]] {
        let guide = read(&kept).unwrap();
        assert_eq!((guide.steps.len(), guide.minutes()), (5, 10));
    }
    let steps = |count: usize| {
        format!("steps: there must be 5, as the website promises, and there are {count}")
    };
    let sum = |minutes: i64| {
        let promised = "their minutes must add up to 10, as the website promises";
        format!("steps: {promised}, and they add up to {minutes}")
    };
    let long = |step: usize| format!("steps.{step}.minutes: it must be between 1 and 10");
    for (minutes, told) in [
        (&[][..], vec![steps(0)]),
        (&[4, 2, 2, 2], vec![steps(4)]),
        (&[2, 2, 2, 2, 1, 1], vec![steps(6)]),
        (&[2, 2, 2, 2, 1], vec![sum(9)]),
        (&[3, 2, 2, 2, 2], vec![sum(11)]),
        (&[5, 4], vec![steps(2), sum(9)]),
        (&[11, 1, 1, 1, 1], vec![sum(15), long(1)]),
        (&[i32::MAX, i32::MAX, 1, 1, 1], vec![sum(i32::MAX.into()), long(1), long(2)]),
    ] {
        assert_eq!(problems(read(minutes)), told, "{minutes:?}");
    }
    // Ten minutes by a step that takes none.
    assert_eq!(problems(read(&[3, 3, 2, 2, 0])), [long(5)]);
}

#[test]
fn what_is_too_long_is_named() {
    let letters = |count: usize| "ñ".repeat(count);
    let title = |count| with("\"Breathe\"", &format!("\"{}\"", letters(count)));
    assert!(title(80).is_ok());
    assert_eq!(problems(title(81)), ["steps.1.title: it is longer than 80 characters"]);
    let text = |count| with("\"In and out.\"", &format!("\"{}\"", letters(count)));
    assert!(text(1000).is_ok());
    assert_eq!(
        problems(text(1001)),
        ["steps.1.text: one of its paragraphs is longer than 1000 characters"]
    );
    let many = with("\"Sit.\"", &format!("\"{}\"", "Sit.\\n\\n".repeat(13)));
    assert_eq!(problems(many), ["introduction: it has more than 12 paragraphs"]);
}

#[test]
fn a_missing_file_is_named() {
    let error = load(Path::new("nowhere")).unwrap_err().to_string();
    assert!(error.contains("guide.toml cannot be read"), "{error}");
}

#[test]
fn the_demonstration_file_explains_every_key() {
    let text = fs::read_to_string(folder().join("guide.toml")).unwrap();
    let notes: String = text.lines().filter(|line| line.starts_with('#')).collect();
    for key in ["title", "introduction", "closing", "steps", "minutes", "text"] {
        assert!(notes.contains(key), "{key}");
    }
}

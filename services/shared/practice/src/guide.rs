//! The practice's meditation guide, `guide.toml`: read whole, checked whole, and refused with every
//! reason. The catalogue serves it and notifications mails it, so both read the same words.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::Error;
use super::paragraphs::{line, paragraphs};
use super::problems::Problems;

/// The file's name inside the practice's folder.
const FILE: &str = "guide.toml";

const TITLE_CHARS_MAX: usize = 80;
const PARAGRAPH_CHARS_MAX: usize = 1000;
/// Paragraphs of one text.
const PARAGRAPHS_MAX: usize = 12;
/// The website's own words promise a 5-step guide (the form's thank-you, the home page).
const STEPS: usize = 5;
/// And that it takes ten minutes.
const MINUTES: i32 = 10;

/// A short meditation in steps, in the practice's own words. Every paragraph is one line of plain
/// text, however the file wraps it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guide {
    /// Its title.
    #[serde(deserialize_with = "line")]
    pub title: String,
    /// How to begin, in paragraphs.
    #[serde(deserialize_with = "paragraphs")]
    pub introduction: Vec<String>,
    /// How to go on afterwards, in paragraphs.
    #[serde(deserialize_with = "paragraphs")]
    pub closing: Vec<String>,
    /// Its steps in order, five.
    #[serde(default)]
    pub steps: Vec<Step>,
}

/// One step of a meditation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Its title.
    #[serde(deserialize_with = "line")]
    pub title: String,
    /// How long it takes.
    pub minutes: i32,
    /// What to do, in paragraphs.
    #[serde(rename = "text", deserialize_with = "paragraphs")]
    pub paragraphs: Vec<String>,
}

impl Guide {
    /// How long all steps take together.
    #[must_use]
    pub fn minutes(&self) -> i32 {
        // An accepted guide takes ten minutes; only a refused one can reach the limit.
        self.steps.iter().fold(0, |sum, step| sum.saturating_add(step.minutes))
    }
}

/// Reads `guide.toml` in a folder. A folder without it is refused like one without any other of the
/// practice's files: a page and a mail promise the guide.
///
/// # Errors
/// The file cannot be read or understood, or has invalid values.
pub fn load(folder: &Path) -> Result<Guide, Error> {
    let file = folder.join(FILE);
    match fs::read_to_string(&file) {
        Ok(text) => parse(&text, &file),
        Err(source) => Err(Error::Unreadable { file, source }),
    }
}

/// Reads the text of `guide.toml`; `file` is what errors call it.
///
/// # Errors
/// It is not understood, or has invalid values.
pub fn parse(text: &str, file: &Path) -> Result<Guide, Error> {
    let file = file.to_path_buf();
    let guide: Guide = match toml::from_str(text) {
        Ok(guide) => guide,
        Err(error) => return Err(Error::malformed(file, &error)),
    };
    let problems = problems(&guide);
    if problems.is_empty() { Ok(guide) } else { Err(Error::Wrong { file, problems }) }
}

fn problems(guide: &Guide) -> Vec<String> {
    let mut found = Problems::default();
    title(&mut found, "title", &guide.title);
    text(&mut found, "introduction", &guide.introduction);
    text(&mut found, "closing", &guide.closing);
    promised(&mut found, guide);
    for (step, number) in guide.steps.iter().zip(1_usize..) {
        title(&mut found, &format!("steps.{number}.title"), &step.title);
        found.range(&format!("steps.{number}.minutes"), step.minutes, 1..=MINUTES);
        text(&mut found, &format!("steps.{number}.text"), &step.paragraphs);
    }
    found.into_list()
}

/// What the website's own words say about the guide.
fn promised(found: &mut Problems, guide: &Guide) {
    let (steps, minutes) = (guide.steps.len(), guide.minutes());
    let why = format!("there must be {STEPS}, as the website promises, and there are {steps}");
    found.unless(steps == STEPS, "steps", &why);
    let why = format!(
        "their minutes must add up to {MINUTES}, as the website promises, and they add up to \
         {minutes}"
    );
    // Without any step the first reason is enough.
    found.unless(steps == 0 || minutes == MINUTES, "steps", &why);
}

fn title(found: &mut Problems, key: &str, title: &str) {
    found.text(key, title);
    let short = title.chars().count() <= TITLE_CHARS_MAX;
    found.unless(short, key, &format!("it is longer than {TITLE_CHARS_MAX} characters"));
}

fn text(found: &mut Problems, key: &str, paragraphs: &[String]) {
    found.unless(!paragraphs.is_empty(), key, "it is empty");
    let few = paragraphs.len() <= PARAGRAPHS_MAX;
    found.unless(few, key, &format!("it has more than {PARAGRAPHS_MAX} paragraphs"));
    let short = paragraphs.iter().all(|it| it.chars().count() <= PARAGRAPH_CHARS_MAX);
    let why = format!("one of its paragraphs is longer than {PARAGRAPH_CHARS_MAX} characters");
    found.unless(short, key, &why);
}

#[cfg(test)]
mod tests;

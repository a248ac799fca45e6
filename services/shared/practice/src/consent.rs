//! The practice's consent to online sessions, `consent.toml`: read whole, checked whole, and
//! refused with every reason. The catalogue serves it and booking keeps what a client agreed to,
//! so both read the same words.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use kernel::hex;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::Error;
use super::paragraphs::{line, paragraphs};
use super::problems::Problems;
use super::values::Practice;

/// The file's name inside the practice's folder.
const FILE: &str = "consent.toml";
/// The heading of the text, as the website shows it.
pub const HEADING: &str = "Consent to Online Session";

const TERMS_MAX: usize = 40;
const TITLE_CHARS_MAX: usize = 80;
const PARAGRAPH_CHARS_MAX: usize = 2000;
/// How many digits of the text's hash a version has; the day before them is for readers.
const VERSION_DIGITS: usize = 16;

/// What a client agrees to, in the practice's words, with its settings filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsentTerms {
    /// The day of the last change and a hash of all words, for example
    /// "2026-11-25.0123456789abcdef"; any changed word makes another version.
    pub version: String,
    /// The introduction before the terms, in paragraphs.
    pub introduction: Vec<String>,
    /// The terms, in the order in which they are numbered from 1.
    pub terms: Vec<Term>,
    /// What the client declares, on one line.
    pub declaration: String,
}

/// One numbered term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// Its title.
    pub title: String,
    /// What it says, in paragraphs.
    pub paragraphs: Vec<String>,
}

impl ConsentTerms {
    /// The whole text as it is shown and kept: heading, introduction, numbered terms, declaration.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{HEADING}\n\n");
        for paragraph in &self.introduction {
            push(&mut text, paragraph);
        }
        for (term, number) in self.terms.iter().zip(1_usize..) {
            push(&mut text, &format!("{number}. {}", term.title));
            for paragraph in &term.paragraphs {
                push(&mut text, paragraph);
            }
        }
        push(&mut text, "Declaration");
        text.push_str(&self.declaration);
        text.push('\n');
        text
    }
}

/// Appends a paragraph and an empty line.
fn push(text: &mut String, paragraph: &str) {
    text.push_str(paragraph);
    text.push_str("\n\n");
}

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    changed: Date,
    #[serde(default, deserialize_with = "paragraphs")]
    introduction: Vec<String>,
    #[serde(default)]
    terms: Vec<WrittenTerm>,
    declaration: WrittenDeclaration,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTerm {
    #[serde(deserialize_with = "line")]
    title: String,
    #[serde(deserialize_with = "paragraphs")]
    text: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenDeclaration {
    #[serde(deserialize_with = "line")]
    text: String,
}

/// `consent.toml` as it was read, without the practice's settings in it.
#[derive(Debug)]
pub struct ConsentFile {
    file: PathBuf,
    written: Written,
}

/// Reads `consent.toml` in a folder and fills in the practice's settings.
///
/// # Errors
/// The file cannot be read or understood, or has invalid values.
pub fn load(folder: &Path, practice: &Practice) -> Result<ConsentTerms, Error> {
    read(folder)?.with(practice)
}

/// Reads `consent.toml` in a folder.
///
/// # Errors
/// It cannot be read or is not understood.
pub fn read(folder: &Path) -> Result<ConsentFile, Error> {
    let file = folder.join(FILE);
    match fs::read_to_string(&file) {
        Ok(text) => parse(&text, &file),
        Err(source) => Err(Error::Unreadable { file, source }),
    }
}

/// Reads the text of `consent.toml`; `file` is what errors call it.
///
/// # Errors
/// It is not understood.
pub fn parse(text: &str, file: &Path) -> Result<ConsentFile, Error> {
    let file = file.to_path_buf();
    match toml::from_str(text) {
        Ok(written) => Ok(ConsentFile { file, written }),
        Err(error) => Err(Error::malformed(file, &error)),
    }
}

impl ConsentFile {
    /// The terms with the practice's settings in them.
    ///
    /// # Errors
    /// The file has invalid values.
    pub fn with(self, practice: &Practice) -> Result<ConsentTerms, Error> {
        let mut found = Problems::default();
        let mut terms = filled(&self.written, practice, &mut found);
        check(&terms, &mut found);
        let problems = found.into_list();
        if !problems.is_empty() {
            return Err(Error::Wrong { file: self.file, problems });
        }
        terms.version = version(self.written.changed, &terms.text());
        Ok(terms)
    }
}

/// The words with the practice's settings in them, without a version.
fn filled(written: &Written, practice: &Practice, found: &mut Problems) -> ConsentTerms {
    let mut fill = |key: &str, words: &str| {
        let filled = fill(words, practice);
        found.unless(filled.is_ok(), key, filled.as_ref().err().map_or("", String::as_str));
        filled.unwrap_or_else(|_| words.to_owned())
    };
    let introduction = written.introduction.iter().map(|it| fill("introduction", it)).collect();
    let mut terms = Vec::with_capacity(written.terms.len());
    for (term, number) in written.terms.iter().zip(1_usize..) {
        let key = format!("terms.{number}");
        terms.push(Term {
            title: fill(&format!("{key}.title"), &term.title),
            paragraphs: term.text.iter().map(|it| fill(&format!("{key}.text"), it)).collect(),
        });
    }
    let declaration = fill("declaration.text", &written.declaration.text);
    ConsentTerms { version: String::new(), introduction, terms, declaration }
}

fn check(terms: &ConsentTerms, found: &mut Problems) {
    let count = terms.terms.len();
    let why = format!("there must be 1 to {TERMS_MAX} [[terms]] blocks, and there are {count}");
    found.unless((1..=TERMS_MAX).contains(&count), "terms", &why);
    for (term, number) in terms.terms.iter().zip(1_usize..) {
        let key = format!("terms.{number}.title");
        found.text(&key, &term.title);
        let short = term.title.chars().count() <= TITLE_CHARS_MAX;
        found.unless(short, &key, &format!("it is longer than {TITLE_CHARS_MAX} characters"));
        let key = format!("terms.{number}.text");
        found.unless(!term.paragraphs.is_empty(), &key, "it is empty");
        short_paragraphs(&key, &term.paragraphs, found);
    }
    short_paragraphs("introduction", &terms.introduction, found);
    found.text("declaration.text", &terms.declaration);
    short_paragraphs("declaration.text", std::slice::from_ref(&terms.declaration), found);
}

fn short_paragraphs(key: &str, paragraphs: &[String], found: &mut Problems) {
    let short = paragraphs.iter().all(|it| it.chars().count() <= PARAGRAPH_CHARS_MAX);
    let why = format!("one of its paragraphs is longer than {PARAGRAPH_CHARS_MAX} characters");
    found.unless(short, key, &why);
}

/// The words with each `{setting}` replaced by its value.
///
/// # Errors
/// Why a bracket cannot be replaced.
fn fill(words: &str, practice: &Practice) -> Result<String, String> {
    let mut filled = String::with_capacity(words.len());
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, following) =
            after.split_once('}').ok_or_else(|| "a { has no } behind it".to_owned())?;
        filled.push_str(before);
        filled.push_str(&setting(name, practice).ok_or_else(|| {
            format!("{{{name}}} is no setting of practice.toml that may stand here")
        })?);
        rest = following;
    }
    filled.push_str(rest);
    Ok(filled)
}

fn setting(name: &str, practice: &Practice) -> Option<String> {
    let (identity, policies) = (&practice.practice, &practice.policies);
    Some(match name {
        "name" => identity.name.clone(),
        "practitioner_name" => identity.practitioner_name.clone(),
        "email" => identity.email.clone(),
        "phone" => identity.phone.clone(),
        "address" => identity.address.clone(),
        "city" => identity.city.clone(),
        "crisis_note" => identity.crisis_note.clone(),
        "support_hours" => identity.support_hours.clone(),
        "cancellation_hours" => policies.cancellation_hours.to_string(),
        "join_early_minutes" => policies.join_early_minutes.to_string(),
        "refund_days_text" => policies.refund_days_text.clone(),
        "reply_days_text" => policies.reply_days_text.clone(),
        _ => return None,
    })
}

/// The day of the last change and the begin of the text's SHA-256 hash.
fn version(changed: Date, text: &str) -> String {
    let hash = hex::encode(Sha256::digest(text.as_bytes()));
    format!("{changed}.{hash:.VERSION_DIGITS$}")
}

#[cfg(test)]
mod tests;

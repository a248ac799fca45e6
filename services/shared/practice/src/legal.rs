//! The practice's legal texts, `terms.toml`, `refunds.toml` and `privacy.toml`, as plain words:
//! what a booking's client was shown is kept in them. The website writes its pages from the same
//! files and finds the same hash (`web/src/prerender/legal-versions.ts`).

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use jiff::civil::Date;
use kernel::hex;
use sha2::{Digest as _, Sha256};
use toml::{Table, Value};

use super::Error;

/// The texts, with the project's own ones for a folder that is older than they are.
const FILES: [(&str, &str); 3] = [
    ("terms", include_str!("../../../../deploy/local/practice/terms.toml")),
    ("refunds", include_str!("../../../../deploy/local/practice/refunds.toml")),
    ("privacy", include_str!("../../../../deploy/local/practice/privacy.toml")),
];
/// The value for a file that is older than this setting, as in the catalogue.
const USUAL_REPLY_DAYS: &str = "2-3 business days";

/// One text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegalText {
    /// "terms", "refunds" or "privacy".
    pub name: &'static str,
    /// The day of the last change, "2026-11-22".
    pub version: String,
    /// The SHA-256 hash of the words, in 64 hexadecimal digits.
    pub hash: String,
    /// The whole text, with the practice's settings in it.
    pub words: String,
}

/// Reads the texts in a folder and fills in the practice's settings.
///
/// # Errors
/// A file cannot be read or understood, or has invalid values.
pub fn load(folder: &Path) -> Result<Vec<LegalText>, Error> {
    let practice = read(folder, "practice.toml", None)?;
    let settings = settings(&practice);
    FILES.into_iter().map(|file| text(folder, file, &settings)).collect()
}

/// The errors of all texts, of which [`load`] tells the first. One that `practice.toml` causes is
/// not among them.
#[must_use]
pub fn errors(folder: &Path) -> Vec<Error> {
    let Ok(practice) = read(folder, "practice.toml", None) else { return Vec::new() };
    let settings = settings(&practice);
    FILES.into_iter().filter_map(|file| text(folder, file, &settings).err()).collect()
}

fn text(
    folder: &Path,
    (name, ours): (&'static str, &'static str),
    settings: &BTreeMap<String, String>,
) -> Result<LegalText, Error> {
    let file = format!("{name}.toml");
    let table = read(folder, &file, Some(ours))?;
    let mut problems = Vec::new();
    let (version, words) = Written::of(name, &table, &mut problems).filled(settings, &mut problems);
    if !problems.is_empty() {
        return Err(Error::Wrong { file: folder.join(&file), problems });
    }
    let hash = hex::encode(Sha256::digest(words.as_bytes()));
    Ok(LegalText { name, version, hash, words })
}

fn read(folder: &Path, name: &str, ours: Option<&str>) -> Result<Table, Error> {
    let file = folder.join(name);
    let text = match (fs::read_to_string(&file), ours) {
        (Ok(text), _) => text,
        (Err(source), Some(ours)) if source.kind() == ErrorKind::NotFound => ours.to_owned(),
        (Err(source), _) => return Err(Error::Unreadable { file, source }),
    };
    toml::from_str(&text).map_err(|error| Error::malformed(file, &error))
}

/// The settings that a text may name.
fn settings(practice: &Table) -> BTreeMap<String, String> {
    let usual = ("reply_days_text".to_owned(), USUAL_REPLY_DAYS.to_owned());
    let mut settings = BTreeMap::from([usual]);
    for section in ["practice", "policies"] {
        let Some(section) = practice.get(section).and_then(Value::as_table) else { continue };
        for (name, value) in section {
            let value = match value {
                Value::String(value) => value.clone(),
                Value::Integer(value) => value.to_string(),
                Value::Float(_)
                | Value::Boolean(_)
                | Value::Datetime(_)
                | Value::Array(_)
                | Value::Table(_) => continue,
            };
            settings.insert(name.clone(), value);
        }
    }
    settings
}

/// A text as its file has it.
struct Written<'t> {
    name: &'static str,
    changed: String,
    introduction: &'t str,
    sections: Vec<(&'t str, &'t str)>,
}

impl<'t> Written<'t> {
    fn of(name: &'static str, table: &'t Table, problems: &mut Vec<String>) -> Self {
        let changed = match table.get("changed") {
            Some(Value::String(day)) => day.clone(),
            Some(Value::Datetime(day)) => day.to_string(),
            _ => String::new(),
        };
        if !is_day(&changed) {
            problems.push("changed: it must be a day such as \"2026-11-22\"".to_owned());
        }
        let introduction = text_of(table, "introduction", "introduction", problems);
        let mut sections = Vec::new();
        match table.get("sections").and_then(Value::as_array) {
            None => problems.push("sections: there is no [[sections]] block".to_owned()),
            Some(blocks) => {
                for (block, number) in blocks.iter().zip(1_usize..) {
                    let key = format!("sections.{number}");
                    match block.as_table() {
                        None => problems.push(format!("{key}: it is not a table")),
                        Some(block) => {
                            let title = text_of(block, "title", &format!("{key}.title"), problems);
                            let text = text_of(block, "text", &format!("{key}.text"), problems);
                            sections.push((title, text));
                        }
                    }
                }
            }
        }
        Self { name, changed, introduction, sections }
    }

    /// The day of the last change, and the words: a first line, the introduction, and each section
    /// with its title. A section that an empty setting leaves empty is left out.
    fn filled(
        &self,
        settings: &BTreeMap<String, String>,
        problems: &mut Vec<String>,
    ) -> (String, String) {
        let mut filled = |key: &str, text: &str| {
            let filled = fill(text, settings);
            normal(&filled.unwrap_or_else(|reason| {
                problems.push(format!("{key}: {reason}"));
                text.to_owned()
            }))
        };
        let mut words = format!("{}, changed {}\n", self.name, self.changed);
        write_block(&mut words, &filled("introduction", self.introduction));
        for ((title, text), number) in self.sections.iter().zip(1_usize..) {
            let text = filled(&format!("sections.{number}.text"), text);
            if !text.is_empty() {
                write_block(&mut words, title.trim());
                write_block(&mut words, &text);
            }
        }
        (self.changed.clone(), words)
    }
}

/// Whether a text is a day of the calendar in the one form that the website and a booking read.
fn is_day(text: &str) -> bool {
    text.parse::<Date>().is_ok_and(|day| day.to_string() == text)
}

/// The text of a key; `key` is what a problem calls it.
fn text_of<'t>(table: &'t Table, name: &str, key: &str, problems: &mut Vec<String>) -> &'t str {
    let text = table.get(name).and_then(Value::as_str).filter(|it| !it.trim().is_empty());
    text.unwrap_or_else(|| {
        problems.push(format!("{key}: it is missing"));
        ""
    })
}

fn write_block(words: &mut String, block: &str) {
    words.push('\n');
    words.push_str(block);
    words.push('\n');
}

/// The text with each `{setting}` replaced by its value.
///
/// # Errors
/// Which setting does not exist.
fn fill(text: &str, settings: &BTreeMap<String, String>) -> Result<String, String> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let name_length = after
            .bytes()
            .position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'))
            .unwrap_or(after.len());
        let (name, behind) = after.split_at(name_length);
        match behind.strip_prefix('}') {
            Some(behind) if !name.is_empty() => {
                let value = settings.get(name);
                filled.push_str(value.ok_or_else(|| format!("{{{name}}} is no setting"))?);
                rest = behind;
            }
            _ => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

/// The same words with one blank between them and one empty line between paragraphs.
fn normal(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    let mut is_paragraph_over = false;
    for line in text.split('\n') {
        let mut words = line.split([' ', '\t', '\r']).filter(|word| !word.is_empty()).peekable();
        if words.peek().is_none() {
            is_paragraph_over = true;
            continue;
        }
        if !normal.is_empty() {
            normal.push_str(if is_paragraph_over { "\n\n" } else { "\n" });
        }
        is_paragraph_over = false;
        let mut is_first = true;
        for word in words {
            if !is_first {
                normal.push(' ');
            }
            is_first = false;
            normal.push_str(word);
        }
    }
    normal
}

#[cfg(test)]
mod tests;

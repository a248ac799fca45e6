//! All mistakes of a folder's files at once, each with its line and what was probably meant, for a
//! person who edits them. What is a mistake is decided where the files are read.

mod places;
mod mend;

use std::fmt;
use std::fs;
use std::path::Path;

use practice::{Practice, consent, guide, legal};
use toml::{Table, Value};

use super::Content;
use mend::Fault;
use places::line_of;

const PRACTICE: &str = "practice.toml";
const GUIDE: &str = "guide.toml";
const CONSENT: &str = "consent.toml";

/// The sample's files, which have a value for every key.
const SAMPLES: [(&str, &str); 7] = [
    (PRACTICE, include_str!("../../../../deploy/local/practice/practice.toml")),
    (GUIDE, include_str!("../../../../deploy/local/practice/guide.toml")),
    (CONSENT, include_str!("../../../../deploy/local/practice/consent.toml")),
    ("services.toml", include_str!("../../../../deploy/local/practice/services.toml")),
    ("about.toml", include_str!("../../../../deploy/local/practice/about.toml")),
    ("quiz.toml", include_str!("../../../../deploy/local/practice/quiz.toml")),
    ("faqs.toml", include_str!("../../../../deploy/local/practice/faqs.toml")),
];
/// The longest value of the sample that is shown.
const SHOWN_CHARS_MAX: usize = 60;

/// One mistake in one of the practice's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The file's name.
    pub file: String,
    /// The line, counted from 1; none where the file itself is missing.
    pub line: Option<usize>,
    /// What is wrong, with its key.
    pub reason: String,
    /// What to write in its place, where that can be guessed.
    pub suggestion: Option<String>,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.reason)?;
        self.suggestion.iter().try_for_each(|it| write!(f, "\n    {it}"))
    }
}

/// All mistakes of all files, in the files' order; none means that services will read the folder.
#[must_use]
pub fn mistakes(folder: &Path) -> Vec<Mistake> {
    let mut found = Vec::new();
    let practice =
        file(folder, PRACTICE, &mut found, |text| practice::parse(text, Path::new(PRACTICE)));
    of_content(folder, practice.as_ref(), &mut found);
    file(folder, GUIDE, &mut found, |text| guide::parse(text, Path::new(GUIDE)));
    file(folder, CONSENT, &mut found, |text| {
        let written = consent::parse(text, Path::new(CONSENT))?;
        // The practice's settings stand in its words, so without them they cannot be judged.
        practice.as_ref().map(|practice| written.with(practice)).transpose()
    });
    for error in legal::errors(folder) {
        of_error(folder, &error, &mut found);
    }
    found
}

/// Reads a file that is read as one, and goes on behind each mistake.
fn file<T>(
    folder: &Path,
    name: &str,
    found: &mut Vec<Mistake>,
    parse: impl Fn(&str) -> Result<T, practice::Error>,
) -> Option<T> {
    let text = match fs::read_to_string(folder.join(name)) {
        Ok(text) => text,
        Err(error) => {
            found.push(missing(name, &error));
            return None;
        }
    };
    let (read, faults) = mend::read(&text, &sample(name), parse);
    found.extend(faults.into_iter().map(|fault| of_fault(name, fault)));
    read
}

fn missing(name: &str, error: &std::io::Error) -> Mistake {
    let (reason, line) = (format!("it cannot be read: {error}"), None);
    let suggestion = "copy the sample's (deploy/local/practice) and edit it".to_owned();
    Mistake { file: name.to_owned(), line, reason, suggestion: Some(suggestion) }
}

fn of_fault(name: &str, fault: Fault) -> Mistake {
    let Fault { line, key, reason, meant } = fault;
    let suggestion = match meant {
        Some(word) => Some(format!("perhaps: {word}")),
        None => sample_of(name, &key),
    };
    let reason = if key.is_empty() { reason } else { format!("{key}: {reason}") };
    Mistake { file: name.to_owned(), line: Some(line), reason, suggestion }
}

fn of_content(folder: &Path, practice: Option<&Practice>, found: &mut Vec<Mistake>) {
    let Err(invalid) = Content::load(folder, practice) else { return };
    for problem in invalid.problems {
        let Ok(text) = fs::read_to_string(folder.join(problem.file)) else {
            let reason = problem.reason;
            found.push(Mistake {
                file: problem.file.to_owned(),
                line: None,
                reason,
                suggestion: None,
            });
            continue;
        };
        // A mistake of syntax names its line itself.
        let syntax = problem.reason.strip_prefix("line ").and_then(|it| it.split_once(": "));
        let (line, reason) = match syntax.filter(|_| problem.key.is_empty()) {
            Some((line, message)) => (line.parse().ok(), message.to_owned()),
            None => (line_of(&text, &problem.key), format!("{} {}", problem.key, problem.reason)),
        };
        let suggestion = match problem.meant {
            Some(word) => Some(format!("perhaps: {word}")),
            None => sample_of(problem.file, &problem.key),
        };
        found.push(Mistake { file: problem.file.to_owned(), line, reason, suggestion });
    }
}

/// The mistakes of a legal text, which has no sample to go on with.
fn of_error(folder: &Path, error: &practice::Error, found: &mut Vec<Mistake>) {
    match error {
        practice::Error::Unreadable { file, source } => found.push(missing(&name_of(file), source)),
        practice::Error::Malformed { file, .. } => {
            let name = name_of(file);
            let text = fs::read_to_string(folder.join(&name)).unwrap_or_default();
            found.extend(mend::syntax(&text).into_iter().map(|fault| of_fault(&name, fault)));
        }
        practice::Error::Wrong { file, problems } => {
            let name = name_of(file);
            let text = fs::read_to_string(folder.join(&name)).unwrap_or_default();
            for problem in problems {
                let key = problem.split_once(": ").map_or("", |(key, _)| key);
                found.push(Mistake {
                    file: name.clone(),
                    line: line_of(&text, key),
                    reason: problem.clone(),
                    suggestion: None,
                });
            }
        }
    }
}

fn name_of(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn sample(name: &str) -> Table {
    let text = SAMPLES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text);
    text.and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// How the sample has this key, if that is short.
fn sample_of(name: &str, key: &str) -> Option<String> {
    let sample = Value::Table(sample(name));
    let value = key.split('.').try_fold(&sample, |value, part| value_at(value, part))?;
    let is_whole = matches!(value, Value::Table(_) | Value::Array(_));
    let shown = (!is_whole).then(|| value.to_string())?;
    let last = key.rsplit('.').next().unwrap_or(key);
    let is_short = shown.chars().count() <= SHOWN_CHARS_MAX && !shown.contains('\n');
    is_short.then(|| format!("for example: {last} = {shown}"))
}

/// What a table has at a key, or a list at a number or for a name in it; else in its first entry.
fn value_at<'v>(value: &'v Value, part: &str) -> Option<&'v Value> {
    match value {
        Value::Table(table) => table.get(part),
        Value::Array(list) => {
            let is_named = |it: &&Value| {
                it.as_table().is_some_and(|it| it.values().any(|it| it.as_str() == Some(part)))
            };
            let first = || list.first().filter(|_| part.parse::<usize>().is_ok());
            let of_first = || list.first()?.as_table()?.get(part);
            list.iter().find(is_named).or_else(first).or_else(of_first).or_else(|| list.first())
        }
        Value::String(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::Boolean(_)
        | Value::Datetime(_) => None,
    }
}

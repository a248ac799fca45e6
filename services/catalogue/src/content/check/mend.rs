//! A file that is read as one stops at its first mistake. It is mended in memory, with what the
//! sample has there, and read again, until all its mistakes are known.

use std::ops::Range;

use practice::{Error, Slip};
use toml::de::DeTable;
use toml::{Table, Value};

use super::places::{Place, Step, around, line_at, line_of};
use crate::error::nearest;

/// The most mistakes that one file is read for.
const ROUNDS_MAX: usize = 100;

/// A mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// The line, from 1.
    pub(super) line: usize,
    /// The key, or nothing for the file as a whole.
    pub(super) key: String,
    pub(super) reason: String,
    /// The word that was probably meant.
    pub(super) meant: Option<String>,
}

/// All mistakes of syntax.
pub(super) fn syntax(text: &str) -> Vec<Fault> {
    let (_, errors) = DeTable::parse_recoverable(text);
    let fault = |error: &toml::de::Error| Fault {
        line: line_at(text, error.span().map_or(0, |span| span.start)),
        key: String::new(),
        reason: error.message().to_owned(),
        meant: None,
    };
    errors.iter().map(fault).collect()
}

/// What the text says, if it has no mistake, and else all its mistakes in the order of their lines.
pub(super) fn read<T>(
    text: &str,
    sample: &Table,
    parse: impl Fn(&str) -> Result<T, Error>,
) -> (Option<T>, Vec<Fault>) {
    let mut faults = syntax(text);
    if !faults.is_empty() {
        return (None, faults);
    }
    let mut draft = Draft { text: text.to_owned(), sample, added: Vec::new() };
    for _ in 0..ROUNDS_MAX {
        match parse(&draft.text) {
            Ok(read) if faults.is_empty() => return (Some(read), faults),
            Ok(_) => break,
            Err(Error::Wrong { problems, .. }) => {
                faults.extend(problems.iter().map(|problem| of_rule(text, problem)));
                break;
            }
            Err(Error::Malformed { slip, .. }) => {
                let (fault, is_mended) = draft.mend(&slip);
                faults.push(fault);
                if !is_mended {
                    break;
                }
            }
            Err(Error::Unreadable { .. }) => break,
        }
    }
    faults.sort_by_key(|fault| fault.line);
    (None, faults)
}

/// A value that is not allowed: `key: reason`.
fn of_rule(text: &str, problem: &str) -> Fault {
    let (key, reason) = problem.split_once(": ").unwrap_or(("", problem));
    let line = line_of(text, key).unwrap_or(1);
    Fault { line, key: key.to_owned(), reason: reason.to_owned(), meant: None }
}

/// The text, as far as it is mended.
struct Draft<'s> {
    text: String,
    sample: &'s Table,
    /// The lines that were put in, in that order, each as it was numbered then.
    added: Vec<usize>,
}

impl Draft<'_> {
    /// Names a mistake, and whether it could be mended.
    fn mend(&mut self, slip: &Slip) -> (Fault, bool) {
        let place = slip.offset.and_then(|offset| around(&self.text, offset));
        let line = self.line(slip.offset.unwrap_or(0));
        let path = place.as_ref().map(|place| place.path.clone()).unwrap_or_default();
        let (words, message) = (quoted(&slip.message), &slip.message);
        if message.starts_with("unknown field") {
            let (_, known) = words.split_first().unwrap_or((&"", &[]));
            let name = name_of(&path);
            let last = name.rsplit('.').next().unwrap_or_default().to_owned();
            let meant = nearest(&last, known.iter().copied());
            let reason = "it is not known here; is it spelt correctly?".to_owned();
            let is_mended = place.is_some_and(|place| self.remove(&place));
            return (Fault { line, key: name, reason, meant }, is_mended);
        }
        if message.starts_with("missing field") {
            let field = words.first().copied().unwrap_or_default().to_owned();
            let path = [path.as_slice(), &[Step::Key(field.clone())]].concat();
            let fault = Fault {
                line,
                key: name_of(&path),
                reason: "it is missing".to_owned(),
                meant: None,
            };
            return (fault, self.insert(place.as_ref(), &path, &field));
        }
        let (word, known) = match words.split_first() {
            Some((word, known)) if message.starts_with("unknown variant") => (*word, known),
            _ => ("", &[][..]),
        };
        let meant = nearest(word, known.iter().copied());
        let reason = message.to_owned();
        let is_mended = place.is_some_and(|place| self.replace(&place));
        (Fault { line, key: name_of(&path), reason, meant }, is_mended)
    }

    /// The line of an offset in the text as it was.
    fn line(&self, offset: usize) -> usize {
        let line = line_at(&self.text, offset);
        let before = |line: usize, added: &usize| if line > *added { line - 1 } else { line };
        self.added.iter().rev().fold(line, before)
    }

    /// Takes a key with its value out, or a table with all that it has.
    fn remove(&mut self, place: &Place) -> bool {
        let Some(key) = &place.key else { return false };
        let mut range = key.start.min(place.value.start)..key.end.max(place.value.end);
        let rest = self.text.get(range.start..).unwrap_or_default();
        let line_start =
            self.text.get(..range.start).and_then(|it| it.rfind('\n')).map_or(0, |it| it + 1);
        let is_header = self.text.get(line_start..).is_some_and(|line| line.starts_with('['));
        if is_header {
            let next = rest.find("\n[").map_or(self.text.len(), |at| range.start + at);
            range = line_start..next;
        }
        self.blank(range, "")
    }

    /// Puts what the sample has in the place of a value, and takes it out where it has nothing.
    fn replace(&mut self, place: &Place) -> bool {
        let Some(value) = at(self.sample, &place.path) else { return self.remove(place) };
        let was = self.text.get(place.value.clone()).unwrap_or_default();
        let new = value.to_string();
        if was == new || new.contains('\n') {
            return self.remove(place);
        }
        self.blank(place.value.clone(), &new)
    }

    /// Puts what the sample has for a missing key behind the header of its table.
    fn insert(&mut self, table: Option<&Place>, path: &[Step], field: &str) -> bool {
        let Some(value) = at(self.sample, path) else { return false };
        if matches!(value, Value::Table(_)) {
            let Some(text) = whole(path, value) else { return false };
            self.text.push_str(&format!("\n{text}"));
            return true;
        }
        let offset = match table {
            None => 0,
            Some(place) => {
                let rest = self.text.get(place.value.start..).unwrap_or_default();
                if !rest.starts_with('[') {
                    return false;
                }
                place.value.start + rest.find('\n').map_or(rest.len(), |at| at + 1)
            }
        };
        let lines = format!("{field} = {value}\n");
        let line = line_at(&self.text, offset);
        self.added.extend(lines.matches('\n').map(|_| line));
        self.text.insert_str(offset, &lines);
        true
    }

    /// Exchanges a range; the lines behind it keep their numbers.
    fn blank(&mut self, range: Range<usize>, new: &str) -> bool {
        let Some(was) = self.text.get(range.clone()) else { return false };
        let lines = "\n".repeat(was.matches('\n').count());
        self.text.replace_range(range, &format!("{new}{lines}"));
        DeTable::parse(&self.text).is_ok()
    }
}

/// The words in back quotes of a message.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

/// A path as the files' problems write it: a list's entries are counted from 1.
fn name_of(path: &[Step]) -> String {
    let part = |step: &Step| match step {
        Step::Key(key) => key.clone(),
        Step::Position(at) => at.saturating_add(1).to_string(),
    };
    path.iter().map(part).collect::<Vec<_>>().join(".")
}

/// What the sample has at a path: of a list its first entry.
fn at<'s>(sample: &'s Table, path: &[Step]) -> Option<&'s Value> {
    let (first, rest) = path.split_first()?;
    let Step::Key(key) = first else { return None };
    let step = |value: &'s Value, step: &Step| match step {
        Step::Key(key) => value.as_table()?.get(key),
        Step::Position(_) => value.as_array()?.first(),
    };
    rest.iter().try_fold(sample.get(key)?, step)
}

/// A table with its headers, as a text of its own.
fn whole(path: &[Step], value: &Value) -> Option<String> {
    let mut value = value.clone();
    for step in path.iter().rev() {
        let Step::Key(key) = step else { return None };
        value = Value::Table(Table::from_iter([(key.clone(), value)]));
    }
    toml::to_string(&value).ok()
}

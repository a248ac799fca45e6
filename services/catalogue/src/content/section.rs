//! Parses one table of a file key by key and records every mistake.
//!
//! Practice owners edit these files, so a start reports all mistakes of all files at once, each
//! with file, key and reason. Serde would stop at the first one.

use std::collections::BTreeSet;

use toml::{Table, Value};

use crate::error::Problem;

/// A table while it is parsed. Parsed keys are removed, so the remaining keys are unknown ones. A
/// missing or invalid value is replaced by a default; the recorded problems prevent it from being
/// served.
pub(super) struct Section<'p> {
    file: &'static str,
    path: String,
    table: Table,
    /// The keys that were asked for.
    known: BTreeSet<String>,
    problems: &'p mut Vec<Problem>,
}

/// Parses a whole file.
pub(super) fn read_file<T>(
    file: &'static str,
    table: Table,
    problems: &mut Vec<Problem>,
    read: impl FnOnce(&mut Section<'_>) -> T,
) -> T {
    Section { file, path: String::new(), table, known: BTreeSet::new(), problems }.read_all(read)
}

impl Section<'_> {
    /// Records a problem with a key of this table.
    pub(super) fn problem(&mut self, key: &str, reason: impl Into<String>) {
        let key = self.path_of(key);
        self.problems.push(Problem::new(self.file, key, reason));
    }

    /// A text that is not empty, of at most `longest` characters.
    pub(super) fn text(&mut self, key: &str, longest: usize) -> String {
        let Some(text) = self.take(key, "a text in quotation marks", into_text) else {
            return String::new();
        };
        if text.is_empty() {
            self.problem(key, "is empty");
        }
        self.check_length(key, text, longest)
    }

    /// A text that may be empty or absent.
    pub(super) fn optional_text(&mut self, key: &str, longest: usize) -> String {
        if !self.has(key) {
            return String::new();
        }
        let text = self.take(key, "a text in quotation marks", into_text);
        self.check_length(key, text.unwrap_or_default(), longest)
    }

    /// A text that is one of the given words.
    pub(super) fn one_of(&mut self, key: &str, words: &[&str]) -> String {
        let text = self.text(key, usize::MAX);
        if !text.is_empty() && !words.contains(&text.as_str()) {
            let reason = format!("must be one of: {}", words.join(", "));
            let problem = Problem::new(self.file, self.path_of(key), reason);
            self.problems.push(problem.among(&text, words.iter().copied()));
        }
        text
    }

    /// A boolean; false if absent.
    pub(super) fn optional_flag(&mut self, key: &str) -> bool {
        if !self.has(key) {
            return false;
        }
        self.take(key, "true or false", |value| value.as_bool()).unwrap_or_default()
    }

    /// An id for use in URLs.
    pub(super) fn id(&mut self, key: &str) -> String {
        let text = self.text(key, 60);
        if !text.is_empty() && !is_id(&text) {
            self.problem(key, "may only hold small letters, digits and single hyphens");
        }
        text
    }

    /// An integer between two limits, both included.
    pub(super) fn number(&mut self, key: &str, least: i64, most: i64) -> i64 {
        let number = self.take(key, "a whole number", |value| value.as_integer());
        let Some(number) = number else { return least };
        if !(least..=most).contains(&number) {
            self.problem(key, format!("must be from {least} to {most}"));
        }
        number.clamp(least, most)
    }

    /// Like [`Section::number`], for a field of 32 bits.
    pub(super) fn small_number(&mut self, key: &str, least: i32, most: i32) -> i32 {
        let number = self.number(key, least.into(), most.into());
        i32::try_from(number).unwrap_or(least)
    }

    /// The same; `usual` if absent.
    pub(super) fn optional_number(
        &mut self,
        key: &str,
        (least, most): (i32, i32),
        usual: i32,
    ) -> i32 {
        if self.has(key) { self.small_number(key, least, most) } else { usual }
    }

    /// A list of texts, at least one.
    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        let texts = self.take(key, "a list of texts in quotation marks", |value| match value {
            Value::Array(items) => items.into_iter().map(into_text).collect::<Option<Vec<_>>>(),
            _ => None,
        });
        self.not_empty(key, texts)
    }

    /// A list of texts, at least one; empty if absent.
    pub(super) fn optional_texts(&mut self, key: &str) -> Vec<String> {
        if self.has(key) { self.texts(key) } else { Vec::new() }
    }

    /// Between one and `most` paragraphs of at most `longest` characters each.
    pub(super) fn paragraphs(&mut self, key: &str, most: usize, longest: usize) -> Vec<String> {
        let text = self.take(key, "a text in quotation marks", into_text);
        let Some(paragraphs) = text.map(|text| into_paragraphs(&text)) else {
            return Vec::new();
        };
        if paragraphs.is_empty() {
            self.problem(key, "is empty");
        }
        if paragraphs.len() > most {
            self.problem(key, format!("has more than {most} paragraphs"));
        }
        if paragraphs.iter().any(|paragraph| paragraph.chars().count() > longest) {
            let reason = format!("has a paragraph that is longer than {longest} characters");
            self.problem(key, reason);
        }
        paragraphs
    }

    /// One paragraph of at most `longest` characters, regardless of line breaks in the file.
    pub(super) fn paragraph(&mut self, key: &str, longest: usize) -> String {
        let text = self.take(key, "a text in quotation marks", into_text);
        let Some(paragraph) = text.map(|text| into_paragraphs(&text).join(" ")) else {
            return String::new();
        };
        if paragraph.is_empty() {
            self.problem(key, "is empty");
        }
        self.check_length(key, paragraph, longest)
    }

    /// A nested table, written `key = { … }`.
    pub(super) fn inner<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&mut Section<'_>) -> T,
    ) -> Option<T> {
        let table = self.take(key, "a group of keys in braces", into_table)?;
        let path = self.path_of(key);
        Some(self.section(path, table).read_all(read))
    }

    /// A nested table that may be absent.
    pub(super) fn optional_inner<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&mut Section<'_>) -> T,
    ) -> Option<T> {
        if self.has(key) { self.inner(key, read) } else { None }
    }

    /// The blocks `[[key]]`, at least one. Problems name a block by its `name_key`, or by its
    /// number if that key is missing.
    pub(super) fn blocks<T>(
        &mut self,
        key: &str,
        name_key: &str,
        mut read: impl FnMut(&mut Section<'_>) -> T,
    ) -> Vec<T> {
        let tables = self.take(key, "written as [[blocks]]", |value| match value {
            Value::Array(items) => items.into_iter().map(into_table).collect::<Option<Vec<_>>>(),
            _ => None,
        });
        let tables = self.not_empty(key, tables);
        let path = self.path_of(key);
        let mut blocks = Vec::with_capacity(tables.len());
        for (index, table) in tables.into_iter().enumerate() {
            let name = table.get(name_key).and_then(Value::as_str).filter(|name| is_id(name));
            let name = name.map_or_else(|| (index + 1).to_string(), str::to_owned);
            let path = format!("{path}.{name}");
            blocks.push(self.section(path, table).read_all(&mut read));
        }
        blocks
    }

    fn section(&mut self, path: String, table: Table) -> Section<'_> {
        let (file, known) = (self.file, BTreeSet::new());
        Section { file, path, table, known, problems: &mut *self.problems }
    }

    fn read_all<T>(mut self, read: impl FnOnce(&mut Section<'_>) -> T) -> T {
        let read = read(&mut self);
        for key in std::mem::take(&mut self.table).keys() {
            let reason = "is not known here; is it spelt correctly?";
            let problem = Problem::new(self.file, self.path_of(key), reason);
            self.problems.push(problem.among(key, self.known.iter().map(String::as_str)));
        }
        read
    }

    fn has(&mut self, key: &str) -> bool {
        self.known.insert(key.to_owned());
        self.table.contains_key(key)
    }

    fn take<T>(
        &mut self,
        key: &str,
        kind: &str,
        convert: impl FnOnce(Value) -> Option<T>,
    ) -> Option<T> {
        self.known.insert(key.to_owned());
        let Some(value) = self.table.remove(key) else {
            self.problem(key, "is missing");
            return None;
        };
        let converted = convert(value);
        if converted.is_none() {
            self.problem(key, format!("must be {kind}"));
        }
        converted
    }

    fn check_length(&mut self, key: &str, text: String, longest: usize) -> String {
        if text.chars().count() > longest {
            self.problem(key, format!("is longer than {longest} characters"));
        }
        text
    }

    fn not_empty<T>(&mut self, key: &str, list: Option<Vec<T>>) -> Vec<T> {
        if list.as_ref().is_some_and(Vec::is_empty) {
            self.problem(key, "needs at least one entry");
        }
        list.unwrap_or_default()
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

/// Words of lowercase letters and digits, joined by single hyphens.
fn is_id(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.split('-').all(|word| !word.is_empty() && word.bytes().all(plain))
}

fn into_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        _ => None,
    }
}

/// An empty line separates paragraphs; other white space is collapsed. The website's reader
/// (`web/src/prerender/practice-files.ts`) splits the same way, so that prerendered and fetched
/// pages are equal.
fn into_paragraphs(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let paragraphs = lines.split(|line| line.trim().is_empty());
    let words = |lines: &[&str]| {
        let words: Vec<&str> = lines.iter().flat_map(|line| line.split_whitespace()).collect();
        words.join(" ")
    };
    paragraphs.filter(|lines| !lines.is_empty()).map(words).collect()
}

fn into_table(value: Value) -> Option<Table> {
    match value {
        Value::Table(table) => Some(table),
        _ => None,
    }
}

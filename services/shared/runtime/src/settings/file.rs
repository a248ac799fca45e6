//! Settings in a file, as systemd and shells read it: a line `NAME='value'` for each, with `\'`
//! between two quoted parts for a single quote. Lines that begin with `#` are comments.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A file of settings that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum InvalidFile {
    /// The system does not give it.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// A setting has no `=`, or its quote does not end.
    #[error("{} has something else than settings from line {line} on", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
    },
}

/// Reads the settings of a file.
///
/// # Errors
/// It cannot be read, or is none; no value is part of the error.
pub fn read_file(path: &Path) -> Result<BTreeMap<String, String>, InvalidFile> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| InvalidFile::Unreadable { path: path.to_owned(), source })?;
    let lines_of = |text: &str| text.lines().count();
    parse(&text).map_err(|rest| InvalidFile::Malformed {
        path: path.to_owned(),
        line: lines_of(&text) + 1 - lines_of(rest),
    })
}

/// The settings of a text; what begins with the first that is none, if one is.
fn parse(text: &str) -> Result<BTreeMap<String, String>, &str> {
    let mut settings = BTreeMap::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        if line.starts_with('#') {
            rest = after.trim_start();
            continue;
        }
        let (name, after) = line.split_once('=').and_then(|_| rest.split_once('=')).ok_or(rest)?;
        let (value, after) = value(after).ok_or(rest)?;
        settings.insert(name.trim().to_owned(), value);
        rest = after.trim_start();
    }
    Ok(settings)
}

/// The value at the beginning of a text, and what follows its line.
fn value(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.chars();
    let mut is_quoted = false;
    while let Some(letter) = chars.next() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            '\n' if !is_quoted => break,
            '\\' if !is_quoted => value.push(chars.next()?),
            _ => value.push(letter),
        }
    }
    (!is_quoted).then_some((value, chars.as_str()))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn values_are_read_as_they_were_quoted() {
        let text = "# Written by sukoon.\nA='one two'\n\nB=\nC='{\"x\":\n\"#y\"}'\n\
                    D='O'\\''Brien'\nE=plain";
        let settings = parse(text).unwrap();
        let told: Vec<(&str, &str)> =
            settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let wanted = [
            ("A", "one two"),
            ("B", ""),
            ("C", "{\"x\":\n\"#y\"}"),
            ("D", "O'Brien"),
            ("E", "plain"),
        ];
        assert_eq!(told, wanted);
    }

    #[test]
    fn what_is_no_setting_is_pointed_to() {
        assert_eq!(parse("A='x'\nB\nC=y"), Err("B\nC=y"));
        assert_eq!(parse("A='x'\nB='y\n"), Err("B='y\n"));
    }
}

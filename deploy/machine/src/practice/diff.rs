//! What differs between two folders of the practice's files, key by key.
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use toml::{Table, Value};

/// The longest value that is shown on the line of its key.
const LINE_CHARS_MAX: usize = 70;

/// What the files of `new` have that those of `old` do not, and the other way round.
pub(super) fn changes(old: &Path, new: &Path) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    let names: BTreeSet<String> = [names(old)?, names(new)?].into_iter().flatten().collect();
    for name in names {
        let (old, new) = (values(&old.join(&name))?, values(&new.join(&name))?);
        let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        for key in keys {
            let (before, after) = (old.get(key), new.get(key));
            if before != after {
                lines.push(shown(&format!("{name}: {key}"), before, after));
            }
        }
    }
    Ok(lines)
}

fn shown(key: &str, before: Option<&String>, after: Option<&String>) -> String {
    let is_short = |text: Option<&String>| {
        text.is_none_or(|text| text.chars().count() <= LINE_CHARS_MAX && !text.contains('\n'))
    };
    match (before, after) {
        (Some(before), Some(after)) if is_short(Some(before)) && is_short(Some(after)) => {
            format!("{key}: {before} becomes {after}")
        }
        (None, Some(after)) if is_short(Some(after)) => format!("{key}: {after} is new"),
        (Some(before), None) if is_short(Some(before)) => format!("{key}: {before} goes"),
        (before, after) => {
            let lines = |text: Option<&String>| -> Vec<String> {
                text.map(|text| text.lines().map(str::to_owned).collect()).unwrap_or_default()
            };
            let (before, after) = (lines(before), lines(after));
            let gone = before.iter().filter(|line| !after.contains(line)).map(|it| ("-", it));
            let come = after.iter().filter(|line| !before.contains(line)).map(|it| ("+", it));
            let both = gone.chain(come).map(|(mark, line)| format!("\n  {mark} {line}"));
            format!("{key}:{}", both.collect::<String>())
        }
    }
}

/// The names of the files with words in a folder.
fn names(folder: &Path) -> Result<Vec<String>> {
    let unreadable = || format!("the folder {} cannot be read", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(unreadable)? {
        let name = entry.with_context(unreadable)?.file_name();
        names.extend(name.into_string().ok().filter(|name| name.ends_with(".toml")));
    }
    Ok(names)
}

/// The values of a file by their keys. Where it is no TOML, the text as a whole is its one value.
fn values(file: &Path) -> Result<BTreeMap<String, String>> {
    let mut values = BTreeMap::new();
    if !file.is_file() {
        return Ok(values);
    }
    let text =
        fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    match text.parse::<Table>() {
        Ok(table) => collect("", &Value::Table(table), &mut values),
        Err(_) => drop(values.insert("the text".to_owned(), text)),
    }
    Ok(values)
}

fn collect(key: &str, value: &Value, into: &mut BTreeMap<String, String>) {
    let below = |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
    match value {
        Value::Table(table) => {
            table.iter().for_each(|(name, value)| collect(&below(name), value, into));
        }
        Value::Array(list) if list.iter().any(Value::is_table) => {
            for (value, number) in list.iter().zip(1_usize..) {
                collect(&below(&name_of(value, number)), value, into);
            }
        }
        Value::String(text) => drop(into.insert(key.to_owned(), text.trim().to_owned())),
        other => drop(into.insert(key.to_owned(), other.to_string())),
    }
}

/// What an entry of a list is called: its id or title, else its number.
fn name_of(value: &Value, number: usize) -> String {
    let table = value.as_table();
    let id = table.and_then(|it| it.iter().find(|(key, _)| key.ends_with("_id") || *key == "key"));
    let id = id.and_then(|(_, value)| value.as_str());
    id.map_or_else(|| number.to_string(), str::to_owned)
}

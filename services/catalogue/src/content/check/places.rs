//! Where a key stands in a file.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A step from a table or a list into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// The key of a table.
    Key(String),
    /// A position in a list, from 0.
    Position(usize),
}

/// A key with its value, and the way to it.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) path: Vec<Step>,
    /// Where the key stands; none for an entry of a list.
    pub(super) key: Option<Range<usize>>,
    pub(super) value: Range<usize>,
}

/// The number of the line at an offset.
pub(super) fn line_at(text: &str, offset: usize) -> usize {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    before.iter().filter(|byte| **byte == b'\n').count().saturating_add(1)
}

/// The line of a key such as `services.meditation.price`, or of the nearest table around it.
pub(super) fn line_of(text: &str, key: &str) -> Option<usize> {
    let (root, _) = DeTable::parse_recoverable(text);
    let mut table = Some(root.get_ref());
    let mut list: Option<&[Spanned<DeValue<'_>>]> = None;
    let mut offset = None;
    for part in key.split('.') {
        let (at, value) = match (table, list) {
            (Some(table), _) => {
                let Some((key, value)) = entry(table, part) else { break };
                (key.span().start, value)
            }
            (None, Some(list)) => {
                if let Some(value) = entry_of_list(list, part) {
                    (value.span().start, value)
                } else {
                    // A rule for all entries names none of them.
                    let tables = list.iter().filter_map(|it| it.get_ref().as_table());
                    let first = tables.filter_map(|table| entry(table, part)).next();
                    let Some((key, value)) = first else { break };
                    (key.span().start, value)
                }
            }
            (None, None) => break,
        };
        offset = Some(at);
        table = value.get_ref().as_table();
        list = value.get_ref().as_array().map(|list| &**list);
    }
    offset.map(|offset| line_at(text, offset))
}

type Entry<'t, 'i> = (&'t Spanned<std::borrow::Cow<'i, str>>, &'t Spanned<DeValue<'i>>);

fn entry<'t, 'i>(table: &'t DeTable<'i>, name: &str) -> Option<Entry<'t, 'i>> {
    table.iter().find(|(key, _)| key.get_ref() == name)
}

fn entry_of_list<'t, 'i>(
    list: &'t [Spanned<DeValue<'i>>],
    part: &str,
) -> Option<&'t Spanned<DeValue<'i>>> {
    let number = part.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let is_named = |it: &&Spanned<DeValue<'i>>| {
        let table = it.get_ref().as_table();
        table.is_some_and(|it| it.values().any(|it| it.get_ref().as_str() == Some(part)))
    };
    number.and_then(|number| list.get(number)).or_else(|| list.iter().find(is_named))
}

/// The smallest key, or value, around an offset; none where the text is no table or only the
/// table as a whole is around it.
pub(super) fn around(text: &str, offset: usize) -> Option<Place> {
    let root = DeTable::parse(text).ok()?;
    let mut found = Vec::new();
    collect(root.get_ref(), &[], &mut found);
    let size = |range: &Range<usize>| range.end.saturating_sub(range.start);
    let holds = |range: &Range<usize>| range.contains(&offset);
    let fitting = found.into_iter().filter_map(|place| {
        let key = place.key.clone().filter(|it| holds(it));
        let value = Some(place.value.clone()).filter(holds);
        let smallest = [key, value].into_iter().flatten().map(|it| size(&it)).min()?;
        Some((smallest, place))
    });
    fitting.min_by_key(|(size, _)| *size).map(|(_, place)| place)
}

fn collect(table: &DeTable<'_>, path: &[Step], found: &mut Vec<Place>) {
    for (key, value) in table {
        let path = [path, &[Step::Key(key.get_ref().to_string())]].concat();
        found.push(Place { path: path.clone(), key: Some(key.span()), value: value.span() });
        collect_inside(value, &path, found);
    }
}

fn collect_inside(value: &Spanned<DeValue<'_>>, path: &[Step], found: &mut Vec<Place>) {
    if let Some(table) = value.get_ref().as_table() {
        collect(table, path, found);
    }
    for (entry, number) in value.get_ref().as_array().into_iter().flat_map(|it| it.iter()).zip(0..)
    {
        let path = [path, &[Step::Position(number)]].concat();
        found.push(Place { path: path.clone(), key: None, value: entry.span() });
        collect_inside(entry, &path, found);
    }
}

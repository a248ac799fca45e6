//! Rules for `docs/stored.csv`: one table of what browsers and databases keep and who receives
//! something. The privacy page's list and a part of the inventory are made from it, and what the
//! code keeps and the table does not have is found, and the reverse.
use std::collections::{BTreeMap, BTreeSet};

use crate::inventory;
use crate::stored_names::{Findings, kept};
use crate::tree::SourceFile;

/// The file that is held.
pub const FILE: &str = "docs/stored.csv";
const HEADER: &str = "kind,name,personal,group,what,kept";
/// What is kept, and who receives something.
const KINDS: [&str; 7] = ["cookie", "local", "tab", "channel", "memory", "column", "processor"];
/// The parts of the list on the privacy page; `web/src/prerender/stored-list.ts` has their words.
const GROUPS: [&str; 11] = [
    "account", "signin", "booking", "consent", "payment", "review", "form", "mail", "staff",
    "browser", "receives",
];
/// Who receives something, as the issue that asked for the table names them.
const PROCESSORS: [&str; 7] = [
    "payment provider",
    "scheduling provider",
    "meeting provider",
    "mail server",
    "sender of messages to phones",
    "providers of sign-in",
    "host of the practice",
];
/// The part of the inventory that is made from the table stands between these.
const BEGIN: &str = "<!-- made from stored.csv: begin -->";
const END: &str = "<!-- made from stored.csv: end -->";

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// One of `KINDS`.
    pub kind: String,
    /// The cookie, the key, `service.table.column`, or who receives.
    pub name: String,
    /// Whether it can tell something of a person.
    pub personal: bool,
    /// One of `GROUPS`; empty for what is not personal and in no browser.
    pub group: String,
    /// What it is, in the words of the privacy page.
    pub what: String,
    /// How long it is kept.
    pub kept: String,
}

/// The rows.
///
/// # Errors
/// The lines that are no rows.
pub fn rows(text: &str) -> Result<Vec<Row>, Vec<String>> {
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return Err(vec![format!("{FILE} does not begin with {HEADER}")]);
    }
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for (at, line) in lines.enumerate() {
        let said = |what: &str| format!("{FILE}:{}: {what}: {line}", at.saturating_add(2));
        match read(line) {
            Ok(row) => rows.push(row),
            Err(what) => faults.push(said(what)),
        }
    }
    if faults.is_empty() { Ok(rows) } else { Err(faults) }
}

fn read(line: &str) -> Result<Row, &'static str> {
    let fields: Vec<&str> = line.split(',').collect();
    let [kind, name, personal, group, what, kept] = fields.as_slice() else {
        return Err("a row has six fields, and no comma in any");
    };
    if !KINDS.contains(kind) || name.is_empty() {
        return Err("the kind is unknown, or there is no name");
    }
    let personal = match *personal {
        "yes" => true,
        "no" => false,
        _ => return Err("the third field is yes or no"),
    };
    let told = GROUPS.contains(group) && !what.is_empty() && !kept.is_empty();
    let silent = group.is_empty() && what.is_empty() && kept.is_empty();
    let in_browser = ["cookie", "local", "tab", "channel"].contains(kind);
    if !told && (personal || in_browser || !silent) {
        return Err("what is personal or in a browser has a group, what it is and how long");
    }
    let own = |text: &str| text.to_owned();
    let (kind, name, group) = (own(kind), own(name), own(group));
    Ok(Row { kind, name, personal, group, what: own(what), kept: own(kept) })
}

/// What the code keeps and the table does not have, with the row to add; and rows of nothing.
#[must_use]
pub fn differences(files: &[SourceFile], rows: &[Row]) -> Vec<String> {
    let mut faults = Vec::new();
    let have: BTreeSet<(&str, &str)> =
        rows.iter().map(|row| (row.kind.as_str(), row.name.as_str())).collect();
    if have.len() != rows.len() {
        faults.push(format!("{FILE} has a row twice"));
    }
    let Findings { found, faults: unread } = kept(files);
    faults.extend(unread);
    let kinds_of =
        |name: &str, kinds: &[&str]| kinds.iter().any(|kind| have.contains(&(kind, name)));
    for (kind, name, place) in &found {
        let kinds: &[&str] = if kind == "key" { &["local", "tab", "memory"] } else { &[kind] };
        if !kinds_of(name, kinds) {
            faults.push(format!("{place} keeps `{name}`. {}", row_to_add(kind, name)));
        }
    }
    let is_kept = |row: &Row| {
        let kind = match row.kind.as_str() {
            "local" | "tab" | "memory" => "key",
            other => other,
        };
        found.iter().any(|(known, name, _)| known == kind && *name == row.name)
    };
    for row in rows.iter().filter(|row| row.kind != "processor" && !is_kept(row)) {
        let Row { kind, name, .. } = row;
        faults.push(format!("{FILE}: nothing keeps the {kind} `{name}` any more: remove its row"));
    }
    for name in PROCESSORS.iter().filter(|name| !have.contains(&("processor", **name))) {
        faults.push(format!("{FILE} does not have the processor `{name}`"));
    }
    faults
}

/// The words that say which row is missing.
fn row_to_add(kind: &str, name: &str) -> String {
    let groups = GROUPS.join(" ");
    match kind {
        "column" => format!(
            "Add to {FILE} either `column,{name},no,,,` if it can tell nothing of a person, or \
             `column,{name},yes,GROUP,what it is,how long it is kept`; GROUP is one of {groups}"
        ),
        "key" => format!(
            "Add to {FILE} `tab,{name},yes,browser,what it is,until you close the tab` \
             (sessionStorage), the same with `local` (localStorage), or `memory,{name},no,,,` when \
             it is no key of storage"
        ),
        _ => format!("Add to {FILE} `{kind},{name},yes,browser,what it is,how long it is kept`"),
    }
}

/// The part of the inventory that the table makes.
#[must_use]
pub fn part(rows: &[Row]) -> String {
    let mut merged: BTreeMap<(usize, &str, &str), Vec<&str>> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.group.is_empty() && row.kind != "processor") {
        let group = GROUPS.iter().position(|group| *group == row.group).unwrap_or_default();
        let key = (group, row.kept.as_str(), row.what.as_str());
        merged.entry(key).or_default().push(row.name.as_str());
    }
    let mut text =
        format!("{BEGIN}\n| Class | What | Where | Findings |\n| --- | --- | --- | --- |\n");
    for ((group, kept, what), names) in merged {
        let group = GROUPS.get(group).unwrap_or(&"");
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        text.push_str(&format!("| {group} | {what} | {} | {kept} |\n", names.join(", ")));
    }
    for row in rows.iter().filter(|row| row.kind == "processor") {
        let Row { name, what, kept, .. } = row;
        text.push_str(&format!("| receives | {what} | {name} | {kept} |\n"));
    }
    text.push_str(END);
    text
}

/// The inventory with the part as the table makes it; `None` when it has no place for it.
#[must_use]
pub fn inventory(files: &[SourceFile], rows: &[Row]) -> Option<(String, String)> {
    let text = &files.iter().find(|file| file.path == inventory::FILE)?.text;
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some((text.clone(), format!("{before}{}{after}", part(rows))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "kind,name,personal,group,what,kept\n\
                        column,a.people.name,yes,account,your name,for good\n\
                        column,a.people.state,no,,,\n\
                        tab,draft,yes,browser,a draft,until you close the tab\n";

    fn code() -> Vec<SourceFile> {
        vec![
            SourceFile::sample(
                "migrations/a/1_x.sql",
                "create table people (\n  id uuid,\n  name text not null,\n  state text\n);\n",
            ),
            SourceFile::sample(
                "web/src/lib/draft.ts",
                "const KEY = 'draft';\nwriteTab(KEY, 'x');\n",
            ),
        ]
    }

    fn without_processors(faults: Vec<String>) -> Vec<String> {
        faults.into_iter().filter(|fault| !fault.contains("the processor")).collect()
    }

    #[test]
    fn what_the_table_lacks_is_found_with_the_row_to_add() {
        let rows = rows(GOOD).unwrap();
        let mut files = code();
        assert_eq!(without_processors(differences(&files, &rows)), Vec::<String>::new());
        files.push(SourceFile::sample(
            "migrations/a/2_x.sql",
            "alter table people\n  add column phone text,\n  add column age integer;\n",
        ));
        files.push(SourceFile::sample("web/src/app/x.ts", "const OTHER_KEY = 'more';\n"));
        let faults = without_processors(differences(&files, &rows));
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].contains("`column,a.people.phone,no,,,`"), "{faults:?}");
        assert!(faults[1].contains("`memory,more,no,,,`"), "{faults:?}");
    }

    #[test]
    fn a_row_of_nothing_and_a_missing_processor_are_found() {
        let rows = rows(GOOD).unwrap();
        let files: Vec<_> = code().into_iter().take(1).collect();
        let faults = differences(&files, &rows);
        assert!(faults.iter().any(|fault| fault.contains("`draft` any more")), "{faults:?}");
        assert_eq!(faults.len(), 1 + PROCESSORS.len());
    }

    #[test]
    fn a_row_that_says_too_little_is_refused() {
        for line in [
            "column,a.b.c,yes,,,",
            "column,a.b.c,maybe,,,",
            "tab,key,no,,,",
            "jar,key,no,,,",
            "column,a.b.c,yes,account,one, two,ever",
        ] {
            assert!(rows(&format!("{HEADER}\n{line}\n")).is_err(), "{line}");
        }
    }

    #[test]
    fn the_part_of_the_inventory_merges_what_is_the_same() {
        let rows = rows(&GOOD.replace("no,,,", "yes,account,your name,for good")).unwrap();
        let part = part(&rows);
        let line = "| account | your name | `a.people.name`, `a.people.state` | for good |";
        assert!(part.contains(line), "{part}");
    }
}

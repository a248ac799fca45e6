//! Rules for `docs/SECURITY_INVENTORY.md`: it names every secret and every address that a setting
//! holds, and every table with personal data, so that none is added unseen.
use std::collections::BTreeSet;

use crate::tree::SourceFile;

/// The file that is held.
pub const FILE: &str = "docs/SECURITY_INVENTORY.md";
/// How the names of settings end that hold a secret, or an address of another system.
const NAMED: [&str; 11] = [
    "_KEY",
    "_KEYS",
    "_SECRET",
    "_SECRETS",
    "_PREVIOUS",
    "_TOKEN",
    "_HASH",
    "_PASSWORD",
    "_URL",
    "_ENDPOINT",
    "_ISSUER",
];

/// The settings that the inventory has to name: those of the snapshots of each program's settings.
fn settings(files: &[SourceFile]) -> BTreeSet<String> {
    let dumps = files.iter().filter(|file| file.name().contains("__settings_of_"));
    let lines = dumps.flat_map(|file| file.text.lines());
    let is_name = |line: &&str| {
        let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        !line.is_empty() && line.chars().all(plain)
    };
    let named = lines.filter(is_name).filter(|name| NAMED.iter().any(|end| name.ends_with(end)));
    named.map(str::to_owned).collect()
}

/// The tables whose comment begins with "personal", as `service.table`.
fn personal_tables(files: &[SourceFile]) -> BTreeSet<String> {
    let migrations = files.iter().filter(|file| file.path.starts_with("migrations/"));
    let tables = migrations.flat_map(|file| {
        let service = file.path.split('/').nth(1).unwrap_or_default();
        file.text.split("comment on table ").skip(1).filter_map(move |after| {
            let (table, rest) = after.split_once(char::is_whitespace)?;
            let comment = rest.split('\'').nth(1)?;
            let is_personal = comment.to_lowercase().starts_with("personal");
            is_personal.then(|| format!("{service}.{table}"))
        })
    });
    tables.collect()
}

/// What the inventory does not name.
#[must_use]
pub fn gaps(files: &[SourceFile]) -> Vec<String> {
    let inventory = files.iter().find(|file| file.path == FILE);
    let text = inventory.map(|file| file.text.as_str()).unwrap_or_default();
    let wanted = settings(files).into_iter().chain(personal_tables(files));
    let missing = wanted.filter(|name| !text.contains(&format!("`{name}`")));
    missing.map(|name| format!("{FILE} does not name `{name}`")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_an_address_and_a_table_that_are_not_named_are_found() {
        let snapshot = "---\nsource: x\n---\nA_KEY\n  absent: accepted\nB_URL\nC_LIMIT\n";
        let sql = "comment on table people is\n    'Personal: names.';\n\
                   comment on table counts is 'Ids only, no personal data.';\n";
        let mut files = vec![
            SourceFile::sample(
                "services/a/tests/it/snapshots/it__dumps__settings_of_serve.snap",
                snapshot,
            ),
            SourceFile::sample("migrations/a/1_x.sql", sql),
        ];
        assert_eq!(gaps(&files).len(), 3);
        files.push(SourceFile::sample(FILE, "`A_KEY`, `B_URL` and `a.people`"));
        assert_eq!(gaps(&files), Vec::<String>::new());
    }
}

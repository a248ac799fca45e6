//! Rules for the files that change databases.
use crate::tree::SourceFile;
use std::collections::BTreeMap;

/// What a migration may do, as its name says it.
const VERBS: [&str; 10] =
    ["add", "alter", "backfill", "create", "drop", "grant", "index", "move", "rename", "revoke"];

/// Names that are not `<timestamp>_<verb>_<noun>.sql` in a service's folder.
#[must_use]
pub fn names(file: &SourceFile) -> Vec<String> {
    if is_name(&file.path) {
        Vec::new()
    } else {
        vec![format!("{} is not migrations/<service>/<timestamp>_<verb>_<noun>.sql", file.path)]
    }
}

fn is_name(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let [_, _, name] = parts.as_slice() else {
        return false;
    };
    let Some(stem) = name.strip_suffix(".sql") else {
        return false;
    };
    let Some((time, rest)) = stem.split_once('_') else {
        return false;
    };
    let Some((verb, noun)) = rest.split_once('_') else {
        return false;
    };
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let timed = time.len() == 14 && time.chars().all(|c| c.is_ascii_digit());
    timed && VERBS.contains(&verb) && !noun.is_empty() && noun.chars().all(plain)
}

/// Migrations that would run in no certain order: the event log's run in every service's database,
/// before and between the service's own.
#[must_use]
pub fn clashes(files: &[&SourceFile]) -> Vec<String> {
    let mut seen: BTreeMap<(String, String), &str> = BTreeMap::new();
    let mut faults = Vec::new();
    let folder = |path: &str| path.split('/').nth(1).unwrap_or_default().to_owned();
    let mut ordered: Vec<&&SourceFile> = files.iter().collect();
    ordered.sort_by_key(|file| folder(&file.path) != "eventstore");
    for file in ordered {
        let time = file.name().split('_').next().unwrap_or_default().to_owned();
        let everywhere = seen.get(&("eventstore".to_owned(), time.clone())).copied();
        let own = seen.insert((folder(&file.path), time), &file.path);
        if let Some(earlier) = everywhere.or(own) {
            faults.push(format!("{} and {earlier} have the same time", file.path));
        }
    }
    faults
}

/// Tables that nothing is said about, neither above them nor in the database.
#[must_use]
pub fn commented_tables(file: &SourceFile) -> Vec<String> {
    let text = file.text.to_lowercase();
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut above = "";
    let mut faults = Vec::new();
    for line in text.lines() {
        let rest = line.strip_prefix("create table ").unwrap_or_default();
        let rest = rest.strip_prefix("if not exists ").unwrap_or(rest);
        let table = rest.split([' ', '(']).next().unwrap_or_default();
        let told =
            above.starts_with("-- ") || joined.contains(&format!("comment on table {table} is"));
        if !table.is_empty() && !told {
            faults.push(format!("{}: nothing is said about the table {table}", file.path));
        }
        above = line;
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_says_too_little_is_found() {
        for path in [
            "migrations/booking/1_init.sql",
            "migrations/booking/20261120100000_bookings.sql",
            "migrations/booking/20261120100000_make_bookings.sql",
            "migrations/20261120100000_create_bookings.sql",
        ] {
            assert_eq!(names(&SourceFile::sample(path, "")).len(), 1, "{path}");
        }
        let good = "migrations/booking/20261120100000_create_bookings.sql";
        assert!(names(&SourceFile::sample(good, "")).is_empty());
    }

    #[test]
    fn two_migrations_of_the_same_time_are_found() {
        let own = SourceFile::sample("migrations/booking/20261120000001_create_a.sql", "");
        let log = SourceFile::sample("migrations/eventstore/20261120000001_create_b.sql", "");
        let other = SourceFile::sample("migrations/payments/20261120000002_create_c.sql", "");
        let same = SourceFile::sample("migrations/booking/20261120000002_create_d.sql", "");
        assert_eq!(clashes(&[&own, &log]).len(), 1);
        assert!(clashes(&[&other, &same]).is_empty());
    }

    #[test]
    fn a_table_without_a_comment_is_found() {
        let path = "migrations/booking/20261120100000_create_bookings.sql";
        let bare = SourceFile::sample(path, "create table bookings (\n  id uuid\n);\n");
        assert_eq!(commented_tables(&bare).len(), 1);
        let said = format!("{}comment on table bookings\n  is 'x';\n", bare.text);
        assert!(commented_tables(&SourceFile::sample(path, &said)).is_empty());
        let above = format!("-- A booking.\n{}", bare.text);
        assert!(commented_tables(&SourceFile::sample(path, &above)).is_empty());
    }
}

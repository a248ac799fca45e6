//! Rules for `docs/INVARIANTS.md`: each promise names a test or a command that holds it, what it
//! names is there, and no promise is lost.
use crate::evidence::{ByPath, by_path, has_test, has_tests};
use crate::tree::SourceFile;

/// The file that is held.
pub const FILE: &str = "docs/INVARIANTS.md";
/// How many promises there are at least. The commit that adds one raises it.
const PROMISES_MIN: usize = 87;
/// How a promise begins.
const ROW: &str = "| **";
/// Between two tests of a promise.
const BETWEEN_TESTS: &str = "<br>";

/// What is wrong with the promises.
#[must_use]
pub fn faults(files: &[SourceFile]) -> Vec<String> {
    let files = by_path(files);
    let text = files.get(FILE).map_or("", |file| file.text.as_str());
    let promises: Vec<&str> = text.lines().filter(|line| line.starts_with(ROW)).collect();
    let mut faults: Vec<String> = promises.iter().flat_map(|row| of_row(row, &files)).collect();
    if promises.len() < PROMISES_MIN {
        let count = promises.len();
        faults.push(format!("{FILE} has {count} promises; {PROMISES_MIN} were there"));
    }
    faults
}

/// The tests of a row that are not there.
fn of_row(row: &str, files: &ByPath<'_>) -> Vec<String> {
    let cells = row.trim_end().trim_end_matches('|').trim_end();
    let (promise, tests) = cells.rsplit_once(" | ").unwrap_or((cells, ""));
    let missing = tests.split(BETWEEN_TESTS).filter(|test| !holds(test, files));
    missing.map(|test| format!("{FILE}: nothing is at `{test}` for {promise}")).collect()
}

/// Whether an entry begins with a test that is there, or with a command of the Makefile.
fn holds(entry: &str, files: &ByPath<'_>) -> bool {
    let named = entry.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    let Some((named, _note)) = named else {
        return false;
    };
    match named.strip_prefix("make ") {
        Some(target) => has_target(target, files),
        None if named.contains("::") => has_test(named, files),
        None => has_tests(named, files),
    }
}

fn has_target(target: &str, files: &ByPath<'_>) -> bool {
    let begin = format!("{target}:");
    files.get("Makefile").is_some_and(|file| file.text.lines().any(|line| line.starts_with(&begin)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn faults_of(tests: &str) -> usize {
        let files = [
            SourceFile::sample("a/tests/it/b.rs", "#[test]\nfn one() {}\n\nfn two() {}\n"),
            SourceFile::sample("a/src/c.rs", "fn one() {}\n"),
            SourceFile::sample("Makefile", "prove: build\n\t@true\n"),
        ];
        of_row(&format!("| **It holds.** Always. | {tests} |"), &by_path(&files)).len()
    }

    #[test]
    fn a_promise_is_held_by_tests_and_commands_that_are_there() {
        assert_eq!(faults_of("`a/tests/it/b.rs::one` (a note)<br>`make prove`"), 0);
        assert_eq!(faults_of("`a/tests/it/b.rs`"), 0);
        for missing in [
            "",
            "a/tests/it/b.rs",
            "by hand",
            "`a/tests/it/b.rs::two`",
            "`a/tests/it/b.rs::three`",
            "`a/src/c.rs`",
            "`a/gone.rs`",
            "`make nothing`",
        ] {
            assert_eq!(faults_of(missing), 1, "{missing}");
        }
        assert_eq!(faults_of("`a/tests/it/b.rs`<br>`a/gone.rs`"), 1);
    }

    #[test]
    fn a_promise_that_is_lost_is_told() {
        let page = SourceFile::sample(FILE, "# What must always be true\n");
        assert_eq!(faults(&[page]).len(), 1);
    }
}

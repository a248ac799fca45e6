//! Rules for commits: a subject that fits, a body that says why, and a size that can be read.
use std::io;
use std::process::Command;

use crate::tree::root;

/// The last commit that was made before these rules.
const BEFORE_THE_RULES: &str = "3fbf69c56d6008beceeff761d6a37941576b6eff";
/// The longest subject: longer ones are cut off where commits are listed.
const SUBJECT_CHARS_MAX: usize = 72;
/// The most lines that a commit adds, so that it can be read as a whole.
const ADDED_LINES_MAX: u32 = 400;
/// The line of a body that says that only names change, which a compiler checks.
const PURE_RENAME: &str = "Pure rename.";
/// What is not read line by line: generated code, locks, what tests compare with, data of others.
const NOT_READ: [&str; 8] = [
    "web/src/gen/",
    "Cargo.lock",
    "package-lock.json",
    "/snapshots/",
    "/fixtures/",
    "tests/system/kept/",
    "tests/system/failpoints.txt",
    // It is gone; the commit that added the most to it is still read.
    "docs/RENAMES.md",
];

/// One commit as `git log` tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its short hash.
    pub hash: String,
    /// The first line of its message.
    pub subject: String,
    /// The rest of its message.
    pub body: String,
    /// The added lines of each file.
    pub added: Vec<(String, u32)>,
}

/// The commits since the rules, merges left out; none where the history is not there.
pub fn since_the_rules() -> io::Result<Vec<Commit>> {
    let range = format!("{BEFORE_THE_RULES}..HEAD");
    let log = Command::new("git")
        .current_dir(root())
        .args(["log", "--no-merges", "--numstat", "-M", "--format=%x01%h%x02%s%x02%b%x02", &range])
        .output()?;
    Ok(read(&String::from_utf8_lossy(&log.stdout)))
}

fn read(log: &str) -> Vec<Commit> {
    log.split('\u{1}').filter_map(read_one).collect()
}

fn read_one(text: &str) -> Option<Commit> {
    let mut parts = text.split('\u{2}').map(str::trim);
    let (hash, subject, body) = (parts.next()?, parts.next()?, parts.next()?);
    let files = parts.next()?.lines().filter_map(|line| {
        let (added, rest) = line.split_once('\t')?;
        // A binary file has a dash instead of a number.
        Some((rest.split_once('\t')?.1.to_owned(), added.parse().unwrap_or(0)))
    });
    let added = files.collect();
    Some(Commit {
        hash: hash.to_owned(),
        subject: subject.to_owned(),
        body: body.to_owned(),
        added,
    })
}

/// What is wrong with a commit.
#[must_use]
pub fn faults(commit: &Commit) -> Vec<String> {
    let Commit { hash, subject, body, added } = commit;
    let mut faults = Vec::new();
    let length = subject.chars().count();
    if length > SUBJECT_CHARS_MAX {
        faults.push(format!("{hash}: its subject has {length} characters"));
    }
    if body.is_empty() {
        faults.push(format!("{hash}: no body says why"));
    }
    let is_read = |file: &str| !NOT_READ.iter().any(|part| file.contains(part));
    let lines: u32 = added.iter().filter(|(file, _)| is_read(file)).map(|(_, lines)| lines).sum();
    if lines > ADDED_LINES_MAX && !body.lines().any(|line| line == PURE_RENAME) {
        faults.push(format!("{hash}: it adds {lines} lines; {ADDED_LINES_MAX} are allowed"));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_of(subject: &str, body: &str, files: &str) -> Vec<String> {
        let log = format!("\u{1}abc1234\u{2}{subject}\u{2}{body}\u{2}\n\n{files}");
        read(&log).iter().flat_map(faults).collect()
    }

    #[test]
    fn a_commit_that_can_be_read_passes() {
        assert!(
            log_of("web: a word", "Why.", "400\t0\ta.rs\n900\t1\tweb/src/gen/b.ts\n").is_empty()
        );
        assert!(log_of("web: names", "Why.\n\nPure rename.", "401\t401\ta.rs\n").is_empty());
        assert!(log_of("a picture", "Why.", "-\t-\ta.png\n").is_empty());
        assert!(read("").is_empty());
    }

    #[test]
    fn long_subjects_missing_reasons_and_large_changes_are_found() {
        assert_eq!(log_of(&"a".repeat(73), "Why.", "1\t0\ta.rs\n").len(), 1);
        assert_eq!(log_of("a", "", "1\t0\ta.rs\n").len(), 1);
        assert_eq!(log_of("a", "Why.", "300\t0\ta.rs\n101\t0\tb.md\n").len(), 1);
    }
}

//! Rules for Rust files that neither rustfmt nor clippy keeps.
use crate::tree::SourceFile;

/// A longer file is about more than one thing.
const LINES_MAX: usize = 500;
/// Two files side by side fit a screen.
const COLUMNS_MAX: usize = 100;

/// Files that are too long, and lines that are too wide.
#[must_use]
pub fn sizes(file: &SourceFile) -> Vec<String> {
    let mut faults = Vec::new();
    let lines = file.text.lines().count();
    if lines > LINES_MAX {
        faults.push(format!("{} has {lines} lines; {LINES_MAX} are allowed", file.path));
    }
    for (at, line) in file.text.lines().enumerate() {
        let columns = line.chars().count();
        if columns > COLUMNS_MAX {
            let number = at.saturating_add(1);
            faults.push(format!("{}:{number} is {columns} columns wide", file.path));
        }
    }
    faults
}

/// Files that do not begin by saying what they are for.
#[must_use]
pub fn header(file: &SourceFile) -> Vec<String> {
    let first = file.text.lines().next().unwrap_or_default();
    let said = first.strip_prefix("//! ").is_some_and(|sentence| sentence.len() > 3);
    if said { Vec::new() } else { vec![format!("{} has no `//!` sentence", file.path)] }
}

/// Within this time a busy machine may not have done what a test asks for.
const PATIENCE_SECONDS_MIN: u64 = 60;

/// Tests that do not run, that wait for time instead of for a condition, or that judge a machine.
#[must_use]
pub fn honest_tests(file: &SourceFile) -> Vec<String> {
    let mut faults = Vec::new();
    let ignored = concat!("#[", "ignore");
    let mut function = "";
    for (number, line) in file.test_lines() {
        if line.trim_start().starts_with(ignored) {
            faults.push(format!("{}:{number} does not run", file.path));
        }
        function = function_name(line).unwrap_or(function);
        if calls_sleep(line) && !waits_for_condition(function) {
            faults.push(format!("{}:{number} sleeps; wait for a condition", file.path));
        }
        // What the programs below `tests` are made of may cut off a call on purpose.
        if !file.is_of_test_library() && gives_up_early(line) {
            faults.push(format!("{}:{number} gives up within a minute", file.path));
        }
    }
    faults
}

fn gives_up_early(line: &str) -> bool {
    line.match_indices("timeout(Duration::from_secs(").any(|(at, call)| {
        let before = line.get(..at).and_then(|text| text.chars().last());
        let waits = before.is_none_or(|it| it.is_whitespace() || matches!(it, ':' | '('));
        let after = line.get(at.saturating_add(call.len())..).unwrap_or_default();
        let seconds = after.split(')').next().unwrap_or_default().parse::<u64>();
        waits && seconds.is_ok_and(|seconds| seconds < PATIENCE_SECONDS_MIN)
    })
}

fn calls_sleep(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.match_indices("sleep(").any(|(at, _)| {
        let before = code.get(..at).and_then(|text| text.chars().last());
        // `pg_sleep(` holds a transaction open, which a test of races needs.
        before.is_none_or(|before| before.is_whitespace() || matches!(before, ':' | '('))
    })
}

/// Asking again after a pause is how a condition is waited for; the name says that it is one.
fn waits_for_condition(function: &str) -> bool {
    ["wait", "until", "eventually"].iter().any(|word| function.starts_with(word))
}

fn function_name(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("fn ")?;
    let words = ["pub", "async", "pub(crate)", "pub(super)", "const"];
    let declares = before.split_whitespace().all(|word| words.contains(&word));
    let end = rest.find(['(', '<'])?;
    if declares { rest.get(..end) } else { None }
}

/// Calls to switch off a lint without saying why.
#[must_use]
pub fn silenced_lints(file: &SourceFile) -> Vec<String> {
    let marks = [concat!("#[", "allow("), concat!("#![", "allow(")];
    let silenced = |line: &&str| marks.iter().any(|mark| line.trim_start().starts_with(mark));
    let hits = file.text.lines().enumerate().filter(|(_, line)| silenced(line));
    hits.map(|(at, _)| {
        let number = at.saturating_add(1);
        format!("{}:{number} silences a lint; use #[expect(…, reason = …)]", file.path)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(text: &str) -> SourceFile {
        SourceFile::sample("services/a/tests/it/b.rs", text)
    }

    #[test]
    fn long_files_and_wide_lines_are_found() {
        assert_eq!(sizes(&sample(&"x\n".repeat(501))).len(), 1);
        assert_eq!(sizes(&sample(&"x".repeat(101))).len(), 1);
        assert!(sizes(&sample(&format!("{}\n", "₹".repeat(100)).repeat(500))).is_empty());
    }

    #[test]
    fn a_file_without_a_sentence_is_found() {
        assert_eq!(header(&sample("use std::fs;\n")).len(), 1);
        assert_eq!(header(&sample("//!\n")).len(), 1);
        assert!(header(&sample("//! Keeps the slots of a day.\n")).is_empty());
    }

    #[test]
    fn a_test_that_does_not_run_is_found() {
        let text = concat!("#[test]\n#[", "ignore]\nfn a() {}\n");
        assert_eq!(honest_tests(&sample(text)).len(), 1);
    }

    #[test]
    fn a_test_that_sleeps_is_found_and_one_that_waits_is_not() {
        let sleeping = concat!("async fn a() {\n    tokio::time::sl", "eep(PAUSE).await;\n}\n");
        let waiting = concat!("async fn until_mailed() {\n    sl", "eep(PAUSE).await;\n}\n");
        let held = "async fn a() { query(\"select pg_sleep(1)\") }\n";
        assert_eq!(honest_tests(&sample(sleeping)).len(), 1);
        assert!(honest_tests(&sample(waiting)).is_empty());
        assert!(honest_tests(&sample(held)).is_empty());
        let outside_tests = SourceFile::sample("services/a/src/b.rs", sleeping);
        assert!(honest_tests(&outside_tests).is_empty());
    }

    #[test]
    fn a_test_that_gives_up_early_is_found_and_a_patient_one_is_not() {
        let within = |seconds: &str| format!("    time::timeout(Duration::from_secs{seconds}\n");
        assert_eq!(honest_tests(&sample(&within("(30), asked)"))).len(), 1);
        assert!(honest_tests(&sample(&within("(120), asked)"))).is_empty());
        let settings = concat!("    options.set_timeout(Duration", "::from_secs(3));\n");
        assert!(honest_tests(&sample(settings)).is_empty());
        let library = SourceFile::sample("tests/system/src/b.rs", &within("(5), asked)"));
        assert!(honest_tests(&library).is_empty());
    }

    #[test]
    fn a_silenced_lint_is_found() {
        assert_eq!(silenced_lints(&sample(concat!("#[", "allow(dead_code)]\n"))).len(), 1);
        assert!(silenced_lints(&sample("#[expect(dead_code, reason = \"x\")]\n")).is_empty());
    }
}

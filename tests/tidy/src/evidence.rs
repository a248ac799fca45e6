//! Whether a test that a document names is there.
use std::collections::BTreeMap;

use crate::tree::SourceFile;

/// Lines between a test's mark and its function: further attributes.
const LINES_FROM_MARK: usize = 5;

/// Files by their paths.
pub type ByPath<'f> = BTreeMap<&'f str, &'f SourceFile>;

/// The files by their paths.
#[must_use]
pub fn by_path(files: &[SourceFile]) -> ByPath<'_> {
    files.iter().map(|file| (file.path.as_str(), file)).collect()
}

/// Whether a test of the form `path::name` is there, by its function or its title.
#[must_use]
pub fn has_test(test: &str, files: &ByPath<'_>) -> bool {
    let Some((path, name)) = test.split_once("::") else {
        return false;
    };
    files.get(path).is_some_and(|file| {
        if path.ends_with(".rs") { has_function(file, name) } else { has_title(file, name) }
    })
}

/// Whether the file at the path has any test.
#[must_use]
pub fn has_tests(path: &str, files: &ByPath<'_>) -> bool {
    files.get(path).is_some_and(|file| {
        if path.ends_with(".rs") {
            file.text.lines().any(|line| is_mark(line.trim()))
        } else {
            is_script_of_tests(file)
        }
    })
}

/// Whether the file has a function of that name that is marked as a test.
fn has_function(file: &SourceFile, name: &str) -> bool {
    let declaration = format!("fn {name}(");
    let lines: Vec<&str> = file.text.lines().map(str::trim).collect();
    lines.iter().enumerate().filter(|(_, line)| line.contains(&declaration)).any(|(at, _)| {
        let before = lines.get(at.saturating_sub(LINES_FROM_MARK)..at).unwrap_or_default();
        let mut marks = before.iter().rev().take_while(|line| !line.ends_with('}'));
        marks.any(|line| is_mark(line))
    })
}

/// Whether a line marks a function as a test, as `#[tokio::test]` does.
fn is_mark(line: &str) -> bool {
    line.split(['(', ']'])
        .next()
        .is_some_and(|mark| mark.starts_with("#[") && mark.ends_with("test"))
}

/// Whether a script of tests has the title in quotation marks.
fn has_title(file: &SourceFile, title: &str) -> bool {
    let quoted = ['\'', '"', '`'].map(|mark| format!("{mark}{title}{mark}"));
    is_script_of_tests(file) && quoted.iter().any(|title| file.text.contains(title))
}

/// Whether a script holds tests: of `web/`, or of Node's own runner.
fn is_script_of_tests(file: &SourceFile) -> bool {
    file.is_test() || file.ends_with(".test.mjs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_tests_is_told_from_others() {
        let files = [
            SourceFile::sample("a/src/b.rs", "fn c() {}\n#[cfg(test)]\nmod tests {}\n"),
            SourceFile::sample("a/src/d.rs", "    #[tokio::test]\n    async fn e() {}\n"),
            SourceFile::sample("f/g.test.mjs", "test('h', () => {});\n"),
            SourceFile::sample("f/g.mjs", "const h = 'h';\n"),
        ];
        let files = by_path(&files);
        assert!(has_tests("a/src/d.rs", &files) && has_tests("f/g.test.mjs", &files));
        assert!(has_test("a/src/d.rs::e", &files) && has_test("f/g.test.mjs::h", &files));
        for other in ["a/src/b.rs", "f/g.mjs", "gone.rs"] {
            assert!(!has_tests(other, &files), "{other}");
        }
        for other in ["a/src/b.rs::c", "a/src/d.rs", "f/g.mjs::h", "f/g.test.mjs::i"] {
            assert!(!has_test(other, &files), "{other}");
        }
    }
}

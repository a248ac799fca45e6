//! The checkout's own files: everything that a person wrote, nothing that a tool made.
use std::fs;
use std::path::{Path, PathBuf};

/// Folders that tools fill; `.gitignore` names the same.
const MADE_BY_TOOLS: [&str; 9] = [
    ".git",
    ".local",
    "target",
    "node_modules",
    "dist",
    "dist-server",
    "test-results",
    "playwright-report",
    "screenshots",
];

/// A file with its path from the root of the checkout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// The path with `/` between its parts.
    pub path: String,
    /// The content.
    pub text: String,
}

impl SourceFile {
    /// A file that exists only in a test.
    #[must_use]
    pub fn sample(path: &str, text: &str) -> Self {
        Self { path: path.to_owned(), text: text.to_owned() }
    }

    /// The last part of the path.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// Whether the name ends like this.
    #[must_use]
    pub fn ends_with(&self, ending: &str) -> bool {
        self.path.ends_with(ending)
    }

    /// Whether the file holds tests only.
    #[must_use]
    pub fn is_test(&self) -> bool {
        let in_folder = self.path.split('/').rev().skip(1).any(|part| part == "tests");
        let web = [".test.ts", ".test.tsx", ".spec.ts"].iter().any(|end| self.path.ends_with(end));
        let tidy = self.path.starts_with("tests/tidy/src");
        (in_folder && !tidy) || web || self.name() == "tests.rs" || self.path.contains("/e2e/")
    }

    /// Whether the file is of a crate that only tests use, and no test itself.
    #[must_use]
    pub fn is_of_test_library(&self) -> bool {
        self.path.starts_with("tests/") && self.path.contains("/src/")
    }

    /// The lines that belong to tests: all of a test file, else what follows `#[cfg(test)]`.
    pub fn test_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let all = self.is_test();
        let numbered = self.text.lines().enumerate().map(|(at, line)| (at.saturating_add(1), line));
        numbered.skip_while(move |(_, line)| !all && line.trim() != "#[cfg(test)]")
    }
}

/// The root of the checkout.
#[must_use]
pub fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own).to_owned()
}

/// All files that are text.
pub fn files() -> std::io::Result<Vec<SourceFile>> {
    let mut found = Vec::new();
    let root = root();
    collect(&root, &root, &mut found)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<SourceFile>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let name = entry.file_name();
        if MADE_BY_TOOLS.iter().any(|made| name.to_str() == Some(*made)) {
            continue;
        }
        // A link is not followed: it may lead out of the checkout.
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(root, &path, found)?;
        } else if kind.is_file() {
            // What is not text is a picture or a font, and has no rules.
            let text = String::from_utf8(fs::read(&path)?).ok();
            let shown = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            found.extend(text.map(|text| SourceFile { path: shown, text }));
        }
    }
    Ok(())
}

/// The names of everything at the root, without what tools made.
pub fn top_level() -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root())? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !MADE_BY_TOOLS.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_lines_begin_at_the_mark() {
        let file = SourceFile::sample("a/src/b.rs", "fn a() {}\n#[cfg(test)]\nmod tests {}\n");
        let lines: Vec<usize> = file.test_lines().map(|(number, _)| number).collect();
        assert_eq!(lines, [2, 3]);
    }

    #[test]
    fn test_files_are_known_by_their_place() {
        for path in ["x/tests/it/main.rs", "x/src/domain/day/tests.rs", "web/e2e/a.ts"] {
            assert!(SourceFile::sample(path, "").is_test(), "{path}");
        }
        for path in ["x/src/main.rs", "web/src/app/a.tsx", "tests/tidy/src/tree.rs"] {
            assert!(!SourceFile::sample(path, "").is_test(), "{path}");
        }
    }

    #[test]
    fn the_checkout_is_found_and_nothing_that_tools_made() {
        let files = files().unwrap();
        assert!(files.iter().any(|file| file.path == "Cargo.toml"));
        assert!(files.iter().any(|file| file.path == "tests/tidy/src/tree.rs"));
        assert!(!files.iter().any(|file| file.path.contains("node_modules/")));
    }
}

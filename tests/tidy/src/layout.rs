//! Rules for where things lie and how files and folders are called.
use crate::tree::SourceFile;

/// The top level, exactly.
const TOP_LEVEL: [&str; 20] = [
    ".ci",
    ".gitignore",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "Makefile",
    "README.md",
    "clippy.toml",
    "deny.toml",
    "deploy",
    "docs",
    "gateway",
    "migrations",
    "proto",
    "rustfmt.toml",
    "services",
    "tests",
    "web",
];

/// Names that say nothing about what is inside, so that everything ends up there.
const EMPTY_WORDS: [&str; 8] =
    ["common", "helper", "helpers", "misc", "shared_types", "types", "util", "utils"];

/// What is at the top level and should not be, and what should be and is not.
#[must_use]
pub fn top_level(names: &[String]) -> Vec<String> {
    let unknown = names.iter().filter(|name| !TOP_LEVEL.contains(&name.as_str()));
    let missing = TOP_LEVEL.iter().filter(|name| !names.iter().any(|there| there == *name));
    let mut faults: Vec<String> =
        unknown.map(|name| format!("{name} does not belong to the top level")).collect();
    faults.extend(missing.map(|name| format!("{name} is missing at the top level")));
    faults
}

/// Modules, folders and components with empty names. `proto/common` is the contract's own word.
#[must_use]
pub fn empty_names(file: &SourceFile) -> Vec<String> {
    let generated = file.path.starts_with("web/src/gen/");
    if file.path.starts_with("proto/") || generated {
        return Vec::new();
    }
    let stem = |part: &str| part.split('.').next().unwrap_or_default().to_owned();
    let empty = |part: &&str| EMPTY_WORDS.contains(&stem(part).replace('-', "_").as_str());
    let hit = file.path.split('/').find(empty);
    hit.map(|part| format!("{} is called `{part}`, which says nothing", file.path))
        .into_iter()
        .collect()
}

/// A module has one form: `name.rs` beside a folder `name`, so that editor tabs tell names.
#[must_use]
pub fn module_files(file: &SourceFile) -> Vec<String> {
    let mod_file = file.name() == concat!("mod", ".rs");
    mod_file
        .then(|| format!("{} should be called after its folder", file.path))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_and_gaps_at_the_top_level_are_found() {
        let mut names: Vec<String> = TOP_LEVEL.map(str::to_owned).to_vec();
        assert!(top_level(&names).is_empty());
        names.push("scripts".to_owned());
        names.retain(|name| name != "LICENSE");
        assert_eq!(top_level(&names).len(), 2);
    }

    #[test]
    fn empty_names_are_found() {
        for path in ["services/booking/src/utils.rs", "web/src/lib/types.ts", "web/common/a.ts"] {
            assert_eq!(empty_names(&SourceFile::sample(path, "")).len(), 1, "{path}");
        }
        for path in ["proto/common/v1/money.proto", "services/booking/src/timers.rs"] {
            assert!(empty_names(&SourceFile::sample(path, "")).is_empty(), "{path}");
        }
    }

    #[test]
    fn the_old_form_of_a_module_is_found() {
        assert_eq!(module_files(&SourceFile::sample(concat!("a/src/b/mod", ".rs"), "")).len(), 1);
    }
}

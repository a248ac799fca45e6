//! What a file that a person wrote belongs to: what runs, its tests, or prose.
use crate::tree::SourceFile;

/// What programs write or others gave us: generated code, locks, snapshots, data.
const NOT_BY_HAND: [&str; 10] = [
    "web/src/gen/",
    ".snap",
    "Cargo.lock",
    "package-lock.json",
    "/fixtures/",
    "tests/system/kept/",
    "tests/system/failpoints.txt",
    "tests/proved.txt",
    "tests/dependencies/advisories/",
    "deploy/kubernetes/check/schemas/",
];
/// What only tests use, besides what `SourceFile::is_test` knows.
const FOR_TESTS: [&str; 3] = ["tests/", "services/shared/testkit/", "web/src/testing/"];
/// The table of a standard's requirements says in words what holds each.
const PROSE_IN_A_TABLE: &str = "docs/asvs.csv";

/// What a file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What runs in production, with its settings and texts.
    Source,
    /// What only tests use.
    Tests,
    /// Prose for persons.
    Prose,
}

/// The part that a file is of; none for what no person wrote.
#[must_use]
pub fn of(file: &SourceFile) -> Option<Part> {
    let path = file.path.as_str();
    if NOT_BY_HAND.iter().any(|made| path.contains(made)) {
        None
    } else if path.ends_with(".md") || path == PROSE_IN_A_TABLE {
        Some(Part::Prose)
    } else if is_for_tests(file) {
        Some(Part::Tests)
    } else {
        Some(Part::Source)
    }
}

fn is_for_tests(file: &SourceFile) -> bool {
    let by_name = file.ends_with(".test.mjs") || file.name() == "dumps.rs";
    let by_place = FOR_TESTS.iter().any(|folder| file.path.starts_with(folder));
    file.is_test() || by_name || by_place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_of_one_part() {
        let source = ["gateway/src/rpc.rs", "deploy/images/build.mjs", "web/src/app/a.tsx"];
        let tests = ["tests/load/src/lib.rs", "deploy/images/build.test.mjs", "web/e2e/a.spec.ts"];
        let prose = ["README.md", "docs/asvs.csv"];
        let made = ["web/src/gen/a_pb.ts", "a/snapshots/b.snap.ics", "tests/system/kept/1/a.dump"];
        let of = |path: &&str| of(&SourceFile::sample(path, ""));
        assert!(source.iter().all(|path| of(path) == Some(Part::Source)));
        assert!(tests.iter().all(|path| of(path) == Some(Part::Tests)));
        assert!(prose.iter().all(|path| of(path) == Some(Part::Prose)));
        assert!(made.iter().all(|path| of(path).is_none()));
    }
}

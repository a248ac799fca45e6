//! Rules for `docs/asvs.csv`: each requirement of ASVS 5.0.0 up to level 2 has one row that says
//! what holds it, every test that a row names is there, and most rows are held by tests.
use crate::evidence::{ByPath, by_path, has_test};
use crate::tree::SourceFile;

/// The file that is held.
pub const FILE: &str = "docs/asvs.csv";
/// Numbers and levels of the requirements, in the standard's order. Its sentences are not copied.
const REQUIREMENTS: &str = include_str!("../fixtures/asvs-5.0.0.csv");
const HEADER: &str = "id,level,chapter,about,kind,evidence,note";
/// The newest issue that is done, for which no row may wait. The commit that closes one raises it.
const DONE_ISSUE: u32 = 35;
/// Between two tests, because the titles of tests in `web/` have spaces and commas.
const BETWEEN_TESTS: &str = " | ";
/// The least share of rows held by tests among all that do not wait for an issue.
const TESTED_PERCENT_MIN: usize = 70;
/// A shorter reason says nothing.
const REASON_CHARS_MIN: usize = 25;

/// A row of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The requirement's number, such as 6.2.1.
    pub id: String,
    /// The lowest level that asks for it, 1 or 2.
    pub level: String,
    /// The number of its chapter, and the chapter in our words.
    pub chapter: String,
    /// What it asks for, in our words.
    pub about: String,
    /// What holds it: `test`, `setting`, `not_applicable` or `issue`.
    pub kind: String,
    /// The tests, the setting, the reason or the issue.
    pub evidence: String,
    /// What a reader should know beside it; may be empty.
    pub note: String,
}

/// How many rows each kind has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Rows held by tests.
    pub tests: usize,
    /// Rows held by a setting or a document.
    pub settings: usize,
    /// Rows that do not apply.
    pub not_applicable: usize,
    /// Rows that wait for an issue.
    pub issues: usize,
}

impl Figures {
    /// The share of tests among all rows that do not wait, in whole percent.
    #[must_use]
    pub fn tested_percent(self) -> usize {
        let decided = self.tests.saturating_add(self.settings).saturating_add(self.not_applicable);
        self.tests.saturating_mul(100).checked_div(decided).unwrap_or(0)
    }
}

/// The figures of the file.
#[must_use]
pub fn figures(rows: &[Row]) -> Figures {
    let count = |kind: &str| rows.iter().filter(|row| row.kind == kind).count();
    Figures {
        tests: count("test"),
        settings: count("setting"),
        not_applicable: count("not_applicable"),
        issues: count("issue"),
    }
}

/// The rows of the file.
///
/// # Errors
/// When the header is another one, or a line has not the fields that it names.
pub fn rows(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text.lines();
    if lines.next() != Some(HEADER) {
        return Err(format!("{FILE} does not begin with `{HEADER}`"));
    }
    lines
        .map(|line| row(line).ok_or_else(|| format!("{FILE}: no row of seven fields: {line}")))
        .collect()
}

fn row(line: &str) -> Option<Row> {
    let fields: [String; 7] = fields(line)?.try_into().ok()?;
    let [id, level, chapter, about, kind, evidence, note] = fields;
    Some(Row { id, level, chapter, about, kind, evidence, note })
}

/// The fields of a line (RFC 4180); none where a quotation is not closed.
fn fields(line: &str) -> Option<Vec<String>> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                chars.next();
                fields.last_mut()?.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            char => fields.last_mut()?.push(char),
        }
    }
    if is_quoted { None } else { Some(fields) }
}

/// What is wrong with the rows, each by itself and all together.
#[must_use]
pub fn faults(rows: &[Row], files: &[SourceFile]) -> Vec<String> {
    let by_path = by_path(files);
    let mut faults: Vec<String> = rows.iter().flat_map(|row| of_row(row, &by_path)).collect();
    faults.extend(of_list(rows));
    faults
}

/// The requirements that are missing, unknown or there twice, and the share of tests.
fn of_list(rows: &[Row]) -> Vec<String> {
    let expected = REQUIREMENTS.lines().skip(1).filter_map(|line| line.split_once(','));
    let found = rows.iter().map(|row| (row.id.as_str(), row.level.as_str()));
    let mut faults = Vec::new();
    if !expected.clone().eq(found.clone()) {
        let count = |wanted: (&str, &str)| found.clone().filter(|one| *one == wanted).count();
        let wrong = expected.clone().filter(|one| count(*one) != 1);
        let unknown = found.clone().filter(|one| !expected.clone().any(|other| other == *one));
        for (id, level) in wrong.chain(unknown) {
            faults.push(format!("{id} (level {level}) is missing, unknown or there twice"));
        }
        faults.push("the rows are not those of the standard in its order".to_owned());
    }
    let percent = figures(rows).tested_percent();
    if percent < TESTED_PERCENT_MIN {
        let least = TESTED_PERCENT_MIN;
        faults.push(format!("{percent} % of what does not wait is tested; {least} are promised"));
    }
    faults
}

fn of_row(row: &Row, files: &ByPath<'_>) -> Vec<String> {
    let Row { id, chapter, about, kind, evidence, note, .. } = row;
    let mut faults = Vec::new();
    if waits_for(note).is_some_and(|issue| issue <= DONE_ISSUE) {
        faults.push(format!("{id}: its note waits for an issue that is done"));
    }
    if id.split('.').next() != chapter.split_whitespace().next() {
        faults.push(format!("{id}: its chapter is not `{chapter}`"));
    }
    if about.trim().is_empty() || about.starts_with("Verify") {
        faults.push(format!("{id}: say in own words what it asks for"));
    }
    match kind.as_str() {
        "test" => {
            let missing = evidence.split(BETWEEN_TESTS).filter(|test| !has_test(test, files));
            faults.extend(missing.map(|test| format!("{id}: there is no test `{test}`")));
        }
        "setting" => {
            if !names_a_place(evidence, files) {
                faults.push(format!("{id}: name the file, and what stands there: `{evidence}`"));
            }
        }
        "not_applicable" if evidence.chars().count() >= REASON_CHARS_MIN => {}
        "not_applicable" => faults.push(format!("{id}: `{evidence}` is no reason")),
        "issue" => {
            let (issue, what) = evidence.split_once(' ').unwrap_or((evidence, ""));
            let is_open = issue.parse().is_ok_and(|issue: u32| issue > DONE_ISSUE);
            if !is_open || what.chars().count() < REASON_CHARS_MIN {
                faults.push(format!("{id}: name an open issue, and what it does here"));
            }
        }
        other => faults.push(format!("{id}: there is no kind `{other}`")),
    }
    faults
}

/// The issue that a note names: "Issue 19 adds …".
fn waits_for(note: &str) -> Option<u32> {
    let lower = note.to_lowercase();
    let (_, after) = lower.split_once("issue ")?;
    after.split(|char: char| !char.is_ascii_digit()).next()?.parse().ok()
}

/// Whether a setting or document is named by its file and what stands there: words, or a heading.
fn names_a_place(evidence: &str, files: &ByPath<'_>) -> bool {
    let place = evidence.split([' ', ':', ';']).next().unwrap_or_default();
    let (path, anchor) = place.split_once('#').unwrap_or((place, ""));
    let Some(file) = files.get(path) else {
        return false;
    };
    let is_heading = |line: &str| line.starts_with('#') && anchor_of(line) == anchor;
    if anchor.is_empty() { evidence.len() > path.len() } else { file.text.lines().any(is_heading) }
}

/// How a heading is named in an address.
fn anchor_of(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<SourceFile> {
        vec![
            SourceFile::sample(
                "a/tests/it/b.rs",
                "#[test]\nfn one() {}\n\nfn helper() {}\n\n\
                 #[tokio::test]\n#[cfg(unix)]\nasync fn two() {}\n",
            ),
            SourceFile::sample("web/src/c.test.ts", "test('it, and more', () => {});\n"),
            SourceFile::sample("web/src/c.ts", "const x = 'it, and more';\n"),
            SourceFile::sample("Cargo.toml", "x"),
            SourceFile::sample("docs/a.md", "# A\n\n## Keys and algorithms\n"),
        ]
    }

    #[track_caller]
    fn faults_of(kind: &str, evidence: &str) -> usize {
        let line = format!("1.1.1,2,1 encoding,words,{kind},\"{evidence}\",");
        of_row(&row(&line).unwrap(), &by_path(&sample())).len()
    }

    #[test]
    fn a_test_is_there_by_its_function_or_its_title() {
        assert_eq!(faults_of("test", "a/tests/it/b.rs::one | a/tests/it/b.rs::two"), 0);
        assert_eq!(faults_of("test", "web/src/c.test.ts::it, and more"), 0);
        for missing in [
            "",
            "a/tests/it/b.rs",
            "a/tests/it/b.rs::three",
            "a/tests/it/b.rs::helper",
            "gone.rs::one",
            "web/src/c.ts::it, and more",
            "web/src/c.test.ts::it",
        ] {
            assert_eq!(faults_of("test", missing), 1, "{missing}");
        }
    }

    #[test]
    fn other_kinds_say_where_why_or_what() {
        assert_eq!(faults_of("setting", "Cargo.toml unsafe_code is forbidden"), 0);
        assert_eq!(faults_of("setting", "docs/a.md#keys-and-algorithms: each key"), 0);
        assert_eq!(faults_of("setting", "docs/a.md#locks"), 1);
        assert_eq!(faults_of("setting", "Cargo.toml"), 1);
        assert_eq!(faults_of("setting", "gone.toml says it"), 1);
        assert_eq!(faults_of("not_applicable", "There is no LDAP directory anywhere."), 0);
        assert_eq!(faults_of("not_applicable", "no"), 1);
        let open = DONE_ISSUE + 1;
        assert_eq!(faults_of("issue", &format!("{open} adds a second factor for staff")), 0);
        assert_eq!(faults_of("issue", &format!("{DONE_ISSUE} adds a second factor for staff")), 1);
        assert_eq!(faults_of("issue", &open.to_string()), 1);
        assert_eq!(faults_of("wish", &format!("{open} adds a second factor for staff")), 1);
    }

    #[test]
    fn a_note_waits_for_no_issue_that_is_done() {
        assert_eq!(waits_for("Issue 19 adds the keys of TLS."), Some(19));
        assert_eq!(waits_for("Today, and until issue 41 does both."), Some(41));
        assert_eq!(waits_for("An issuing authority."), None);
    }

    #[test]
    fn rows_that_are_missing_or_twice_and_a_low_share_are_found() {
        let of = |id: &str, kind: &str| {
            row(&format!("{id},2,{id} x,words,{kind},18 adds a second factor for staff,")).unwrap()
        };
        let all = [of("1.1.1", "test"), of("1.1.1", "setting"), of("99.1.1", "issue")];
        let faults = of_list(&all);
        assert!(faults.iter().any(|fault| fault.starts_with("1.1.1 (level 2)")));
        assert!(faults.iter().any(|fault| fault.starts_with("99.1.1 (level 2)")));
        assert!(faults.iter().any(|fault| fault.starts_with("50 % of what does not wait")));
        assert_eq!(figures(&all).tested_percent(), 50);
        assert_eq!(figures(&[]).tested_percent(), 0);
    }

    #[test]
    fn quotation_marks_hold_commas_and_each_other() {
        assert_eq!(fields("a,\"b, \"\"c\"\"\",").unwrap(), ["a", "b, \"c\"", ""]);
        assert_eq!(fields("a,\"b"), None);
        assert!(rows("id,level\n").is_err());
        assert!(rows(&format!("{HEADER}\n1.1.1,2\n")).is_err());
    }

    #[test]
    fn the_standard_has_253_requirements_up_to_level_2() {
        let levels: Vec<&str> =
            REQUIREMENTS.lines().skip(1).filter_map(|line| Some(line.split_once(',')?.1)).collect();
        let count = |level: &str| levels.iter().filter(|one| **one == level).count();
        assert_eq!((levels.len(), count("1"), count("2")), (253, 70, 183));
    }
}

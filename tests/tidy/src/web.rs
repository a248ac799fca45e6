//! Rules for TypeScript files that neither Biome nor tsc keeps. The direction of imports is held by
//! the web's own test, which reads the folders of features.
use crate::tree::SourceFile;

const LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 70;
const PATIENCE_MS_MIN: u32 = 60_000;

/// Files and functions that are too long. Every function is formatted, so one that begins at the
/// first column ends with a bracket at the first column. A component's markup is not counted as
/// logic, so a function in a `.tsx` file may be longer by half.
#[must_use]
pub fn sizes(file: &SourceFile) -> Vec<String> {
    let mut faults = Vec::new();
    let lines = file.text.lines().count();
    if lines > LINES_MAX {
        faults.push(format!("{} has {lines} lines; {LINES_MAX} are allowed", file.path));
    }
    let markup = if file.ends_with(".tsx") { FUNCTION_LINES_MAX / 2 } else { 0 };
    let most = FUNCTION_LINES_MAX.saturating_add(markup);
    let mut open: Option<usize> = None;
    for (at, line) in file.text.lines().enumerate() {
        if opens_function(line) {
            open = Some(at);
        } else if line.starts_with(['}', ')']) {
            let begun = open.take();
            let length = begun.map_or(0, |begun| at.saturating_sub(begun).saturating_add(1));
            if length > most {
                let number = begun.map_or(0, |begun| begun.saturating_add(1));
                faults.push(format!("{}:{number} is a function of {length} lines", file.path));
            }
        }
    }
    faults
}

fn opens_function(line: &str) -> bool {
    let declared = line.strip_prefix("export ").unwrap_or(line);
    let declared = declared.strip_prefix("default ").unwrap_or(declared);
    let named = declared.starts_with("function ") || declared.starts_with("async function ");
    let arrow = declared.starts_with("const ") && declared.ends_with("=> {");
    named || arrow
}

/// Tests that do not run or that wait for time, and places where the types are switched off.
#[must_use]
pub fn honesty(file: &SourceFile) -> Vec<String> {
    let everywhere = [
        concat!("@ts-", "ignore"),
        concat!("@ts-", "nocheck"),
        concat!(": a", "ny;"),
        concat!(": a", "ny,"),
        concat!(": a", "ny)"),
        concat!(" as a", "ny"),
    ];
    let in_tests = [".skip(", ".only(", ".fixme(", "waitForTimeout("];
    let mut faults = Vec::new();
    for (at, line) in file.text.lines().enumerate() {
        let tests = in_tests.iter().filter(|_| file.is_test());
        if let Some(mark) = everywhere.iter().chain(tests).find(|mark| line.contains(**mark)) {
            faults.push(format!("{}:{} has `{mark}`", file.path, at.saturating_add(1)));
        }
    }
    faults
}

/// What lets chance judge in a browser test: a press on what may be covered or moving, a route that
/// is taken back while a call may still be on its way to it, a path that the address of another
/// page may end with (`/sign-in?return=/faq`), and a member of a list by its place, because news
/// may redraw the list between two looks. `web/e2e/support/lists.ts` has names for a list that
/// stays as it is.
#[must_use]
pub fn chances(file: &SourceFile) -> Vec<String> {
    let anywhere = ["({ force: true", ".unroute("];
    let in_tests = [
        "({ force: true",
        ".unroute(",
        ".unrouteAll(",
        r"toHaveURL(/\/",
        ".first()",
        ".last()",
        ".nth(",
    ];
    if !file.path.starts_with("web/e2e/") {
        Vec::new()
    } else if file.ends_with(".spec.ts") {
        marked(file, &in_tests)
    } else {
        marked(file, &anywhere)
    }
}

/// Tests that give up within a minute, which a busy machine may take.
#[must_use]
pub fn patience(file: &SourceFile) -> Vec<String> {
    let ours = [".test.ts", ".test.tsx", ".spec.ts"].iter().any(|end| file.ends_with(end));
    let lines = file.text.lines().enumerate().filter(|_| ours);
    let early = |line: &str| {
        let bound = line.split("imeout: ").nth(1)?;
        let digits = bound.split(|it: char| !it.is_ascii_digit() && it != '_').next()?;
        let milliseconds = digits.replace('_', "").parse::<u32>().ok()?;
        (milliseconds < PATIENCE_MS_MIN).then_some(milliseconds)
    };
    let found = lines.filter_map(|(at, line)| {
        let bound = early(line)?;
        Some(format!("{}:{} gives up after {bound} ms", file.path, at.saturating_add(1)))
    });
    found.collect()
}

fn marked(file: &SourceFile, marks: &[&str]) -> Vec<String> {
    let lines = file.text.lines().enumerate();
    let found = lines.filter_map(|(at, line)| {
        let mark = marks.iter().find(|mark| line.contains(**mark))?;
        Some(format!("{}:{} has `{mark}`", file.path, at.saturating_add(1)))
    });
    found.collect()
}

/// Names that are not written-in-kebabs.
#[must_use]
pub fn names(file: &SourceFile) -> Vec<String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.');
    if file.name().chars().all(plain) {
        Vec::new()
    } else {
        vec![format!("{} is not in kebab-case", file.path)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(text: &str) -> SourceFile {
        SourceFile::sample("web/src/lib/a.ts", text)
    }

    #[test]
    fn a_long_function_is_found() {
        let long = format!("export function a() {{\n{}}}\n", "  b();\n".repeat(70));
        assert_eq!(sizes(&sample(&long)).len(), 1);
        let short = format!("export function a() {{\n{}}}\n", "  b();\n".repeat(68));
        assert!(sizes(&sample(&short.repeat(3))).is_empty());
    }

    #[test]
    fn tests_that_do_not_run_and_types_that_do_not_hold_are_found() {
        let skipped = SourceFile::sample("web/e2e/a.ts", "test.skip('x', () => {});\n");
        assert_eq!(honesty(&skipped).len(), 1);
        assert_eq!(honesty(&sample(concat!("const a = b as a", "ny;\n"))).len(), 1);
        assert!(honesty(&sample("// any of these\nreader.skip(3);\n")).is_empty());
    }

    #[test]
    fn what_lets_chance_judge_is_found() {
        let of = |text| patience(&SourceFile::sample("web/e2e/a.spec.ts", text)).len();
        assert_eq!(
            (of("f({ timeout: 2_000 })"), of("timeout: 60_000"), of("timeout: MAX")),
            (1, 0, 0)
        );
        let text = "await radio.check({ force: true });\nawait page.unrouteAll();\n";
        assert_eq!(chances(&SourceFile::sample("web/e2e/a.spec.ts", text)).len(), 2);
        assert_eq!(chances(&SourceFile::sample("web/e2e/support/a.ts", text)).len(), 1);
        assert!(chances(&sample(text)).is_empty());
        let path = r"await expect(page).toHaveURL(/\/faq$/);";
        assert_eq!(chances(&SourceFile::sample("web/e2e/a.spec.ts", path)).len(), 1);
        let by_place = "await list.first().click();\nawait list.last().click();\nlist.nth(1);\n";
        assert_eq!(chances(&SourceFile::sample("web/e2e/a.spec.ts", by_place)).len(), 3);
        assert!(chances(&SourceFile::sample("web/e2e/support/a.ts", by_place)).is_empty());
        let by_name = "await firstOf(list).click();\nconst [first] = await list.all();\n";
        assert!(chances(&SourceFile::sample("web/e2e/a.spec.ts", by_name)).is_empty());
        let removed = "rmSync(folder, { recursive: true, force: true });\n";
        assert!(chances(&SourceFile::sample("web/e2e/a.spec.ts", removed)).is_empty());
    }

    #[test]
    fn a_name_in_another_case_is_found() {
        assert_eq!(names(&SourceFile::sample("web/src/lib/useMoney.ts", "")).len(), 1);
        assert!(names(&SourceFile::sample("web/src/lib/use-money.test.ts", "")).is_empty());
    }
}

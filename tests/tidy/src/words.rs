//! Rules for words: types have the field's names; comments, identifiers and log lines plain
//! subjects.
use crate::tree::SourceFile;

/// Names that were used for many things at once. A type says what it is.
const NAMES: [&str; 16] = [
    "Asked", "Bells", "Desk", "Door", "Doors", "Edge", "Heard", "Held", "Kept", "Known", "Looked",
    "News", "Till", "Told", "Wanted", "Wish",
];
/// Subjects that hide who or what acts, split so that this file is clean.
const TICS: [&str; 4] = [
    concat!("who", "ever"),
    concat!("no", "body"),
    concat!("some", "body"),
    concat!("any", "body"),
];

/// Types with a banned name.
#[must_use]
pub fn names(file: &SourceFile) -> Vec<String> {
    let banned = file.text.lines().filter_map(declared).filter(|name| NAMES.contains(name));
    banned.map(|name| format!("{}: no type is called `{name}`", file.path)).collect()
}

/// The name of the type that a line declares.
fn declared(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with("pub"));
    let is_type = matches!(words.next()?, "struct" | "enum" | "trait" | "type");
    let name = words.next()?;
    let end = name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
    if is_type { name.get(..end) } else { None }
}

/// Comments, log lines and identifiers with a subject that hides who acts.
#[must_use]
pub fn subjects(file: &SourceFile) -> Vec<String> {
    let lines = file.text.lines().enumerate();
    let found = lines.filter_map(|(at, line)| {
        let line = line.trim().to_lowercase();
        let is_whole = ["//", "/*", "* ", "tracing::"].iter().any(|mark| line.starts_with(mark));
        let mut before = "";
        let word = line.split(|c: char| !c.is_alphanumeric() && c != '_').find_map(|word| {
            let is_name = word.contains('_')
                || before == "fn"
                || (before == "let" && line.starts_with("let "));
            before = word;
            let tic = word.split('_').find(|part| TICS.contains(part))?;
            (is_whole || is_name).then(|| tic.to_owned())
        });
        Some((at.saturating_add(1), word?))
    });
    found.map(|(number, word)| format!("{}:{number} says `{word}`", file.path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_banned_name_of_a_type_is_found() {
        let text = "pub(crate) struct Wish<T> {\nlet wish = Wish::new();\nenum Wishes {\n";
        assert_eq!(names(&SourceFile::sample("services/booking/src/app.rs", text)).len(), 1);
    }

    #[test]
    fn a_hidden_subject_is_found_in_comments_log_lines_and_identifiers() {
        let lines = "/// X waits.\ntracing::info!(\"X waits\")\npub fn X()\nlet X = 1\na_X()";
        let text = format!("{}\nlet a = \"X\"; // x\n//! Xs.\n", lines.replace('X', TICS[1]));
        assert_eq!(subjects(&SourceFile::sample("a.rs", &text)).len(), 5);
    }
}

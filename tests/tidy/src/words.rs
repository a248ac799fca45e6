//! Rules for words: types have the field's names, and comments plain subjects.
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

/// Comments with a subject that hides who acts.
#[must_use]
pub fn subjects(file: &SourceFile) -> Vec<String> {
    let lines = file.text.lines().enumerate();
    let found = lines.filter_map(|(at, line)| {
        let line = line.trim_start();
        let begins = ["//", "/*", "* "].iter().find_map(|mark| line.strip_prefix(mark));
        let comment = begins?.to_lowercase();
        let mut words = comment.split(|c: char| !c.is_alphanumeric());
        let word = words.find(|word| TICS.contains(word))?.to_owned();
        Some((at.saturating_add(1), word))
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
    fn a_hidden_subject_is_found_in_comments_only() {
        let text = concat!("/// No", "body waits.\nlet a = \"no", "body\"; // x\n//! Nobodys.\n");
        assert_eq!(subjects(&SourceFile::sample("a.rs", text)).len(), 1);
    }
}

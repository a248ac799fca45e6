//! Rules for every file: nothing that is true on one machine only, nothing left for later.
use crate::tree::SourceFile;

/// Paths and addresses of one machine, split so that this file is clean.
const MACHINES: [&str; 9] = [
    concat!("/wo", "rk/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
    concat!("/home/", "runner"),
    concat!("registry.", "npmjs.org"),
    concat!("static.", "crates.io"),
    concat!("index.", "crates.io"),
    concat!("deb.", "debian.org"),
    concat!("files.", "pythonhosted.org"),
];

/// Promises that are not kept.
const LATER: [&str; 4] =
    [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("HA", "CK")];

/// Paths and hosts that exist on one machine only.
#[must_use]
pub fn machines(file: &SourceFile) -> Vec<String> {
    hits(file, |line| MACHINES.into_iter().find(|mark| line.contains(mark)))
}

/// Work that was put off.
#[must_use]
pub fn put_off(file: &SourceFile) -> Vec<String> {
    hits(file, |line| LATER.into_iter().find(|mark| is_word(line, mark)))
}

fn is_word(line: &str, word: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().last());
        let after = line.get(at.saturating_add(word.len())..).and_then(|text| text.chars().next());
        !letter(before) && !letter(after)
    })
}

fn hits(file: &SourceFile, find: impl Fn(&str) -> Option<&'static str>) -> Vec<String> {
    let lines = file.text.lines().enumerate();
    let found = lines.filter_map(|(at, line)| Some((at.saturating_add(1), find(line)?)));
    found.map(|(number, mark)| format!("{}:{number} has `{mark}`", file.path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_one_machine_is_found() {
        let text = concat!("ok\npath = \"/ro", "ot/.cargo\"\n");
        assert_eq!(
            machines(&SourceFile::sample("a.toml", text)),
            [concat!("a.toml:2 has `/ro", "ot/`")]
        );
    }

    #[test]
    fn work_that_was_put_off_is_found() {
        let text = concat!("// TO", "DO: later\n");
        assert_eq!(put_off(&SourceFile::sample("a.rs", text)).len(), 1);
        assert!(put_off(&SourceFile::sample("a.rs", concat!("TO", "DOS\n"))).is_empty());
    }
}

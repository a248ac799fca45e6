//! Counts parameters that are tuples: values that travel together are a type that has no name yet.
use crate::parts::{self, Part};
use crate::tree::SourceFile;

/// How many there are. The number only falls.
pub const PARAMETERS: usize = 255;

/// The tuples in parameters of source, each as `path: (names)`, with how many names it has.
#[must_use]
pub fn taken(files: &[SourceFile]) -> Vec<(String, usize)> {
    let is_meant = |it: &&SourceFile| it.ends_with(".rs") && parts::of(it) == Some(Part::Source);
    let found = files.iter().filter(is_meant).flat_map(|file| {
        let lines = file.text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
        lines.filter_map(|line| {
            let end = ["): (", "): &("].iter().find_map(|mark| line.find(mark))?;
            let names = line.get(line.get(..end)?.rfind('(')?..end)?;
            let is_parameter = !line.contains("let ") && !line.contains('|');
            is_parameter.then(|| (format!("{}: {names})", file.path), names.split(", ").count()))
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tuple_is_found_in_parameters_only() {
        let text = "fn a((b, c): (u8, u8)) {\n    (d, e, f): &(u8, u8, u8),\n let (g, h): (u8, u8)";
        let found = taken(&[SourceFile::sample("gateway/src/a.rs", text)]);
        assert_eq!(found.iter().map(|(_, names)| *names).collect::<Vec<_>>(), [2, 3]);
    }
}

//! Texts of the practice's files as plain lines and paragraphs, however the file wraps them.

use serde::{Deserialize, Deserializer};

/// A text on one line, whatever the file's line breaks.
pub(super) fn line<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(|text| one_line(text.lines()))
}

/// A text's paragraphs, which an empty line separates.
pub(super) fn paragraphs<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let lines: Vec<&str> = text.lines().collect();
    let blocks = lines.split(|line| line.trim().is_empty());
    Ok(blocks.filter(|block| !block.is_empty()).map(|block| one_line(block.iter())).collect())
}

fn one_line(lines: impl IntoIterator<Item: AsRef<str>>) -> String {
    let mut words = String::new();
    for line in lines {
        for word in line.as_ref().split_whitespace() {
            if !words.is_empty() {
                words.push(' ');
            }
            words.push_str(word);
        }
    }
    words
}

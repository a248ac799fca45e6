//! The template filters of the plain text: paragraphs, tables and quotations without mark-up.
//!
//! Intended line breaks pass through the macros as control characters. No text contains these,
//! because `template_context` removes control characters from typed text.

use minijinja::Environment;

/// An intended line break. All other white space is the template's own.
const BREAK: char = '\u{1d}';
/// Ends a row of a table.
const ROW: char = '\u{1e}';
/// Separates a row's label from its value.
const CELL: char = '\u{1f}';

/// The minimum width of a table's first column, so that short tables align.
const LABEL_WIDTH: usize = 12;

/// Registers the filters and the global `line_break`.
pub(super) fn register(environment: &mut Environment<'_>) {
    environment.add_global("line_break", BREAK.to_string());
    environment.add_filter("paragraph", |text: &str| paragraph(text));
    environment.add_filter("row", |value: &str, label: &str| row(label, value));
    environment.add_filter("table", |rows: &str| table(rows));
    environment.add_filter("quoted", |text: &str| quoted(text));
    environment.add_filter("kept_lines", |text: &str| text.replace('\n', &BREAK.to_string()));
}

/// One line, however the template wraps it, and an empty line behind it.
fn paragraph(text: &str) -> String {
    let lines = lines(text);
    if lines.iter().all(String::is_empty) { String::new() } else { lines.join("\n") + "\n\n" }
}

fn lines(text: &str) -> Vec<String> {
    let on_one_line = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.split(BREAK).map(on_one_line).collect()
}

fn row(label: &str, value: &str) -> String {
    format!("{label}{CELL}{value}{ROW}")
}

/// Labels in one column, values in the next, as far left as the longest label allows.
fn table(rows: &str) -> String {
    let rows: Vec<(&str, &str)> =
        rows.split(ROW).filter_map(|row| row.trim().split_once(CELL)).collect();
    let longest = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    let width = longest.saturating_add(3).max(LABEL_WIDTH);
    let mut text = String::new();
    for (label, value) in rows {
        let mut before = format!("{label}:");
        for line in lines(value) {
            text.push_str(&format!("{before:width$}{line}\n"));
            before.clear();
        }
    }
    text + "\n"
}

/// Quotes a text with `>`, so that typed text cannot be taken for ours.
fn quoted(text: &str) -> String {
    let quoted: Vec<String> =
        text.trim().lines().map(|line| format!("> {line}").trim_end().to_owned()).collect();
    quoted.join("\n") + "\n\n"
}

/// A whole text: no white space at the ends of lines, and never two empty lines in a row.
pub(super) fn normalize(text: &str) -> String {
    let mut tidy = String::with_capacity(text.len());
    let mut empty = 0_usize;
    for line in text.trim_matches('\n').lines().map(str::trim_end) {
        empty = if line.is_empty() { empty.saturating_add(1) } else { 0 };
        if empty < 2 {
            tidy.push_str(line);
            tidy.push('\n');
        }
    }
    tidy.trim().to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::{normalize, paragraph, quoted, row, table};

    #[test]
    fn a_paragraph_is_one_line() {
        assert_eq!(paragraph("\n  Dear Asha,\n  welcome. \n"), "Dear Asha, welcome.\n\n");
        assert_eq!(paragraph("one\u{1d}two"), "one\ntwo\n\n");
        assert_eq!(paragraph(" \n "), "");
    }

    #[test]
    fn values_stand_below_each_other() {
        let rows =
            format!("\n{}\n{}\n", row("When", "at noon\u{1d}for an hour"), row("Price", "₹1"));
        assert_eq!(
            table(&rows),
            "When:       at noon\n            for an hour\nPrice:      ₹1\n\n"
        );
    }

    #[test]
    fn a_quotation_is_known_by_its_marks() {
        assert_eq!(quoted("one\n\ntwo\n"), "> one\n>\n> two\n\n");
    }

    #[test]
    fn gaps_are_one_line_high() {
        assert_eq!(normalize("\n\na  \n\n\n\nb\n\n"), "a\n\nb\n");
    }
}

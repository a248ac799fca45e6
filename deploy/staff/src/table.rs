//! Tables with aligned columns for a terminal.
use machine::output;

/// A table whose rows are added one by one.
pub(crate) struct Table {
    headings: &'static [&'static str],
    hidden: Option<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(headings: &'static [&'static str]) -> Self {
        Self { headings, hidden: None, rows: Vec::new() }
    }

    /// Leaves a column out.
    pub(crate) fn without(self, heading: &'static str) -> Self {
        Self { hidden: Some(heading), ..self }
    }

    /// Adds a row with one text per heading.
    pub(crate) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.rows.push(cells.into_iter().map(|cell| printable(&cell)).collect());
    }

    /// Adds a row whose first cells were made for several tables.
    pub(crate) fn row_after<const A: usize, const B: usize>(
        &mut self,
        first: [String; A],
        others: [String; B],
    ) {
        let cells = first.into_iter().chain(others);
        self.rows.push(cells.map(|cell| printable(&cell)).collect());
    }

    /// Whether there are no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Prints the table, or a sentence when it has no rows.
    pub(crate) fn show(&self, otherwise: &str) {
        if self.is_empty() {
            output::line(otherwise);
        } else {
            self.lines().iter().for_each(output::line);
        }
    }

    /// The whole table as it is printed.
    #[cfg(test)]
    pub(crate) fn text(&self) -> String {
        self.lines().join("\n")
    }

    fn lines(&self) -> Vec<String> {
        let headings: Vec<String> = self.headings.iter().map(|name| (*name).to_owned()).collect();
        let hidden = self.headings.iter().position(|name| self.hidden == Some(*name));
        let shown = |row: &Vec<String>| -> Vec<String> {
            let cells = row.iter().enumerate().filter(|(column, _)| Some(*column) != hidden);
            cells.map(|(_, cell)| cell.clone()).collect()
        };
        let rows: Vec<Vec<String>> =
            std::iter::once(&headings).chain(&self.rows).map(shown).collect();
        let all = || rows.iter();
        let width = |column: usize| {
            let cells = all().filter_map(move |row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..headings.len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths);
            let cells = cells.map(|(cell, width)| format!("{cell:<width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        all().map(line).collect()
    }
}

/// Makes a text safe for a terminal: it is put on one line, and control and direction characters
/// are removed.
pub(crate) fn printable(text: &str) -> String {
    let plain = |c: char| {
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c }
    };
    let plain: String = text.chars().map(plain).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_may_be_left_out() {
        let mut table = Table::new(&["TIME", "WITH", "WHO"]).without("WITH");
        table.row(["11:00".to_owned(), "Meera Joshi".to_owned(), "Asha".to_owned()]);
        assert_eq!(table.lines(), ["TIME   WHO", "11:00  Asha"]);
    }

    #[test]
    fn columns_are_aligned_and_lines_end_with_their_text() {
        let mut table = Table::new(&["TIME", "WHO", "STATE"]);
        table.row(["11:00".to_owned(), "Asha".to_owned(), "confirmed".to_owned()]);
        table.row(["12:30".to_owned(), "आशा Raonarayan".to_owned(), String::new()]);
        let wanted = [
            "TIME   WHO             STATE",
            "11:00  Asha            confirmed",
            "12:30  आशा Raonarayan",
        ];
        assert_eq!(table.lines(), wanted);
    }

    #[test]
    fn typed_text_contains_no_control_characters() {
        assert_eq!(printable("Asha\u{1b}[2J\r\n\u{202e}x"), "Asha [2J x");
    }
}

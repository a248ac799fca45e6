//! All figures as one table for people, and as JSON for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::figure::{Against, Bound, Figure, Unit};

/// The heads of the columns.
const HEADS: [&str; 7] = ["figure", "ours", "beside", "compared", "to reach", "stretch", "met?"];

/// The table; a figure's note stands below it.
pub(crate) fn text(figures: &[Figure]) -> String {
    let mut rows = vec![HEADS.map(str::to_owned)];
    rows.extend(figures.iter().map(row));
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..HEADS.len()).map(width).collect();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        line(&mut text, row, &widths);
        if number == 0 {
            let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
            line(&mut text, &rules, &widths);
        }
        let note = number.checked_sub(1).and_then(|at| figures.get(at)).map(|it| it.note.as_str());
        if let Some(note) = note.filter(|note| !note.is_empty()) {
            // Writing to a string cannot fail.
            writeln!(text, "    {note}").ok();
        }
    }
    text
}

fn line(text: &mut String, cells: &[String], widths: &[usize]) {
    let mut rfc3339 = String::new();
    for (at, (cell, width)) in cells.iter().zip(widths).enumerate() {
        // Text is aligned left, numbers are aligned right.
        let is_words = at == 0 || at == cells.len() - 1;
        let padded = if is_words { format!("{cell:<width$}") } else { format!("{cell:>width$}") };
        rfc3339.push_str(&padded);
        rfc3339.push_str("  ");
    }
    text.push_str(rfc3339.trim_end());
    text.push('\n');
}

fn row(figure: &Figure) -> [String; 7] {
    let reference = figure
        .reference
        .map(|(name, number)| format!("{} ({name})", shown(number, figure.unit)))
        .unwrap_or_else(|| "—".to_owned());
    let compared = match figure.against {
        Against::Nothing => "—".to_owned(),
        Against::Ratio => format!("× {:.2}", figure.compared()),
        Against::Difference => format!("{:+.2} ms", figure.compared()),
    };
    [
        figure.title.clone(),
        shown(figure.ours, figure.unit),
        reference,
        compared,
        bound(figure, Some(figure.reach)),
        bound(figure, figure.stretch),
        figure.verdict().word().to_owned(),
    ]
}

fn bound(figure: &Figure, bound: Option<Bound>) -> String {
    let (sign, limit) = match bound {
        None => return "—".to_owned(),
        Some(Bound::AtLeast(limit)) => ("≥", limit),
        Some(Bound::AtMost(limit)) => ("≤", limit),
    };
    match figure.against {
        Against::Nothing => format!("{sign} {}", shown(limit, figure.unit)),
        Against::Ratio => format!("{sign} × {limit}"),
        Against::Difference => format!("{sign} {limit:+} ms"),
    }
}

/// A number with its unit, as precise as it is worth.
fn shown(number: f64, unit: Unit) -> String {
    match unit {
        Unit::PerSecond => format!("{number:.0}/s"),
        Unit::Millis => format!("{number:.2} ms"),
        Unit::Seconds => format!("{number:.2} s"),
        Unit::Mebibytes => format!("{number:.1} MiB"),
        Unit::Count => format!("{number:.0}"),
    }
}

fn unit_word(unit: Unit) -> &'static str {
    match unit {
        Unit::PerSecond => "per_second",
        Unit::Millis => "ms",
        Unit::Seconds => "s",
        Unit::Mebibytes => "mib",
        Unit::Count => "count",
    }
}

/// The same as JSON.
pub(crate) fn json(figures: &[Figure]) -> Value {
    let limit = |bound: Option<Bound>| match bound {
        None => Value::Null,
        Some(Bound::AtLeast(limit)) => json!({ "at_least": limit }),
        Some(Bound::AtMost(limit)) => json!({ "at_most": limit }),
    };
    let one = |figure: &Figure| {
        json!({
            "figure": figure.title,
            "unit": unit_word(figure.unit),
            "ours": figure.ours,
            "beside": figure.reference.map(|(what, value)| json!({ "what": what, "value": value })),
            "compared": figure.compared(),
            "compared_as": match figure.against {
                Against::Nothing => "value",
                Against::Ratio => "ratio",
                Against::Difference => "difference_ms",
            },
            "to_reach": limit(Some(figure.reach)),
            "stretch": limit(figure.stretch),
            "verdict": figure.verdict().word().to_lowercase(),
            "note": figure.note,
        })
    };
    figures.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> Vec<Figure> {
        let bookings = Figure::rate("bookings, 8 clients", 450.0, ("SQL", 1000.0), (0.3, 0.5));
        let start = Figure::absolute("start", Unit::Seconds, 2.5, (2.0, 1.0));
        vec![bookings.noting("450 of 450 rows are there"), start]
    }

    #[test]
    fn each_figure_has_its_line_and_its_note_below_it() {
        let text = text(&figures());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[0].starts_with("figure"));
        assert_eq!(
            lines[2].split_whitespace().collect::<Vec<_>>().join(" "),
            "bookings, 8 clients 450/s 1000/s (SQL) × 0.45 ≥ × 0.3 ≥ × 0.5 met"
        );
        assert_eq!(lines[3], "    450 of 450 rows are there");
        assert!(lines[4].ends_with("MISSED"), "{}", lines[4]);
    }

    #[test]
    fn columns_stand_below_each_other() {
        let text = text(&figures());
        let at = |line: usize, word: &str| {
            let line = text.lines().nth(line).unwrap();
            line.find(word).map(|at| line[..at].chars().count())
        };
        assert_eq!(at(0, "met?"), at(2, "met"));
        assert_eq!(at(0, "met?"), at(4, "MISSED"));
    }

    #[test]
    fn programs_read_the_same() {
        let json = json(&figures());
        assert_eq!(json[0]["compared"], 0.45);
        assert_eq!(json[0]["beside"]["what"], "SQL");
        assert_eq!(json[0]["verdict"], "met");
        assert_eq!(json[1]["verdict"], "missed");
        assert_eq!(json[1]["to_reach"]["at_most"], 2.0);
        assert_eq!(json[1]["beside"], Value::Null);
    }
}

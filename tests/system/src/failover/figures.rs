//! The figures of a drill, and the table of several.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use super::load::{Rate, Tally};
use crate::verdict::Verdict;

/// What a drill came to.
#[derive(Debug)]
pub struct Report {
    drill: &'static str,
    rate: Rate,
    tally: Tally,
    /// Acknowledged bookings and events that are gone.
    lost: usize,
    verdict: Verdict,
    /// From the fault until a booking was acknowledged that was asked for after it.
    gap: Option<Duration>,
    /// Figures of this drill alone.
    notes: Vec<String>,
    /// What was promised and not kept.
    failures: Vec<String>,
}

impl Report {
    /// The figures of a drill that may lose nothing.
    pub(crate) fn new(
        drill: &'static str,
        rate: Rate,
        (tally, gap): (Tally, Option<Duration>),
        verdict: Verdict,
    ) -> Self {
        let mut failures: Vec<String> = tally.given_up.iter().take(5).cloned().collect();
        let must_be_none = [
            ("answers 500", tally.answers(500)),
            ("answers without words", tally.wordless),
            ("lost", verdict.lost),
            ("double", verdict.double),
            ("unresolved", verdict.unresolved),
            ("bookings not acknowledged", tally.given_up.len()),
        ];
        let counted = must_be_none.into_iter().filter(|(_, count)| *count > 0);
        failures.extend(counted.map(|(what, count)| format!("{count} {what}")));
        failures.extend(some_of_each(&verdict.details));
        let lost = verdict.lost;
        Self { drill, rate, tally, lost, verdict, gap, notes: Vec::new(), failures }
    }

    /// With the number of what was lost and known to be lost.
    pub(crate) fn with_known_losses(mut self, lost: usize) -> Self {
        self.lost += lost;
        self
    }

    /// Adds a figure in words.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Adds a promise that has to be kept.
    pub(crate) fn require(&mut self, is_kept: bool, otherwise: impl Into<String>) {
        if !is_kept {
            self.failures.push(otherwise.into());
        }
    }

    /// Whether every promise was kept.
    #[must_use]
    pub fn is_passed(&self) -> bool {
        self.failures.is_empty()
    }

    fn cells(&self) -> [String; 9] {
        let Verdict { double, unresolved, .. } = self.verdict;
        let others = self.tally.refusals.iter().filter(|(status, _)| **status != 500);
        let refused: Vec<String> =
            others.map(|(status, count)| format!("{count} × {status}")).collect();
        [
            self.drill.to_owned(),
            format!("{}/s for {} s", self.rate.per_second, self.rate.seconds),
            self.tally.acknowledged.len().to_string(),
            self.tally.paid.to_string(),
            self.lost.to_string(),
            self.gap.map_or_else(|| "–".to_owned(), |gap| format!("{:.1} s", gap.as_secs_f64())),
            self.tally.answers(500).to_string(),
            format!("{} {} cut", refused.join(", "), self.tally.unanswered).trim().to_owned(),
            format!("{double} double, {unresolved} unresolved"),
        ]
    }
}

/// A few findings of each invariant, whose name is what they begin with.
fn some_of_each(details: &[String]) -> Vec<String> {
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    let few = details.iter().filter(|what| {
        let count = shown.entry(what.split(':').next().unwrap_or_default()).or_default();
        *count += 1;
        *count <= 6
    });
    few.cloned().collect()
}

/// The head of the table.
const HEAD: [&str; 9] = [
    "drill",
    "load",
    "acknowledged",
    "paid",
    "lost",
    "bookings go on after",
    "answers 500",
    "asked again",
    "checker",
];

/// All reports as a table, with what each has noted below it.
#[must_use]
pub fn table(reports: &[Report]) -> String {
    let mut rows = vec![HEAD.map(str::to_owned)];
    rows.extend(reports.iter().map(Report::cells));
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        let line = cells.collect::<Vec<_>>().join("  ");
        // Writing to a string cannot fail.
        writeln!(text, "{}", line.trim_end()).ok();
    }
    for report in reports {
        for note in &report.notes {
            writeln!(text, "{}: {note}", report.drill).ok();
        }
        for failure in &report.failures {
            writeln!(text, "{} FAILED: {failure}", report.drill).ok();
        }
    }
    text
}

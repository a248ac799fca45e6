//! The trace of a run: one hash, and lines on request.

use std::fmt::{self, Write as _};

use kernel::Timestamp;

/// FNV-1a over everything that happens; the same run gives the same number.
#[derive(Debug, Clone)]
pub(crate) struct Trace {
    hash: u64,
    line: String,
    lines: Option<Vec<String>>,
}

impl Trace {
    /// A trace that keeps its lines or does not.
    pub(crate) fn new(keeps_lines: bool) -> Self {
        let lines = keeps_lines.then(Vec::new);
        Self { hash: 0xCBF2_9CE4_8422_2325, line: String::new(), lines }
    }

    /// Notes that something happened.
    pub(crate) fn note(&mut self, at: Timestamp, what: &str, details: &dyn fmt::Display) {
        self.line.clear();
        // Writing to a string cannot fail.
        write!(self.line, "{} {what} {details}", at.micros()).ok();
        for byte in self.line.as_bytes() {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
        if let Some(lines) = &mut self.lines {
            lines.push(format!("{at} {what} {details}"));
        }
    }

    /// The number.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// The lines, when they were kept.
    pub(crate) fn into_lines(self) -> Vec<String> {
        self.lines.unwrap_or_default()
    }
}

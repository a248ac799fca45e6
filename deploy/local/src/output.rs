//! The only place that writes to the terminal: short lines for the operator.
use std::fmt::Display;
use std::io::Write;

/// Prints one line. A closed terminal is no reason to stop a practice, so a failure is dropped.
pub(crate) fn line(text: impl Display) {
    let mut out = std::io::stdout().lock();
    drop(writeln!(out, "{text}").and_then(|()| out.flush()));
}

/// Prints one line of progress, with a mark that separates it from results.
pub(crate) fn step(text: impl Display) {
    line(format_args!("· {text}"));
}

/// Prints a problem as one sentence on the error stream.
pub fn problem(error: &anyhow::Error) {
    drop(writeln!(std::io::stderr().lock(), "sukoon: {error:#}"));
}

//! Output to the terminal: short lines for the operator. No other module writes there.
use std::fmt::Display;
use std::io::Write;

/// Prints one line. A closed terminal must not stop a practice, so a failure is ignored.
pub fn line(text: impl Display) {
    let mut out = std::io::stdout().lock();
    drop(writeln!(out, "{text}").and_then(|()| out.flush()));
}

/// Prints one line of progress, with a mark that distinguishes it from results.
pub fn step(text: impl Display) {
    line(format_args!("· {text}"));
}

/// Prints an error as one sentence to the error stream.
pub fn problem(error: &anyhow::Error) {
    drop(writeln!(std::io::stderr().lock(), "sukoon: {error:#}"));
}

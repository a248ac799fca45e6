//! The outcome of a staff command, which decides its exit code.

/// How far a command got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The command did everything it was asked for.
    Complete,
    /// The command did a part of it and has printed what failed.
    Partial,
}

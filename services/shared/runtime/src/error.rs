//! The error that carries any other.

/// An error of any kind, as it is on its way to the log.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

//! How long and how hard a run of chaos is.

use std::time::Duration;

/// The length and intensity of a run.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// For how long faults are injected.
    pub length: Duration,
    /// The seed of faults and clients.
    pub seed: u64,
    /// How many clients run at the same time.
    pub customers: usize,
    /// How many requests are dropped in total.
    pub drops: usize,
    /// The longest pause between two faults.
    pub pause: Duration,
}

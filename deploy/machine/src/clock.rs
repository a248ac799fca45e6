//! The time by this machine, for what is done beside services and not in a database.
use std::time::{SystemTime, UNIX_EPOCH};

/// The seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "this is done beside services, not in a database")]
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

//! Where the servers are that `make test` has started.

use anyhow::{Context as _, Result};

/// Where the tests' NATS is.
///
/// # Errors
/// When the tests were not started by `make test`.
pub fn nats_url() -> Result<String> {
    setting("SUKOON_TEST_NATS_URL")
}

/// The program of the tests' CalDAV server.
///
/// # Errors
/// When `sukoon prepare --caldav` did not install it, or the tests were not started by `make test`.
pub fn radicale() -> Result<String> {
    setting("SUKOON_TEST_RADICALE")
}

#[expect(clippy::disallowed_methods, reason = "tests have no settings but these three")]
pub(crate) fn setting(name: &str) -> Result<String> {
    std::env::var(name).with_context(|| {
        format!(
            "{name} is not set: start the tests by `make test`, which starts PostgreSQL and NATS"
        )
    })
}

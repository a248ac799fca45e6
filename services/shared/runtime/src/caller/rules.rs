//! The rules that every token must keep, of a person or of a service.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, Validation};

/// The metadata in which a service's token travels.
pub const CALLER_TOKEN: &str = "x-caller-token";

/// The longest token that we accept; those of identity servers are shorter.
pub(super) const TOKEN_BYTES_MAX: usize = 8 * 1024;
/// How far two machines' clocks may differ.
pub(super) const LEEWAY: Duration = Duration::from_secs(5);

/// The rules that every token must keep: pinned algorithm, issuer, audience, not expired.
pub(super) fn rules(issuer: &str, audience: &str) -> Validation {
    let mut rules = Validation::new(Algorithm::ES256);
    rules.set_issuer(&[issuer]);
    rules.set_audience(&[audience]);
    rules.set_required_spec_claims(&["exp", "iss", "aud"]);
    rules.validate_nbf = true;
    rules.leeway = LEEWAY.as_secs();
    rules
}

/// Seconds since 1970 by this machine.
#[expect(
    clippy::disallowed_methods,
    reason = "a token's life is measured against real time on every machine that sees it; the \
              database's clock, which tests may move, says nothing about it"
)]
pub(super) fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

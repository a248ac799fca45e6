//! Who calls: people with their access token, and services with their own short one.
//!
//! Both kinds are ES256 and nothing else: an algorithm that the token chooses is how forged tokens
//! are let in. No token, nor a part of one, is ever logged.

mod es256;
mod jwks;
mod peers;
mod users;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, Validation};

pub(crate) use es256::install as install_es256;
pub use jwks::{Keys, KeysError};
pub use peers::{PeerError, PeerSettings, Peers, SigningError};
pub use users::{User, UserError, UserSettings, Users};

/// The metadata in which a service's token travels.
pub const CALLER_TOKEN: &str = "x-caller-token";

/// No token that we or an identity server make is longer.
const TOKEN_BYTES_MAX: usize = 8 * 1024;
/// How far two machines' clocks may differ.
const LEEWAY: Duration = Duration::from_secs(5);

/// The rules that every token must keep: pinned algorithm, issuer, audience, not expired.
fn rules(issuer: &str, audience: &str) -> Validation {
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
fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests;

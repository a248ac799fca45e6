//! Callers: people with an access token, and services with a short token of their own.
//!
//! Both kinds are ES256 and nothing else: a token that chooses its algorithm can be forged. No
//! token, nor a part of one, is ever logged.

pub(crate) mod es256;
mod jwks;
mod peers;
mod rules;
mod users;

pub use jwks::{Keys, KeysError};
pub use peers::{PeerError, PeerSettings, Peers, SigningError};
pub use rules::CALLER_TOKEN;
pub use users::{Aal, User, UserError, UserSettings, Users};

#[cfg(test)]
mod tests;

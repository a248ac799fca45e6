//! Who calls: people with their access token, and services with their own short one.
//!
//! Both kinds are ES256 and nothing else: an algorithm that the token chooses is how forged tokens
//! are let in. No token, nor a part of one, is ever logged.

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

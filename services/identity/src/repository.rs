//! Rows of accounts with their identities, sessions with refresh tokens, codes, flows with PKCE,
//! and limits per address.
//!
//! Functions that change rows take the transaction's clock, so that all rows of one request have
//! the same time.

pub mod users;
pub mod identities;
pub mod sessions;
pub mod codes;
pub mod flow_states;
pub mod limits;

//! Rows of accounts, sessions with refresh tokens, codes, and limits per address.
//!
//! Functions that change rows take the transaction's clock, so that all rows of one request have
//! the same time.

pub mod users;
pub mod sessions;
pub mod codes;
pub mod limits;

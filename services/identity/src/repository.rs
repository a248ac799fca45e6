//! The rows: accounts, sessions with their refresh tokens, codes, and limits per address.
//!
//! Functions that change rows take the transaction's clock, so that one answer has one time.

pub mod users;
pub mod sessions;
pub mod codes;
pub mod limits;

//! The tables that reviews' own reads use: written from events in the transaction that appends
//! them, and read as rows without asking the domain.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod project;
pub mod sessions;
pub mod page;
pub mod query;
pub mod staff;

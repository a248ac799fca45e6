//! The read model: tables written from events in the transaction that appends them, and queries
//! that read rows without the domain.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod project;
pub mod sessions;
pub mod page;
pub mod query;
pub mod staff;

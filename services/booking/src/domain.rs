//! The domain: pure and synchronous decisions. Time, new ids and looked-up facts arrive inside the
//! commands.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod span;
pub mod day;
pub mod booking;
pub mod package;
pub mod availability;
pub mod practitioners;
pub mod contact;
pub mod consent;
pub mod claim_policy;
pub mod report;
pub mod hold_limit;
pub mod organisation;

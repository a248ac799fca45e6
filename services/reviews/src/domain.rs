//! The domain's decisions: pure and synchronous. Time, new ids and looked-up facts are passed in
//! the commands.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod review;

//! What is decided, and nothing else: pure and synchronous. Time, new ids and looked-up facts
//! arrive inside the commands.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod review;

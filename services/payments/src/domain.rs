//! What is decided about money, and nothing else: pure and synchronous. New ids and what the
//! provider said arrive inside the commands.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod desk;
pub mod dispute;
pub mod fact;
pub mod link;
pub mod mismatch;
pub mod refund;
pub mod session_ends;
pub mod collection;
pub mod refund_request;
pub mod payer;
pub mod receipt;
pub mod booking_status;
pub mod booking_intent;
pub mod ledger;
pub mod settlement;

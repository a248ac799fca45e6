//! The tables that payments' own reads and jobs use: written from events in the transaction that
//! appends them, and read as rows without asking the domain.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod project;
pub mod links;
pub mod query;
pub mod payers;
pub mod receipts;
pub mod inbox;
pub mod ledger;
pub mod settlement;
pub mod unowned_disputes;
pub mod reconciliation_exceptions;
pub mod gauges;

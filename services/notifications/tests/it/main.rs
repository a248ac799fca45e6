//! Mails from the event to the inbox: real PostgreSQL, a real SMTP conversation, and neighbours
//! over the network that serve the real contract.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that meets the unexpected fails its test there"
)]

mod neighbours;
mod world;
mod confirming;
mod refusing;
mod other_mails;
mod cancelling;
mod refunds;
mod staff;

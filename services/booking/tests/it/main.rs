//! The booking service on real PostgreSQL: its commands, timers, reactions and calls. Other parties
//! answer over the network as they do in production.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that meets the unexpected fails its test there"
)]

mod world;
mod zones;
mod provider;
mod served;
mod races;
mod holds;
mod requests;
mod slots;
mod money;
mod meetings;
mod calls;
mod day_sessions;
mod claims;
mod cancels;
mod blocks;
mod staff;
mod whole;
mod upgrade;
mod known_days;
mod runs;
mod rebuild;

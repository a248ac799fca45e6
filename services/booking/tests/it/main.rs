//! The booking service on real PostgreSQL: its commands, timers, reactions and calls. Other parties
//! answer over the network as they do in production.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a helper that meets the unexpected fails its test there"
)]

mod world;
mod zones;
mod fakes;
mod grpc_harness;
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
mod process_lifecycle;
mod upgrade;
mod day_snapshots;
mod group_commit;
mod rebuild;

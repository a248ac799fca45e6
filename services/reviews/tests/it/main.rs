//! The reviews service on real PostgreSQL and NATS: its calls, timers and reactions. Other services
//! are fakes on the network.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper that meets the unexpected fails its test there"
)]

mod world;
mod fake_booking;
mod submitting;
mod reading;
mod badges;
mod process_lifecycle;
mod samples;
mod service_process;
mod pictures;
mod hostile;
mod fake_identity;
mod panel;
mod grants;
mod moderation;
mod dumps;

//! What tests on real PostgreSQL and NATS need: a database of their own, keys, what was
//! logged as an error, and waiting on a condition. Nothing here stands in for a part of ours.

mod administrator;
pub mod alarms;
pub mod calls;
pub mod database;
pub mod dump;
pub mod figures;
pub mod keys;
pub mod ports;
pub mod proof;
mod servers;
pub mod wait;

pub use alarms::{Alarms, sent_statements};
pub use database::TestDatabase;
pub use figures::figures;
pub use keys::{TestKeys, TestUsers};
pub use ports::free_address;
pub use servers::{nats_url, radicale};
pub use wait::{
    has_taken_in, until, until_at_rest, until_in_feed, until_no_timer_runs, until_within,
};

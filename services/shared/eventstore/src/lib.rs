//! The event log of a service on PostgreSQL: append, feed, checkpoints, timers and its one clock.
//!
//! PostgreSQL is the only store of truth. Nothing here knows what an event means.

pub mod error;
pub mod event;
pub mod database;
pub mod store;
pub mod transaction;
mod batch;
pub mod feed;
pub mod checkpoint;
pub mod timer;
pub mod idempotency;
pub mod audit;

pub use audit::{Act, Actor, StaffDoor};
pub use checkpoint::{Consumed, Parked};
pub use database::{Database, migrate};
pub use error::{Retry, StoreError, Unreadable};
pub use event::{Metadata, NewEvent, Recorded, id_of, new_id, new_uuid};
pub use idempotency::{Asked, DeletedKeys, Recall, key_lock, request_hash};
pub use store::{News, Store};
pub use timer::{Timer, TimerHandler, run_timers};
pub use transaction::{Loaded, Tx};

//! The event log of a service on PostgreSQL: append, feed, checkpoints, timers and its one clock.
//!
//! PostgreSQL is the only store of truth. Nothing here knows what an event means.

pub mod error;
pub mod event;
pub mod database;
mod wakeups;
pub mod idempotency_key;
mod batch;
pub mod transaction;
pub mod store;
pub mod feed;
pub mod checkpoint;
pub mod consumer_release;
pub mod timer;
pub mod idempotency;
pub mod audit;
pub mod gauges;
pub mod health;

pub use audit::{Act, Actor, StaffAuthorizer};
pub use checkpoint::{AdvanceOutcome, Parked};
pub use database::{Database, embedded, migrate};
pub use error::{Retry, StoreError, Unreadable};
pub use event::{Metadata, NewEvent, Numbered, Recorded, id_of, new_id, new_uuid};
pub use idempotency::{DeletedKeys, IdempotencyLookup, KeyError, KeyLookup, KeyRejection};
pub use idempotency_key::{IdempotencyKey, request_hash};
pub use store::Store;
pub use timer::{Timer, TimerHandler, run_timers};
pub use transaction::{Loaded, Tx};
pub use wakeups::Signal;

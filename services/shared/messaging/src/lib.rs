//! How events travel from one service to the others.
//!
//! The source's database numbers them and serves them over gRPC; NATS, or the process that all
//! services share, only makes it fast. Positions have no gaps, so consumers get the same events in
//! the same order whatever NATS loses, repeats or reorders.

pub mod nats;
pub mod wire;
mod signature;
mod authenticity;
pub mod relay;
pub mod feed;
mod in_process;
mod history;
mod lag;
mod consumer_health;
mod reaction;
mod deferred;
mod handling;
pub mod consumer;
pub mod parked;

pub use consumer::in_process::run_consumer;
pub use consumer_health::{ConsumerFault, ConsumerHealth};
pub use feed::{FeedReader, FeedServer, ReadError};
pub use handling::Subscription;
pub use history::history;
pub use in_process::run_publisher;
pub use nats::Nats;
pub use parked::ParkedEvents;
pub use reaction::{Reaction, ReactionError};
pub use relay::run_relay;

//! What every service does alike: its ports, its tasks in their order, its readiness, and the
//! migration of its database.
//!
//! Nothing here knows what a service is about.

mod command;
mod migration;
mod parked;
mod following;
mod ports;
mod retention;
mod routes;
mod wiring;

pub use command::once;
pub use eventstore::{IdempotencyKey, KeyRejection};
pub use following::{reaction_of, timers_of};
pub use migration::{MigrationConfig, migrate};
pub use parked::ParkedHandler;
pub use ports::Ports;
pub use retention::Retention;
pub use wiring::Service;

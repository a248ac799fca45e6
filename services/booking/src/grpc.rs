//! The only part that names request and response types of calls. Refusals become statuses here.

mod ownership;
pub mod watch;
pub mod public;
pub mod internal;
pub mod staff;

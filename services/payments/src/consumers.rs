//! Consumers of other services' events.

pub mod booking;

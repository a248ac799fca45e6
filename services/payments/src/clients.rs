//! Clients of the services that payments calls.

pub mod booking;

//! Clients of other servers.

pub mod identity_server;

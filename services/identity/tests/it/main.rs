//! The identity service over HTTP and gRPC on real PostgreSQL, as the client library, an attacker
//! and notifications see it.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that meets the unexpected fails its test there"
)]

mod running;
mod sign_up;
mod sign_in;
mod refreshing;
mod codes;
mod links;
mod bearer;
mod account;
mod account_command;
mod sign_out;
mod secrecy_of_accounts;
mod contract_forms;
mod internal;
mod tidying;
mod auth_js;

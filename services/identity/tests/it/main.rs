//! The identity service over HTTP and gRPC on real PostgreSQL, called as the client library, an
//! attacker and notifications would.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a helper that meets the unexpected fails its test there"
)]

mod test_server;
mod authenticator;
mod factors;
mod security_keys;
mod passkeys;
mod recovery_codes;
mod one_factor;
mod session_list;
mod visitor;
mod sign_up;
mod sign_in;
mod refreshing;
mod lock_out;
mod spraying;
mod codes;
mod links;
mod proving;
mod otp;
mod pkce;
mod email_change;
mod proving_orders;
mod reauthentication;
mod policy;
mod upgrade;
mod older_ways;
mod work;
mod code_budget;
mod rotation;
mod security_lines;
mod bearer;
mod account;
mod account_command;
mod account_notices;
mod sign_out;
mod ended_sessions;
mod account_enumeration;
mod contract_forms;
mod contract_table;
mod internal;
mod admin;
mod admin_links;
mod third_parties;
mod anonymous;
mod phone;
mod phone_factors;
mod providers;
mod id_tokens;
mod linking;
mod retention;
mod auth_js;
mod dumps;

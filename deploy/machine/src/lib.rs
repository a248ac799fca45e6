//! What the commands of `sukoon` have in common on any machine: what a practice is made of there,
//! its secrets and run state, and the terminal. In reading order:
pub mod output;
pub mod environment;
pub mod account;
pub mod paths;
pub mod process;
pub mod clock;
pub mod secrets;
pub mod settings;
pub mod app_codes;
pub mod owner;
pub mod run_state;
pub mod inheritance;
pub mod tools;
pub mod ports;
pub mod certificates;
pub mod postgres;
pub mod nats;
pub mod databases;
pub mod healthz;
pub mod report;
pub mod mail_name;
pub mod keys;
pub mod checker;
pub mod practice;

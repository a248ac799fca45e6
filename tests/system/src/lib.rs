//! A whole practice on real processes and its clients: the library of the system tests.
//!
//! Each test starts `sukoon up` on ports and in a data folder of its own and talks to it from
//! outside. The programs have to be built first (`make test` does that).

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

pub mod accounts;
pub mod backup;
pub mod calendars;
pub mod chaos;
pub mod collector;
pub mod customer;
pub mod failover;
pub mod failpoints;
pub mod forms;
pub mod idle;
pub mod installed;
pub mod kept;
mod launch;
pub mod mails;
pub mod metrics;
pub mod owner;
pub mod pause;
pub mod power_cut;
pub mod practice;
pub mod practice_folder;
pub mod recorder;
pub mod reviews;
pub mod saga;
pub mod snapshot;
pub mod staff_command;
pub mod timetable;
pub mod tokens;
pub mod verdict;
pub mod watch;

pub use collector::Collector;
pub use customer::{Answer, Customer};
pub use failpoints::Failpoints;
pub use practice::Practice;
pub use tokens::TokenIssuer;

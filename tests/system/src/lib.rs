//! A whole practice on real processes, and a customer of it: what the tests beside this file use.
//!
//! Each test starts `sukoon up` as a person would, on ports and a data folder of its own, and talks
//! to it from outside. The programs have to be built before (`make test` does).

#![expect(clippy::indexing_slicing, reason = "indexing JSON gives null where there is nothing")]

pub mod backup;
pub mod chaos;
pub mod collector;
pub mod customer;
pub mod failpoints;
pub mod kept;
pub mod outage;
pub mod pause;
pub mod post;
pub mod practice;
pub mod quiet;
pub mod reviewer;
pub mod saga;
pub mod snapshot;
pub mod tokens;
pub mod visitor;
pub mod witness;
pub mod writer;

pub use collector::Collector;
pub use customer::{Answer, Customer};
pub use failpoints::Failpoints;
pub use practice::Practice;
pub use tokens::Mint;

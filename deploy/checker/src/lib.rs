//! Whether what a run left behind keeps the invariants I1 to I9. The checker reads what can be read
//! from outside, decides nothing and knows nothing of how the run went.
//!
//! `tests/system` fills a [`Snapshot`] from real databases; the simulator fills one from its model.
//! It must never write.

mod acknowledgements;
mod confirmations;
mod duplicates;
mod history;
mod judgement;
mod ledger;
mod log;
mod mail;
mod money;
mod names;
mod overlap;
mod projection;
mod receipts;
pub mod rows;
mod scope;
mod sessions;
pub mod snapshot;
mod times;
mod unfinished;
mod violation;

pub use judgement::check;
pub use snapshot::Snapshot;
pub use times::practitioner_of;
pub use unfinished::{HumanTask, human_tasks};
pub use violation::{Invariant, Violation};

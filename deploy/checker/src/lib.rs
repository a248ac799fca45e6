//! Whether what a run left behind keeps the invariants I1 to I9. The checker reads what can be read
//! from outside, decides nothing and knows nothing of how the run went.
//!
//! `tests/system` fills a [`Snapshot`] from real databases; the simulator fills one from its model.
//! It must never write.

mod acknowledgements;
mod blank;
mod cancellations;
mod confirmations;
mod duplicates;
mod graces;
mod history;
mod judgement;
mod lateness;
mod ledger;
mod log;
mod mail;
mod mends;
mod money;
mod moves;
mod names;
mod offers;
mod overlap;
mod page;
mod payment_states;
mod practice;
mod projection;
mod promises;
mod proposals;
mod provider;
mod range;
mod receipts;
mod recorded;
mod refund_requests;
mod report;
pub mod rows;
mod scope;
mod sessions;
pub mod snapshot;
pub mod stores;
mod streams;
mod times;
mod unfinished;
mod violation;
mod ways_in;
mod whole;

pub use judgement::check;
pub use practice::check_practice;
pub use provider::{ProviderReader, Settings as ProviderSettings};
pub use report::Report;
pub use snapshot::Snapshot;
pub use times::practitioner_of;
pub use unfinished::{HumanTask, human_tasks};
pub use violation::{Invariant, Violation};

//! Hostile clients, for tests and for `make siege`: they attack a gateway on this machine from
//! addresses of their own, with few connections and for a short time.

pub mod frames;
pub mod kinds;
pub mod attack;

pub use attack::{Attack, Outcome, RunningAttack, start};
pub use kinds::{Expected, KINDS, Kind, Prey};

//! The simulator and the checker, tried on each other.

mod corpus;
mod mutants;
mod receipts;
mod sagas;
mod targeted_faults;
mod tampered;

//! The simulator and the checker, tried on each other.

mod corpus;
mod flaws;
mod receipts;
mod sagas;
mod strikes;
mod tampered;

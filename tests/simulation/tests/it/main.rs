//! The simulator and the checker, tried on each other.

mod corpus;
mod free_sessions;
mod mutants;
mod practitioners;
mod receipts;
mod reminders;
mod sagas;
mod targeted_faults;
mod tampered;

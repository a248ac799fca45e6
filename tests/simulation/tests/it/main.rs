//! The simulator and the checker, tried on each other.

mod flaws;
mod sagas;
mod strikes;
mod tampered;

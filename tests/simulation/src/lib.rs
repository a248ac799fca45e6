//! Proof that no money, slot or message is lost: a simulator of the whole practice, and one
//! independent checker that also reads the real stores (`tests/system`).

pub mod checker;
pub mod seeds;
pub mod simulator;

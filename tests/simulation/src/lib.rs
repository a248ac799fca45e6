//! Proof that no money, slot or message is lost: a simulator of the whole practice, whose runs the
//! checker (`deploy/checker`) judges as it judges real stores.

pub mod seeds;
pub mod simulator;

//! Runs the simulator for long.
fn main() {}

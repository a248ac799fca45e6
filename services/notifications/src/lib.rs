//! Placeholder until its first lines are written.

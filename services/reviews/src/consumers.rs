//! Reactions to events of other services. A pure function maps an event to a change; the change is
//! one call in the transaction that advances the checkpoint.

pub mod booking;

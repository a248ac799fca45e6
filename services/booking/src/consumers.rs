//! Reactions to other services' events. Mapping an event to an action is a pure function;
//! performing it is one call inside the transaction that advances the checkpoint.

pub mod payments;
pub mod notifications;

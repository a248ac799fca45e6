//! What this service does when something happened in another one. What an event asks for is a pure
//! function of the event; doing it is one call inside the transaction that moves the checkpoint.

pub mod payments;
pub mod notifications;

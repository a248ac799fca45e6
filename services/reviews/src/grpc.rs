//! The only part that names request and response types of calls. Refusals become statuses here.

pub mod public;
pub mod internal;
pub mod staff;

//! Clients of the services and third parties that booking calls.

pub mod catalogue;
pub mod meeting;

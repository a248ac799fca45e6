//! The only module that uses request and response types. Rejections become gRPC statuses here.

pub mod public;
pub mod internal;
pub mod staff;

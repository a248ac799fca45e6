//! The gRPC handlers, the only part that uses request and response types. Rejections become
//! statuses here.

mod agreement;
mod audited;
mod calendar;
mod ownership;
mod wire_role;
mod wire_staff;
mod organisation_wire;
mod watched_versions;
pub mod watch;
pub mod public;
pub mod payment_page;
pub mod session_page;
pub mod join_page;
pub mod internal;
pub mod staff;
pub mod calendars;
pub mod consent;
pub mod widget;
pub mod organisation;
pub mod waiting;
pub mod routes;

//! The read model: tables written from events in the transaction that appends them, and queried
//! directly.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod refunds;
mod move_proposals;
pub mod grace_uses;
pub mod project;
pub mod rebuild;
pub mod external_facts;
pub mod view;
pub mod query;
pub mod free_sessions;
pub mod phone_bookings;
pub mod staff;
pub mod members;
pub mod invitations;
pub mod calendar_feeds;
pub mod own_calendars;
pub mod busy_times;
pub mod calendar_bookings;
pub mod accepted_terms;
pub mod consents;
pub mod moved_zone;
pub mod widget_reports;
pub mod gauges;
pub mod own_bookings;

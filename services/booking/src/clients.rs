//! Clients of the services and third parties that booking calls.

pub mod catalogue;
pub mod meetings;
pub mod scheduling;
pub mod busy_calendar;
pub mod calendars;

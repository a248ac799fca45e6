//! The domain: pure and synchronous decisions. Time, new ids and looked-up facts arrive inside the
//! commands.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod span;
pub mod join_window;
pub mod room_duty;
pub mod page_standing;
pub mod day;
pub mod booking;
pub mod package;
pub mod availability;
pub mod suggested_times;
pub mod practitioners;
pub mod contact;
pub mod consent;
pub mod page_code;
pub mod grace;
pub mod shown_texts;
pub mod claim_policy;
pub mod report;
pub mod hold_limit;
pub mod waiting;
pub mod mail_preferences;
pub mod organisation;

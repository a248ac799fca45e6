//! The tables of this service. Each change of a mail's row is in one transaction with its timer and
//! its event.

mod rows;
mod timer;
mod queue;
mod claim;
mod outcome;
mod staff;
mod reschedule;
pub mod gauges;
pub mod contact_messages;
pub mod guide_requests;
pub mod unsubscribed;

pub use self::claim::{Claim, Recipient, claim, clear_recipient_hashes, renew_claim};
pub use self::outcome::{defer, dropped, end_timer, failed, retry, sent, tried_since};
pub use self::queue::{
    REQUESTED, announce_refund, link_arrived, load, payload, promised, queue, queue_due,
    record_refund, record_unsent, unplanned_reminders,
};
pub use self::reschedule::{
    replan_reminders, reschedule_reminders, wake_follow_up, wake_reminders,
};
pub use self::staff::{
    Cursor, Filter, MailSummary, StateCount, Unchanged, counts, list, retry_now, settle,
};
pub use self::timer::{schedule_urgent, timer_due};

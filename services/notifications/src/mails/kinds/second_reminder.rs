//! Shortly before a session.

use crate::mails::declaration::{Declaration, LeadsTo};
use crate::mails::moves::is_overtaken;
use crate::mails::planning::{
    Due, NOT_WANTED, Plan, ReminderHours, before, reminder, unchosen, while_displaced,
};
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    is_bulk: true,
    leads_to: LeadsTo::BookingAndSession,
    is_untrue: is_overtaken,
    plan,
    samples: samples::reminders,
    ..Declaration::TO_CLIENT
};

fn plan(due: &Due<'_>) -> Plan {
    let Some(facts) = due.booking() else { return Plan::Send };
    if let Some(plan) = while_displaced(due, facts) {
        return plan;
    }
    match ReminderHours::of(facts, due.practice) {
        ReminderHours { second: Some(hours), .. } => {
            reminder(due, before(facts.starts_at, hours), facts.starts_at)
        }
        ReminderHours { chosen: true, .. } => unchosen(due, facts),
        ReminderHours { chosen: false, .. } => Plan::Drop(NOT_WANTED),
    }
}

//! A day before a session, or when its client chose.

use serde_json::Value;

use crate::mails::declaration::{Declaration, LeadsTo};
use crate::mails::moves::is_overtaken;
use crate::mails::payload::SECOND;
use crate::mails::planning::{
    Due, Plan, ReminderHours, before, reminder, unchosen, while_displaced,
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

/// The second reminder replaces it once it is due. The practice may have enabled second reminders
/// since, and this booking has none.
fn plan(due: &Due<'_>) -> Plan {
    let Some(facts) = due.booking() else { return Plan::Send };
    if let Some(plan) = while_displaced(due, facts) {
        return plan;
    }
    let hours = ReminderHours::of(facts, due.practice);
    let Some(first) = hours.first else { return unchosen(due, facts) };
    let has_second = hours.chosen || due.mail.payload.get(SECOND) == Some(&Value::Bool(true));
    let second = hours.second.filter(|_hours| has_second).unwrap_or(0);
    reminder(due, before(facts.starts_at, first), before(facts.starts_at, second))
}

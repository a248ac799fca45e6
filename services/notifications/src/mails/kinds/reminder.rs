//! A day before a session.

use serde_json::Value;

use crate::mails::declaration::Declaration;
use crate::mails::moves::is_overtaken;
use crate::mails::payload::SECOND;
use crate::mails::planning::{Due, Plan, before, reminder};
use crate::templates::render::samples;

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    is_bulk: true,
    leads_to_session: true,
    is_untrue: is_overtaken,
    plan,
    samples: samples::reminders,
    ..Declaration::TO_CLIENT
};

/// The second reminder replaces it once it is due. The practice may have enabled second reminders
/// since, and this booking has none.
fn plan(due: &Due<'_>) -> Plan {
    let Some(facts) = due.booking() else { return Plan::Send };
    let mails = &due.practice.mails;
    let has_second = due.mail.payload.get(SECOND) == Some(&Value::Bool(true));
    let end_hours = if has_second { mails.second_reminder_hours } else { 0 };
    let at = before(facts.starts_at, mails.reminder_hours);
    reminder(due, at, before(facts.starts_at, end_hours))
}

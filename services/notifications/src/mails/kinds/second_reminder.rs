//! Shortly before a session.

use crate::mails::declaration::Declaration;
use crate::mails::moves::is_overtaken;
use crate::mails::planning::{Due, NOT_WANTED, Plan, before, reminder};
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

fn plan(due: &Due<'_>) -> Plan {
    let Some(facts) = due.booking() else { return Plan::Send };
    match due.practice.mails.second_reminder_hours {
        0 => Plan::Drop(NOT_WANTED),
        hours => reminder(due, before(facts.starts_at, hours), facts.starts_at),
    }
}

//! Whether a mail is sent now, later or never. Evaluated each time a mail is due, with current
//! facts: what was planned for a reminder before is only when to look again, so it survives
//! restarts, clock changes, moved sessions and changed settings. Pure.

use jiff::Zoned;
use jiff::civil::{Date, Time};
use kernel::Timestamp;
use practice::Practice;
use serde_json::Value;

use crate::mails::facts::{BookingFacts, Facts};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, Mail, NewMail};
use crate::mails::payload::{BOOKED_AT, BY_BANK, REFUND_FAILED};

/// The mail is no longer true.
pub const OVERTAKEN: &str = "overtaken";
/// The time to send it is over.
pub const TOO_LATE: &str = "too_late";
/// The session was booked after its reminder would have been due.
pub const INSIDE_WINDOW: &str = "inside_window";
/// The practice wants no such mail any more.
pub const NOT_WANTED: &str = "not_wanted";

/// How long a reminder waits for the facts of its booking's confirmation, with which it is planned;
/// after it a reminder asks for facts of its own.
pub const PLANNED_WITHIN_SECONDS: i64 = 60;
/// How long booking has to learn of a refund that failed.
const REFUND_PATIENCE_SECONDS: i64 = HOUR_SECONDS;
const HOUR_SECONDS: i64 = 60 * 60;
const DAY_SECONDS: i64 = 24 * HOUR_SECONDS;
/// After how many days a mail after a session, or about a review, is stale. No outage lasts that
/// long; older ones occur after the restore of an old database or a late first start.
const WORTH_READING_DAYS: i64 = 14;

/// What is done with a due mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// It is sent.
    Send,
    /// It is planned again at this time.
    Wait(Timestamp),
    /// It is never sent; with the reason's code.
    Drop(&'static str),
}

/// The hours of the reminders, as text: reminders that were deferred by other hours are
/// rescheduled.
#[must_use]
pub fn hours(practice: &Practice) -> String {
    format!("{}/{}", practice.mails.reminder_hours, practice.mails.second_reminder_hours)
}

/// A mail that is due, with what is known of it.
#[derive(Debug, Clone, Copy)]
pub struct Due<'a> {
    /// The mail.
    pub mail: &'a Mail,
    /// Its facts.
    pub facts: &'a Facts,
    /// The practice.
    pub practice: &'a Practice,
    /// The time.
    pub now: Timestamp,
}

impl Due<'_> {
    /// The facts of a booking, if it is about one.
    #[must_use]
    pub fn booking(&self) -> Option<&BookingFacts> {
        match self.facts {
            Facts::Booking(facts) => Some(facts),
            _ => None,
        }
    }
}

/// Booking may learn of the failure after this service, and of a refund that was made in its place;
/// what is not owed is not told.
#[must_use]
pub fn refund_failed(due: &Due<'_>) -> Plan {
    let Some(facts) = due.booking() else { return Plan::Send };
    let Due { mail, now, .. } = *due;
    let is_by_bank = mail.payload.get(REFUND_FAILED).and_then(Value::as_str) == Some(BY_BANK);
    let booking = &facts.booking;
    let money = if is_by_bank { &booking.given_by_bank } else { &booking.refund_owed };
    if money.is_some() {
        Plan::Send
    } else if now.seconds_since(mail.queued_at) < REFUND_PATIENCE_SECONDS {
        Plan::Wait(now.plus_minutes(1))
    } else {
        Plan::Drop(OVERTAKEN)
    }
}

/// The reminders of a package's other sessions, which follow the first one's: only booking knows
/// how many there are.
#[must_use]
pub fn further_reminders(mail: &Mail, facts: &Facts) -> Vec<NewMail> {
    let (About::Booking(booking), Facts::Booking(facts)) = (mail.about, facts) else {
        return Vec::new();
    };
    let is_reminder = matches!(mail.kind, Kind::Reminder | Kind::SecondReminder);
    if !is_reminder || mail.session_number().is_some() {
        return Vec::new();
    }
    let of_session = |number| NewMail::of_session(mail.kind, booking, number);
    let numbers = 2..=facts.booking.sessions.len();
    numbers.map(|number| of_session(number).with_payload(mail.payload.clone())).collect()
}

/// A reminder is sent from `begins` until `ends`; a session booked within that time needs none.
#[must_use]
pub fn reminder(due: &Due<'_>, begins: Timestamp, ends: Timestamp) -> Plan {
    if due.now >= ends {
        Plan::Drop(TOO_LATE)
    } else if due.now < begins {
        Plan::Wait(begins)
    } else if booked_at(due.mail) > begins {
        Plan::Drop(INSIDE_WINDOW)
    } else {
        Plan::Send
    }
}

/// When the session was booked. The mail may have been queued much later, after an outage of this
/// service.
fn booked_at(mail: &Mail) -> Timestamp {
    let said = mail.payload.get(BOOKED_AT).and_then(serde_json::Value::as_str);
    said.and_then(|text| text.parse().ok()).unwrap_or(mail.queued_at)
}

/// When it is this time of a day at the practice; `None` outside the calendar's range.
#[must_use]
pub fn local_time(practice: &Practice, date: Date, at: Time) -> Option<Timestamp> {
    let zoned: Result<Zoned, _> = date.to_datetime(at).to_zoned(practice.practice.zone.clone());
    zoned.ok().map(|zoned| Timestamp::from_jiff(zoned.timestamp()))
}

/// So many hours before a session.
#[must_use]
pub fn before(start: Timestamp, hours: i32) -> Timestamp {
    start.plus_seconds(-i64::from(hours) * HOUR_SECONDS)
}

/// Whether what was due then is not worth a mail any more.
#[must_use]
pub fn is_stale(due: Timestamp, now: Timestamp) -> bool {
    now.seconds_since(due) >= WORTH_READING_DAYS * DAY_SECONDS
}

#[cfg(test)]
mod tests;

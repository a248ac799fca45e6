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
use crate::mails::payload::{BOOKED_AT, BY_BANK, CHOSEN_AT, REFUND_FAILED, SECOND};

/// The mail is no longer true.
pub const OVERTAKEN: &str = "overtaken";
/// The time to send it is over.
pub const TOO_LATE: &str = "too_late";
/// The session was booked after its reminder would have been due.
pub const INSIDE_WINDOW: &str = "inside_window";
/// The practice wants no such mail any more.
pub const NOT_WANTED: &str = "not_wanted";

/// The client chose to get no such mail.
pub const NOT_CHOSEN: &str = "not_chosen";

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

/// The second reminder beside a first one, for a client who chose two where the practice sends one.
#[must_use]
pub fn chosen_second(mail: &Mail, facts: &Facts) -> Option<NewMail> {
    let (About::Booking(_), Facts::Booking(facts)) = (mail.about, facts) else { return None };
    let chose_two = facts.preferences.as_ref().is_some_and(|it| it.reminder_hours.len() > 1);
    let is_alone = mail.kind == Kind::Reminder && mail.payload.get(SECOND).is_none();
    (is_alone && chose_two).then(|| second_of(&mail.subject, mail.about, &mail.payload))
}

/// The second reminder of the session of a first one.
#[must_use]
pub fn second_of(subject: &str, about: About, payload: &Value) -> NewMail {
    let mut payload = payload.clone();
    if let Some(all) = payload.as_object_mut() {
        all.remove(SECOND);
    }
    NewMail::about(Kind::SecondReminder, subject.to_owned(), about).with_payload(payload)
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

/// How many hours before a session its reminders are due; `None` for no such reminder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReminderHours {
    /// The first one.
    pub first: Option<i32>,
    /// The second one, which replaces the first one once it is due.
    pub second: Option<i32>,
    /// Whether the client chose them.
    pub chosen: bool,
}

impl ReminderHours {
    /// What the client chose, or else the practice's.
    #[must_use]
    pub fn of(facts: &BookingFacts, practice: &Practice) -> Self {
        if let Some(preferences) = &facts.preferences {
            let mut hours = preferences.reminder_hours.iter().copied();
            return Self { first: hours.next(), second: hours.next(), chosen: true };
        }
        let second = practice.mails.second_reminder_hours;
        Self {
            first: Some(practice.mails.reminder_hours),
            second: (second > 0).then_some(second),
            chosen: false,
        }
    }
}

/// What is done with a reminder that its client does not want: it waits, because the choice may
/// change, until there is nothing to remind of.
#[must_use]
pub fn unchosen(due: &Due<'_>, facts: &BookingFacts) -> Plan {
    if due.now < facts.starts_at { Plan::Wait(facts.starts_at) } else { Plan::Drop(NOT_CHOSEN) }
}

/// Until when a reminder of a session waits for which the practice asks its client to choose
/// another time: then the session was moved, or cancelled, and the mail says nothing true.
#[must_use]
pub fn while_displaced(due: &Due<'_>, facts: &BookingFacts) -> Option<Plan> {
    let until = facts.choose_until()?;
    Some(Plan::Wait(until.max(due.now).plus_minutes(1)))
}

/// When the session was booked, or its client chose about reminders after one of them was sent: a
/// reminder that would have been due before the choice is not sent again. The mail may have been
/// queued much later, after an outage of this service.
fn booked_at(mail: &Mail) -> Timestamp {
    let instant = |field: &str| mail.payload.get(field)?.as_str()?.parse::<Timestamp>().ok();
    let booked_at = instant(BOOKED_AT).unwrap_or(mail.queued_at);
    instant(CHOSEN_AT).map_or(booked_at, |chosen_at| chosen_at.max(booked_at))
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

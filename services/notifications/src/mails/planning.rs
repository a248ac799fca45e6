//! Whether a mail is sent now, later or never. Evaluated each time a mail is due, with current
//! facts: nothing about a reminder is decided before it is due, so it survives restarts, clock
//! changes, moved sessions and changed settings. Pure.

use jiff::Zoned;
use jiff::civil::{Date, Time};
use kernel::Timestamp;
use practice::Practice;
use serde_json::Value;

use crate::mails::facts::{BookingFacts, Facts};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, Mail, NewMail};
use crate::mails::payload::{BOOKED_AT, BY_BANK, REFUND_FAILED, RENEWED, SECOND};

/// The mail is no longer true.
pub const OVERTAKEN: &str = "overtaken";
/// The time to send it is over.
pub const TOO_LATE: &str = "too_late";
/// The session was booked after its reminder would have been due.
pub const INSIDE_WINDOW: &str = "inside_window";
/// The practice wants no such mail any more.
pub const NOT_WANTED: &str = "not_wanted";

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

/// What to do with a mail at `now`.
#[must_use]
pub fn plan(mail: &Mail, facts: &Facts, practice: &Practice, now: Timestamp) -> Plan {
    let renews_page = mail.payload.get(RENEWED) == Some(&Value::Bool(true));
    if facts.contradict(mail.kind, renews_page) {
        return Plan::Drop(OVERTAKEN);
    }
    let mails = &practice.mails;
    match (mail.kind, facts) {
        (Kind::Reminder, Facts::Booking(facts)) => {
            // The practice may have enabled second reminders since, and this booking has none.
            let has_second = mail.payload.get(SECOND) == Some(&serde_json::Value::Bool(true));
            let end_hours = if has_second { mails.second_reminder_hours } else { 0 };
            let ends = before(facts.starts_at, end_hours);
            let due = before(facts.starts_at, mails.reminder_hours);
            reminder((due, ends), booked_at(mail), now)
        }
        (Kind::SecondReminder, Facts::Booking(facts)) => {
            if mails.second_reminder_hours == 0 {
                return Plan::Drop(NOT_WANTED);
            }
            let due = before(facts.starts_at, mails.second_reminder_hours);
            reminder((due, facts.starts_at), booked_at(mail), now)
        }
        (Kind::FollowUp, Facts::Booking(facts)) => {
            follow_up(facts, i64::from(mails.follow_up_minutes), now)
        }
        // A receipt issued long after its session is from before the practice issued receipts: the
        // client finds it with the booking, and needs no mail about it.
        (Kind::Receipt, Facts::Booking(facts))
            if is_for_money(facts) && is_stale(facts.ends_at, mail.queued_at) =>
        {
            Plan::Drop(TOO_LATE)
        }
        (Kind::RefundFailed | Kind::RefundFailedNotice, Facts::Booking(facts)) => {
            refund_failed(mail, facts, now)
        }
        (Kind::DaySheet, Facts::Day { date, .. }) => day_sheet(*date, practice, now),
        (Kind::ReviewNotice, Facts::Review(review)) => {
            let written = review.created_at.as_ref().and_then(contract::convert::timestamp);
            if written.is_some_and(|at| is_stale(at, now)) {
                Plan::Drop(TOO_LATE)
            } else {
                Plan::Send
            }
        }
        _ => Plan::Send,
    }
}

/// Booking may learn of the failure after this service, and of a refund that was made in its place;
/// what is not owed is not told.
fn refund_failed(mail: &Mail, facts: &BookingFacts, now: Timestamp) -> Plan {
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

/// Whether it is a receipt for a payment. Invoices and refund documents are issued after the
/// session.
fn is_for_money(facts: &BookingFacts) -> bool {
    let kind = facts.receipt.as_ref().map_or("", |receipt| &receipt.kind);
    matches!(kind, "" | "receipt" | "receipt_voucher")
}

/// A reminder is sent from `due` until `ends`; a session booked within that time needs none.
fn reminder((due, ends): (Timestamp, Timestamp), booked_at: Timestamp, now: Timestamp) -> Plan {
    if now >= ends {
        Plan::Drop(TOO_LATE)
    } else if now < due {
        Plan::Wait(due)
    } else if booked_at > due {
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

fn follow_up(facts: &BookingFacts, minutes: i64, now: Timestamp) -> Plan {
    let due = facts.ends_at.plus_minutes(minutes);
    if now < due {
        Plan::Wait(due)
    } else if is_stale(due, now) {
        Plan::Drop(TOO_LATE)
    } else {
        Plan::Send
    }
}

fn day_sheet(date: Date, practice: &Practice, now: Timestamp) -> Plan {
    let Some(at) = practice.mails.day_sheet_at else { return Plan::Drop(NOT_WANTED) };
    let today = now.in_zone(&practice.practice.zone).date();
    if date < today {
        return Plan::Drop(TOO_LATE);
    }
    // After the clock was set back, the sheet's day may be ahead.
    match sheet_time(practice, date, at) {
        Some(due) if date > today => Plan::Wait(due),
        _ => Plan::Send,
    }
}

/// When the sheet of a day is due; `None` outside the calendar's range.
#[must_use]
pub fn sheet_time(practice: &Practice, date: Date, at: Time) -> Option<Timestamp> {
    let zoned: Result<Zoned, _> = date.to_datetime(at).to_zoned(practice.practice.zone.clone());
    zoned.ok().map(|zoned| Timestamp::from_jiff(zoned.timestamp()))
}

fn before(start: Timestamp, hours: i32) -> Timestamp {
    start.plus_seconds(-i64::from(hours) * HOUR_SECONDS)
}

fn is_stale(due: Timestamp, now: Timestamp) -> bool {
    now.seconds_since(due) >= WORTH_READING_DAYS * DAY_SECONDS
}

#[cfg(test)]
mod tests;

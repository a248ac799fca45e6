//! The practice's sessions of a day.

use contract::booking::v1::SessionMode;
use jiff::civil::Date;
use serde_json::json;

use crate::delivery::sources::{Sources, subject};
use crate::mails::declaration::Declaration;
use crate::mails::facts::{Facts, FactsError};
use crate::mails::mail::Mail;
use crate::mails::planning::{Due, NOT_WANTED, Plan, TOO_LATE, local_time};
use crate::templates::render::samples::figures::{HOUR, at};
use crate::templates::render::samples::{Form, ROOM_URL, Typed, booking};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration {
    load: |sources, mail| Box::pin(load(sources, mail)),
    plan,
    believes: |reason| [TOO_LATE, NOT_WANTED].contains(&reason),
    samples,
    ..Declaration::TO_PRACTICE
};

async fn load(sources: &Sources, mail: &Mail) -> Result<Facts, FactsError> {
    sources.clients().day(subject(mail)?).await
}

fn plan(due: &Due<'_>) -> Plan {
    let Facts::Day { date, .. } = due.facts else { return Plan::Send };
    let Some(at) = due.practice.mails.day_sheet_at else { return Plan::Drop(NOT_WANTED) };
    let today = due.now.in_zone(&due.practice.practice.zone).date();
    if *date < today {
        return Plan::Drop(TOO_LATE);
    }
    // After the clock was set back, the sheet's day may be ahead.
    match local_time(due.practice, *date, at) {
        Some(at) if *date > today => Plan::Wait(at),
        _ => Plan::Send,
    }
}

fn samples(typed: &Typed) -> Vec<Form> {
    let mut first = booking(typed, SessionMode::Online, ROOM_URL);
    let mut second = booking(typed, SessionMode::InPerson, "");
    (second.starts_at, second.ends_at) = (at(2 * HOUR), at(3 * HOUR));
    let mut third = booking(typed, SessionMode::Online, "");
    (third.starts_at, third.ends_at) = (at(5 * HOUR), at(6 * HOUR));
    third.contact.phone = String::new();
    for quiet in [&mut second, &mut third] {
        quiet.contact.notes = String::new();
    }
    first.booking.service_title = format!("{} for two", typed.service_title);
    let date = Date::constant(2026, 11, 24);
    let day = |sessions| Facts::Day { date, sessions };
    vec![
        ("full", day(vec![first.clone(), second, third]), json!({})),
        ("one", day(vec![first]), json!({})),
        ("empty", day(Vec::new()), json!({})),
    ]
}

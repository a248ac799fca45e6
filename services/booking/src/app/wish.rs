//! Reads what a client waits for, and shows it.

use contract::booking::v1 as wire;
use contract::convert::to_wire;
use jiff::civil::{Date, Weekday};
use kernel::typed::Line;
use practice::Practice;

use super::request::{is_service_id, parse_date, wanted_practitioner};
use crate::contract::{read_mode, wire_mode};
use crate::domain::contact::NAME_MAX;
use crate::domain::waiting::{Clock, DAYS_MAX, DayPart, NOTICE_MAX, WaitingWish};
use crate::error::{Error, Rejection, refuse};
use crate::repository::waiting::Entry;
use crate::repository::waiting_offers::Offer;

const WEEKDAYS: usize = 7;
/// A staff member's reason, in characters.
const REASON_CHARS: std::ops::RangeInclusive<usize> = 3..=200;

/// Reads a wish for a new booking, or for the service of the booking that is to be earlier.
///
/// # Errors
/// The first field that is wrong.
pub(super) fn parse(asked: wire::WaitingWish, clock: &Clock) -> Result<WaitingWish, Error> {
    if !is_service_id(&asked.service_id) {
        return Err(refuse(Rejection::ServiceNotFound));
    }
    let (today, last) = (clock.date_in(0), clock.date_in(DAYS_MAX));
    let from = date(&asked.from_date, today).ok_or(refuse(Rejection::WishFrom))?.max(today);
    let until = date(&asked.until_date, last).ok_or(refuse(Rejection::WishDates))?;
    if until < from || until > last {
        return Err(refuse(Rejection::WishDates));
    }
    if !(0..=NOTICE_MAX).contains(&asked.notice_minutes) {
        return Err(refuse(Rejection::WishNotice));
    }
    let booking = Some(asked.earlier_than_booking_id.as_str()).filter(|id| !id.is_empty());
    let booking = booking.map(str::parse).transpose();
    Ok(WaitingWish {
        mode: read_mode(asked.mode).ok_or(refuse(Rejection::InvalidMode))?,
        weekdays: weekdays(&asked.weekdays).ok_or(refuse(Rejection::WishWeekdays))?,
        day_parts: day_parts(&asked.day_parts).ok_or(refuse(Rejection::WishDayParts))?,
        earlier_than: booking.map_err(|_malformed| refuse(Rejection::BookingNotFound))?,
        practitioner_id: wanted_practitioner(asked.practitioner_id),
        service_id: asked.service_id,
        from,
        until,
        notice_minutes: asked.notice_minutes,
    })
}

/// Reads the name that the mail of an offer greets.
///
/// # Errors
/// `InvalidWaitingName`.
pub(super) fn first_name(text: &str) -> Result<String, Error> {
    let name = Line::parse(text, NAME_MAX).map(Line::into_string);
    let name = name.ok().filter(|name| !name.is_empty());
    name.ok_or(refuse(Rejection::InvalidWaitingName))
}

/// Reads why staff act out of the order.
///
/// # Errors
/// `InvalidReason`.
pub(super) fn reason(text: &str) -> Result<String, Error> {
    let reason = Line::parse(text, *REASON_CHARS.end()).map(Line::into_string).ok();
    let reason = reason.filter(|reason| REASON_CHARS.contains(&reason.chars().count()));
    reason.ok_or(refuse(Rejection::InvalidReason))
}

/// An entry as its client sees it, without an offer.
pub(super) fn show(practice: &Practice, entry: &Entry) -> wire::Waiting {
    let wish = &entry.wish;
    let practitioner = wish.practitioner_id.clone().unwrap_or_default();
    let name = wish.practitioner_id.as_deref().map(|id| practice.name_of_practitioner(id));
    let weekday = |day: &Weekday| i32::from(day.to_monday_one_offset());
    wire::Waiting {
        waiting_id: entry.id.to_string(),
        wish: Some(wire::WaitingWish {
            service_id: wish.service_id.clone(),
            practitioner_id: practitioner,
            mode: wire_mode(wish.mode).into(),
            from_date: wish.from.to_string(),
            until_date: wish.until.to_string(),
            weekdays: wish.weekdays.iter().map(weekday).collect(),
            day_parts: wish.day_parts.iter().map(|part| wire_part(*part).into()).collect(),
            notice_minutes: wish.notice_minutes,
            earlier_than_booking_id: wish.earlier_than.map(|id| id.to_string()).unwrap_or_default(),
        }),
        service_title: entry.service_title.clone(),
        practitioner_name: name.unwrap_or_default().to_owned(),
        joined_at: Some(to_wire(entry.joined_at)),
        ends_at: Some(to_wire(entry.ends_at)),
        offer: None,
        earlier_than_at: None,
    }
}

/// An offer on the wire.
pub(super) fn show_offer(practice: &Practice, offer: &Offer) -> wire::WaitingOffer {
    wire::WaitingOffer {
        offer_id: offer.id.to_string(),
        practitioner_id: offer.practitioner_id.clone(),
        practitioner_name: practice.name_of_practitioner(&offer.practitioner_id).to_owned(),
        starts_at: Some(to_wire(offer.span.starts_at())),
        ends_at: Some(to_wire(offer.span.ends_at())),
        held_until_at: Some(to_wire(offer.held_until)),
    }
}

fn date(text: &str, usual: Date) -> Option<Date> {
    if text.is_empty() { Some(usual) } else { parse_date(text) }
}

fn weekdays(numbers: &[i32]) -> Option<Vec<Weekday>> {
    let day = |number: &i32| Weekday::from_monday_one_offset(i8::try_from(*number).ok()?).ok();
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    let days: Vec<Weekday> = numbers.iter().map(day).collect::<Option<_>>()?;
    Some(if days.len() == WEEKDAYS { Vec::new() } else { days })
}

fn day_parts(parts: &[i32]) -> Option<Vec<DayPart>> {
    let mut parts: Vec<DayPart> = parts.iter().map(|it| read_part(*it)).collect::<Option<_>>()?;
    parts.sort_unstable();
    parts.dedup();
    Some(parts)
}

fn read_part(part: i32) -> Option<DayPart> {
    match wire::DayPart::try_from(part).ok()? {
        wire::DayPart::Unspecified => None,
        wire::DayPart::Morning => Some(DayPart::Morning),
        wire::DayPart::Afternoon => Some(DayPart::Afternoon),
        wire::DayPart::Evening => Some(DayPart::Evening),
    }
}

fn wire_part(part: DayPart) -> wire::DayPart {
    match part {
        DayPart::Morning => wire::DayPart::Morning,
        DayPart::Afternoon => wire::DayPart::Afternoon,
        DayPart::Evening => wire::DayPart::Evening,
    }
}

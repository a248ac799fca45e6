//! The zone that a definition in a calendar file describes: all changes of its offset, one after
//! the other, whether they follow a yearly rule, with an end or without, or are listed.

use std::collections::BTreeMap;

use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarFrequency, ICalendarPeriod,
    ICalendarProperty, ICalendarRecurrenceRule, ICalendarValue,
};
use jiff::civil::{DateTime, date};
use jiff::tz::{Offset, TimeZone};
use kernel::Timestamp;

use crate::clients::busy_calendar::moments::{Moment, civil, own_zone};
use crate::clients::busy_calendar::rules::starts;

/// The last year until which rules without an end are followed.
const LAST_YEAR: i16 = 2100;

/// The zone of a definition; `None` when a part of it cannot be understood.
pub(super) fn definition(calendar: &ICalendar, component: &ICalendarComponent) -> Option<TimeZone> {
    // The offset from each instant on, and the one before.
    let mut changes: BTreeMap<i64, (i32, i32)> = BTreeMap::new();
    for id in &component.component_ids {
        let Some(half) = calendar.component_by_id(*id) else { continue };
        let is_half = matches!(
            half.component_type,
            ICalendarComponentType::Standard | ICalendarComponentType::Daylight
        );
        if !is_half {
            continue;
        }
        let to = offset(half, &ICalendarProperty::Tzoffsetto)?;
        let from = offset(half, &ICalendarProperty::Tzoffsetfrom).unwrap_or(to);
        for at in begins(half, from)? {
            changes.insert(at, (to, from));
        }
    }
    let (_, &(_, before)) = changes.first_key_value()?;
    TimeZone::tzif("defined", &tzif(before, &changes)?).ok()
}

fn offset(half: &ICalendarComponent, name: &ICalendarProperty) -> Option<i32> {
    match half.property(name)?.values.first()? {
        ICalendarValue::PartialDateTime(offset) => {
            let hours = i32::from(offset.tz_hour?);
            let seconds = hours * 3600 + i32::from(offset.tz_minute.unwrap_or(0)) * 60;
            Some(if offset.tz_minus { -seconds } else { seconds })
        }
        _ => None,
    }
}

/// The instants, in seconds, at which a half of a year begins. Its local times have the offset that
/// was before it.
fn begins(half: &ICalendarComponent, from: i32) -> Option<Vec<i64>> {
    let zone = TimeZone::fixed(Offset::from_seconds(from).ok()?);
    let value = half.property(&ICalendarProperty::Dtstart)?.values.first()?;
    let ICalendarValue::PartialDateTime(start) = value else { return None };
    let (civil, is_date) = civil(start)?;
    let start = Moment { civil, zone: own_zone(start).unwrap_or(zone), is_date, is_unsure: false };
    let mut local = vec![start.civil];
    for entry in &half.entries {
        match (&entry.name, entry.values.first()) {
            (ICalendarProperty::Rrule, Some(ICalendarValue::RecurrenceRule(rule))) => {
                if !is_of(rule, start.civil) {
                    local.retain(|civil| *civil != start.civil);
                }
                local.extend(followed(&start, rule)?);
            }
            (ICalendarProperty::Rrule, _) => return None,
            (ICalendarProperty::Rdate, _) => {
                let listed: Option<Vec<DateTime>> = entry.values.iter().map(listed).collect();
                local.extend(listed?);
            }
            _ => {}
        }
    }
    let instants = local.into_iter().map(|civil| start.at(civil).instant());
    instants.map(|at| Some(at?.jiff().as_second())).collect()
}

fn listed(value: &ICalendarValue) -> Option<DateTime> {
    match value {
        ICalendarValue::PartialDateTime(value) => Some(civil(value)?.0),
        ICalendarValue::Period(
            ICalendarPeriod::Range { start, .. } | ICalendarPeriod::Duration { start, .. },
        ) => Some(civil(start)?.0),
        _ => None,
    }
}

/// Whether a start belongs to its rule; some programs write the beginning of a year.
fn is_of(rule: &ICalendarRecurrenceRule, start: DateTime) -> bool {
    let months = &rule.bymonth;
    months.is_empty() || months.iter().any(|month| i8::try_from(month.month()) == Ok(start.month()))
}

fn followed(start: &Moment, rule: &ICalendarRecurrenceRule) -> Option<Vec<DateTime>> {
    if rule.freq != ICalendarFrequency::Yearly {
        return None;
    }
    let end = date(LAST_YEAR, 1, 1).to_zoned(TimeZone::UTC).ok()?.timestamp();
    starts(start, rule, Timestamp::from_jiff(end)).ok()?
}

/// The changes as the file format of zones has them (RFC 8536), which is how a zone can be made.
fn tzif(before: i32, changes: &BTreeMap<i64, (i32, i32)>) -> Option<Vec<u8>> {
    let mut offsets = vec![before];
    for (to, _) in changes.values() {
        if !offsets.contains(to) {
            offsets.push(*to);
        }
    }
    let mut bytes = header(0, 1)?;
    // The first part, for readers of the first version, says nothing.
    bytes.extend([0, 0, 0, 0, 0, 0, b'-', 0]);
    bytes.extend(header(changes.len(), offsets.len())?);
    for at in changes.keys() {
        bytes.extend(at.to_be_bytes());
    }
    for (to, _) in changes.values() {
        let number = offsets.iter().position(|offset| offset == to)?;
        bytes.push(u8::try_from(number).ok()?);
    }
    for offset in &offsets {
        bytes.extend(offset.to_be_bytes());
        bytes.extend([0, 0]);
    }
    bytes.extend([b'-', 0]);
    // No rule follows: the last offset stays.
    bytes.extend(b"\n\n");
    Some(bytes)
}

/// A header for so many changes and offsets, all with one name of a letter.
fn header(changes: usize, offsets: usize) -> Option<Vec<u8>> {
    let mut bytes = b"TZif2".to_vec();
    bytes.extend([0; 15]);
    for count in [0, 0, 0, changes, offsets, 2] {
        bytes.extend(u32::try_from(count).ok()?.to_be_bytes());
    }
    Some(bytes)
}

//! The times of a rule of recurrence.

use calcard::common::timezone::Tz;
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarFrequency, ICalendarProperty,
    ICalendarRecurrenceRule, ICalendarValue,
};
use jiff::ToSpan as _;
use jiff::civil::DateTime;
use kernel::Timestamp;

use super::moments::{Moment, civil, civil_of_seconds, own_zone, partial};
use super::unreadable::Unreadable;

/// The most times of one rule, from its first one on: fifty years of a daily one.
const TIMES_OF_A_RULE_MAX: usize = 20_000;

/// The local starts of a rule until an instant; `None` when the rule makes no sense. The library
/// expands it in local time, as the standard wants, so it gets no zone.
pub(super) fn starts(
    start: &Moment,
    rule: &ICalendarRecurrenceRule,
    until: Timestamp,
) -> Result<Option<Vec<DateTime>>, Unreadable> {
    if matches!(rule.freq, ICalendarFrequency::Secondly | ICalendarFrequency::Minutely) {
        return Err(Unreadable::TooManyTimes);
    }
    let mut rule = rule.clone();
    let end = match rule.until.as_ref().map(|end| last_start(start, end)) {
        Some(None) => return Ok(None),
        Some(Some(end)) => end.min(start.local(until)),
        None => start.local(until),
    };
    if end < start.civil {
        return Ok(Some(Vec::new()));
    }
    rule.until = partial(end);
    let Some(first) = partial(start.civil) else { return Ok(None) };
    let mut component = ICalendarComponent::new(ICalendarComponentType::VEvent);
    let first = ICalendarValue::PartialDateTime(Box::new(first));
    component.add_property(ICalendarProperty::Dtstart, first);
    let rule = ICalendarValue::RecurrenceRule(Box::new(rule));
    component.add_property(ICalendarProperty::Rrule, rule);
    let series = ICalendar { components: vec![component] };
    let expanded = series.expand_dates(Tz::Floating, TIMES_OF_A_RULE_MAX + 1);
    if expanded.events.len() > TIMES_OF_A_RULE_MAX {
        return Err(Unreadable::TooManyTimes);
    }
    if !expanded.errors.is_empty() {
        return Ok(None);
    }
    let local = expanded.events.iter().filter_map(|event| civil_of_seconds(event.timestamps().0));
    Ok(Some(local.collect()))
}

/// The last local start that a rule's end allows: the end of a date, an instant, or a local time.
fn last_start(start: &Moment, until: &calcard::common::PartialDateTime) -> Option<DateTime> {
    let (end, is_date) = civil(until)?;
    if is_date {
        return end.checked_add(1.day()).ok()?.checked_sub(1.second()).ok();
    }
    let Some(zone) = own_zone(until) else { return Some(end) };
    let instant = Moment { civil: end, zone, is_date: false, is_unsure: false }.instant()?;
    let last = start.at(start.local(instant));
    if !start.is_date {
        return Some(last.civil);
    }
    // A series of dates ends on the date that is written, whatever its zone; but some programs
    // write the instant at which its last day begins here, which may have another date in UTC.
    let day = if last.is_midnight() { last.civil.date() } else { end.date() };
    Some(day.to_datetime(jiff::civil::time(23, 59, 59, 0)))
}

//! The times of an event, of a series, and of its exceptions, within a window.

use std::collections::{BTreeMap, BTreeSet};

use calcard::common::timezone::Tz;
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarFrequency, ICalendarProperty,
    ICalendarRecurrenceRule, ICalendarValue,
};
use jiff::civil::{Date, DateTime};
use jiff::{SignedDuration, ToSpan as _};
use kernel::Timestamp;

use super::event::Event;
use super::moments::{Length, Moment, civil, civil_of_seconds, own_zone, partial};
use super::unreadable::Unreadable;
use crate::domain::span::Span;

/// The most times of one rule, from its first one on: fifty years of a daily one.
const TIMES_OF_A_RULE_MAX: usize = 20_000;

/// The busy times of events with the same id. `odd` counts rules that cannot be understood; of
/// such a series its first time is closed.
pub(super) fn busy_spans(
    events: &[Event],
    window: Span,
    odd: &mut usize,
) -> Result<Vec<Span>, Unreadable> {
    let exceptions = newest_exceptions(events);
    let replaced = Marks::of(exceptions.values().map(|it| it.replaced));
    let all_later: Vec<&Exception<'_>> =
        exceptions.values().filter(|it| it.event.replaces_all_later).collect();
    let mut spans = Vec::new();
    for event in events.iter().filter(|event| event.replaces.is_none()) {
        let excepted = Marks::of(event.exceptions.iter());
        for (moment, length) in times(event, window, odd)? {
            if !excepted.contain(&moment) && !replaced.contain(&moment) {
                spans.extend(span_of(event, (&moment, length), &all_later));
            }
        }
    }
    for Exception { event, replaced, .. } in exceptions.values().filter(|it| it.event.is_busy) {
        spans.extend(span(&event.start, event.length));
        // An exception for all later times may have a rule of its own.
        if event.replaces_all_later && !event.rules.is_empty() {
            for (moment, length) in times(event, window, odd)? {
                if !moment.is_meant_by(replaced) {
                    spans.extend(span(&moment, length));
                }
            }
        }
    }
    Ok(spans)
}

/// Moments as they are looked up: by their instants, and dates by their days, because programs
/// write exceptions of a series of times as dates.
struct Marks {
    instants: BTreeSet<Timestamp>,
    days: BTreeSet<Date>,
}

impl Marks {
    fn of<'m>(moments: impl Iterator<Item = &'m Moment>) -> Self {
        let mut marks = Self { instants: BTreeSet::new(), days: BTreeSet::new() };
        for moment in moments {
            marks.instants.extend(moment.instant());
            marks.days.extend(moment.is_date.then(|| moment.civil.date()));
        }
        marks
    }

    fn contain(&self, moment: &Moment) -> bool {
        moment.instant().is_some_and(|instant| self.instants.contains(&instant))
            || (!moment.is_date && self.days.contains(&moment.civil.date()))
    }
}

/// An event that stands for a time of a series.
struct Exception<'e> {
    event: &'e Event,
    replaced: &'e Moment,
    /// The instant of that time.
    at: Timestamp,
}

/// The exceptions by the instants of the times that they stand for; of several for one time the
/// newest.
fn newest_exceptions(events: &[Event]) -> BTreeMap<Timestamp, Exception<'_>> {
    let mut newest: BTreeMap<Timestamp, Exception<'_>> = BTreeMap::new();
    for event in events {
        let Some(replaced) = &event.replaces else { continue };
        let Some(at) = replaced.instant() else { continue };
        let known = newest.get(&at).map(|known| known.event.sequence);
        if known.is_none_or(|known| known <= event.sequence) {
            newest.insert(at, Exception { event, replaced, at });
        }
    }
    newest
}

/// The busy time of one time of a series. Where an exception stands for all later times, the time
/// is moved as that exception was; where that one has its own rule, or is not busy, there is none.
fn span_of(
    event: &Event,
    (moment, length): (&Moment, Length),
    all_later: &[&Exception<'_>],
) -> Option<Span> {
    let instant = moment.instant()?;
    let earlier = all_later.iter().rev().find(|exception| exception.at <= instant);
    let Some(Exception { event: exception, replaced, .. }) = earlier else {
        return if event.is_busy { span(moment, length) } else { None };
    };
    if !exception.is_busy || !exception.rules.is_empty() {
        return None;
    }
    let moved = exception.start.instant()?.seconds_since(replaced.instant()?);
    let moved = moment.civil.checked_add(SignedDuration::from_secs(moved)).ok()?;
    span(&moment.at(moved), exception.length)
}

fn span(moment: &Moment, length: Length) -> Option<Span> {
    Span::new(moment.instant()?, moment.end(length)?)
}

/// All times of an event that may touch the window, its first one included.
fn times(
    event: &Event,
    window: Span,
    odd: &mut usize,
) -> Result<Vec<(Moment, Length)>, Unreadable> {
    let mut times = vec![(event.start.clone(), event.length)];
    for rule in &event.rules {
        let Some(starts) = starts(&event.start, rule, window.ends_at())? else {
            *odd += 1;
            continue;
        };
        let later = starts.into_iter().filter(|civil| *civil != event.start.civil);
        times.extend(later.map(|civil| (event.start.at(civil), event.length)));
    }
    let further =
        event.more.iter().map(|(moment, own)| (moment.clone(), own.unwrap_or(event.length)));
    times.extend(further);
    Ok(times)
}

/// The local starts of a rule until an instant; `None` when the rule makes no sense. The library
/// expands it in local time, as the standard wants, so it gets no zone.
fn starts(
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
    match own_zone(until) {
        // A series of dates ends on the date that is written, whatever its zone.
        Some(_) if start.is_date => end.date().to_datetime(jiff::civil::time(23, 59, 59, 0)).into(),
        Some(zone) => Some(start.local(Moment { civil: end, zone, is_date: false }.instant()?)),
        None => Some(end),
    }
}

//! The times of an event, of a series, and of its exceptions, within a window.

use std::collections::{BTreeMap, BTreeSet};

use jiff::SignedDuration;
use jiff::civil::Date;
use kernel::Timestamp;

use super::event::Event;
use super::moments::{Length, Moment};
use super::rules::starts;
use super::unreadable::Unreadable;
use crate::domain::span::Span;

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
        spans.extend(span(&event.start, event.length, event.travel));
        // An exception for all later times may have a rule of its own.
        if event.replaces_all_later && !event.rules.is_empty() {
            for (moment, length) in times(event, window, odd)? {
                if !moment.is_meant_by(replaced) {
                    spans.extend(span(&moment, length, event.travel));
                }
            }
        }
    }
    Ok(spans)
}

/// Moments as they are looked up: by their instants, and dates by their days, because programs
/// write exceptions of a series of times as dates, and those of a series of days as their
/// midnights in some zone.
#[derive(Default)]
struct Marks {
    instants: BTreeSet<Timestamp>,
    days: BTreeSet<Date>,
    midnights: BTreeSet<Date>,
}

impl Marks {
    fn of<'m>(moments: impl Iterator<Item = &'m Moment>) -> Self {
        let mut marks = Self::default();
        for moment in moments {
            marks.instants.extend(moment.instant());
            marks.days.extend(moment.is_date.then(|| moment.civil.date()));
            marks.midnights.extend(moment.is_midnight().then(|| moment.civil.date()));
        }
        marks
    }

    fn contain(&self, moment: &Moment) -> bool {
        moment.instant().is_some_and(|instant| self.instants.contains(&instant))
            || if moment.is_date { &self.midnights } else { &self.days }
                .contains(&moment.civil.date())
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
        return if event.is_busy { span(moment, length, event.travel) } else { None };
    };
    if !exception.is_busy || !exception.rules.is_empty() {
        return None;
    }
    let moved = exception.start.instant()?.seconds_since(replaced.instant()?);
    let moved = moment.civil.checked_add(SignedDuration::from_secs(moved)).ok()?;
    span(&moment.at(moved), exception.length, exception.travel)
}

fn span(moment: &Moment, length: Length, travel: Length) -> Option<Span> {
    Span::new(moment.begin(travel)?, moment.last_end(length)?)
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

//! Reads when a practitioner is busy out of calendar files, as other programs export them.
//!
//! The library `calcard` parses files and rules of recurrence and knows the names that programs
//! give to zones; which of its results count, exceptions of a series, bounds and instants are ours.
//! Of an event only its times are read, so that no text of a private calendar is kept anywhere.

mod attendance;
mod unreadable;
mod moments;
mod rules;
mod zones;
mod event;
mod series;
mod sieve;

use std::collections::{BTreeMap, BTreeSet};

use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarFreeBusyType, ICalendarMethod,
    ICalendarParameterName, ICalendarParameterValue, ICalendarPeriod, ICalendarProperty,
    ICalendarValue,
};
use calcard::{Entry, Parser};
use jiff::tz::TimeZone;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use self::event::Event;
use self::moments::Length;
pub use self::sieve::{Sieve, TooLarge};
pub use self::unreadable::Unreadable;
use self::zones::Zones;
use crate::domain::span::Span;

/// The most events of a source that are not over.
const EVENTS_MAX: usize = 10_000;
/// The most times of a source that its events give before they are merged.
const OCCURRENCES_MAX: usize = 100_000;
/// The most busy times of a source, merged.
const BUSY_TIMES_MAX: usize = 10_000;
/// The end of the ids of events that are sessions, of every practice that uses this program.
const SESSION_UID: &str = "@bookings.sukoon";

/// The busy times of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BusyTimes {
    /// In order, none overlapping or adjacent to another.
    pub spans: Vec<Span>,
    /// How many events were read.
    pub events: usize,
    /// How many of them could not be understood, wholly or in part.
    pub odd_events: usize,
}

/// Collects busy times within a window from one calendar file or several.
#[derive(Debug)]
pub struct BusyReader<'z> {
    window: Span,
    zone: &'z TimeZone,
    invited_as: Vec<String>,
    own: BTreeSet<Id<Booking>>,
    found: Vec<Span>,
    events: usize,
    odd_events: usize,
}

impl<'z> BusyReader<'z> {
    /// A reader for the times within a window. Whole days, and times without a zone, are in `zone`.
    #[must_use]
    pub fn new(window: Span, zone: &'z TimeZone) -> Self {
        let (invited_as, found) = (Vec::new(), Vec::new());
        let own = BTreeSet::new();
        Self { window, zone, invited_as, own, found, events: 0, odd_events: 0 }
    }

    /// The same for a calendar whose owner is invited at these addresses.
    #[must_use]
    pub fn invited_as(mut self, addresses: &[String]) -> Self {
        self.invited_as = addresses.iter().map(|address| attendance::address(address)).collect();
        self
    }

    /// The same without the sessions of these bookings, which are this practice's. Their times are
    /// known better here: a session that was cancelled may stay in the calendar into which its file
    /// was saved. A session of another practice closes its time.
    #[must_use]
    pub fn without_sessions_of(mut self, own: BTreeSet<Id<Booking>>) -> Self {
        self.own = own;
        self
    }

    /// Reads a calendar file.
    pub fn read(&mut self, text: &str) -> Result<(), Unreadable> {
        check_form(text)?;
        // Spaces at the ends of lines are no part of a name or a time.
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        let text = lines.join("\r\n");
        let mut parser = Parser::new(&text);
        loop {
            match parser.entry() {
                Entry::ICalendar(calendar) => self.read_calendar(&calendar)?,
                Entry::Eof => return Ok(()),
                Entry::TooManyComponents => return Err(Unreadable::TooManyEvents),
                // The parser is lenient: what it rejects is between calendars.
                Entry::InvalidLine(_) | Entry::VCard(_) => {}
                _ => return Err(Unreadable::Incomplete),
            }
        }
    }

    /// The busy times of all files that were read.
    ///
    /// # Errors
    /// When there are too many.
    pub fn finish(mut self) -> Result<BusyTimes, Unreadable> {
        self.found.sort_by_key(|span| (span.starts_at(), span.ends_at()));
        let mut spans: Vec<Span> = Vec::new();
        for span in self.found {
            let joined = spans.last().filter(|last| span.starts_at() <= last.ends_at());
            let joined = joined
                .and_then(|last| Span::new(last.starts_at(), last.ends_at().max(span.ends_at())));
            match (joined, spans.last_mut()) {
                (Some(joined), Some(last)) => *last = joined,
                _ => spans.push(span),
            }
        }
        if spans.len() > BUSY_TIMES_MAX {
            return Err(Unreadable::TooManyTimes);
        }
        Ok(BusyTimes { spans, events: self.events, odd_events: self.odd_events })
    }

    fn read_calendar(&mut self, calendar: &ICalendar) -> Result<(), Unreadable> {
        let zones = Zones::of(calendar, self.zone);
        // Nothing of a file that cancels takes place.
        let cancels = calendar.components.iter().any(is_cancellation);
        // Events by their id: a series and its exceptions have the same one.
        let mut series: BTreeMap<String, Vec<Event>> = BTreeMap::new();
        for (number, component) in calendar.components.iter().enumerate() {
            match component.component_type {
                ICalendarComponentType::VEvent => {
                    self.count_event()?;
                    match Event::read(component, &zones) {
                        Some(event) if self.is_own(&event.uid) => {}
                        Some(mut event) => {
                            event.is_busy &= !cancels
                                && !attendance::is_not_accepted(component, &self.invited_as);
                            self.odd_events += usize::from(event.is_odd);
                            // Events without an id are no series of one another.
                            let uid = if event.uid.is_empty() {
                                format!("{number}")
                            } else {
                                format!("uid {}", event.uid)
                            };
                            series.entry(uid).or_default().push(event);
                        }
                        None => self.odd_events += 1,
                    }
                }
                ICalendarComponentType::VFreebusy => {
                    self.count_event()?;
                    self.read_free_busy(component, &zones)?;
                }
                _ => {}
            }
        }
        for events in series.values() {
            let mut odd = 0;
            for span in series::busy_spans(events, self.window, &mut odd)? {
                self.add(span)?;
            }
            self.odd_events += odd;
        }
        self.odd_events += zones.unknown();
        Ok(())
    }

    fn is_own(&self, uid: &str) -> bool {
        booking_of(uid).is_some_and(|booking| self.own.contains(&booking))
    }

    fn count_event(&mut self) -> Result<(), Unreadable> {
        self.events += 1;
        if self.events > EVENTS_MAX { Err(Unreadable::TooManyEvents) } else { Ok(()) }
    }

    /// The periods of a list of busy times, as servers give for "free or busy" addresses.
    fn read_free_busy(
        &mut self,
        component: &ICalendarComponent,
        zones: &Zones,
    ) -> Result<(), Unreadable> {
        for entry in &component.entries {
            if entry.name != ICalendarProperty::Freebusy {
                continue;
            }
            let free = ICalendarParameterValue::Fbtype(ICalendarFreeBusyType::Free);
            if entry.parameters(&ICalendarParameterName::Fbtype).any(|kind| *kind == free) {
                continue;
            }
            for value in &entry.values {
                let span = match value {
                    ICalendarValue::Period(period) => period_span(period, entry.tz_id(), zones),
                    _ => None,
                };
                match span {
                    Some((starts_at, ends_at)) => self.add_between(starts_at, ends_at)?,
                    None => self.odd_events += 1,
                }
            }
        }
        Ok(())
    }

    fn add_between(&mut self, from: Timestamp, to: Timestamp) -> Result<(), Unreadable> {
        Span::new(from, to).map_or(Ok(()), |span| self.add(span))
    }

    fn add(&mut self, span: Span) -> Result<(), Unreadable> {
        let from = span.starts_at().max(self.window.starts_at());
        let to = span.ends_at().min(self.window.ends_at());
        self.found.extend(Span::new(from, to));
        if self.found.len() > OCCURRENCES_MAX { Err(Unreadable::TooManyTimes) } else { Ok(()) }
    }
}

/// The bookings whose sessions a file may have, of whichever practice they are.
#[must_use]
pub fn named_bookings(file: &str) -> BTreeSet<Id<Booking>> {
    let values = file.lines().filter_map(|line| line.rsplit_once(':'));
    values.filter_map(|(_property, value)| booking_of(value.trim())).collect()
}

/// The booking whose session has this id.
fn booking_of(uid: &str) -> Option<Id<Booking>> {
    let (booking, _number) = uid.strip_suffix(SESSION_UID)?.rsplit_once('-')?;
    booking.parse().ok()
}

fn is_cancellation(component: &ICalendarComponent) -> bool {
    component.component_type == ICalendarComponentType::VCalendar
        && component.property(&ICalendarProperty::Method).is_some_and(|entry| {
            entry.values.first() == Some(&ICalendarValue::Method(ICalendarMethod::Cancel))
        })
}

fn period_span(
    period: &ICalendarPeriod,
    zone_id: Option<&str>,
    zones: &Zones,
) -> Option<(Timestamp, Timestamp)> {
    match period {
        ICalendarPeriod::Range { start, end } => {
            let start = zones.moment(start, zone_id)?;
            let end = zones.moment(end, zone_id)?;
            Some((start.begin(Length::ZERO)?, end.last_end(Length::ZERO)?))
        }
        ICalendarPeriod::Duration { start, duration } => {
            let start = zones.moment(start, zone_id)?;
            Some((start.begin(Length::ZERO)?, start.last_end(Length::of(duration)?)?))
        }
    }
}

/// Checks that a text is a calendar file and has its end: a connection that breaks, or an error in
/// the middle of an export, must not open what comes after it.
fn check_form(text: &str) -> Result<(), Unreadable> {
    let is_mark = |line: &str, mark: &str| line.trim().eq_ignore_ascii_case(mark);
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    if !lines.next().is_some_and(|line| is_mark(line, "BEGIN:VCALENDAR")) {
        return Err(Unreadable::NotACalendar);
    }
    let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if is_mark(last, "END:VCALENDAR") { Ok(()) } else { Err(Unreadable::Incomplete) }
}

#[cfg(test)]
mod tests;

//! Which times days have given to bookings and blocks, and whether they still have them. Compact,
//! because a large practice has a million.

use std::collections::BTreeMap;

use booking::domain::day::Event;
use booking::domain::span::Span;
use kernel::Timestamp;

use crate::history::HistoryEvent;
use crate::names::Names;
use crate::scope::Scope;
use crate::snapshot::Holder;
use crate::violation::Finding;

/// A time on a day, and until when it is held if it is only held.
pub(crate) type Taken = (Span, Option<Timestamp>);
/// A time that counts: whose, from, to, until when it is held.
pub(crate) type Live = (Holder, String, Timestamp, Timestamp, Option<Timestamp>);

/// What became of a time that a day gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Gone,
    HeldUntil(Timestamp),
    Taken,
}

#[derive(Debug, Clone, Copy)]
struct GivenTime {
    holder: Holder,
    practitioner: u32,
    span: Span,
    fate: Fate,
}

/// The times of all days that were read.
#[derive(Debug, Default)]
pub(crate) struct Times {
    practitioners: Names,
    given: Vec<GivenTime>,
}

impl Times {
    /// Follows a day's history, in which no two times may overlap, and keeps its times.
    pub(crate) fn add_day(
        &mut self,
        stream: &str,
        past: &[HistoryEvent<Event>],
        found: &mut Finding,
    ) {
        let practitioner = self.practitioners.number(practitioner_of(stream));
        let mut taken: BTreeMap<Holder, Taken> = BTreeMap::new();
        let mut given: Vec<(Holder, Span)> = Vec::new();
        for it in past {
            given.extend(step(stream, it, &mut taken, found));
        }
        // A hold that became a booking has one time, given twice.
        let mut kept: Vec<(Holder, Span)> = Vec::new();
        for (holder, span) in given.into_iter().rev() {
            if kept.contains(&(holder, span)) {
                continue;
            }
            kept.push((holder, span));
            let fate = match taken.get(&holder) {
                Some((at_the_end, until)) if *at_the_end == span => {
                    until.map_or(Fate::Taken, Fate::HeldUntil)
                }
                Some(_) | None => Fate::Gone,
            };
            self.given.push(GivenTime { holder, practitioner, span, fate });
        }
    }

    /// To be called once all days are read, before anything is asked.
    pub(crate) fn sort(&mut self) {
        self.given.sort_by_key(|it| (it.holder, it.span.starts_at()));
    }

    fn of(&self, holder: Holder) -> impl Iterator<Item = &GivenTime> {
        let from = self.given.partition_point(|it| it.holder < holder);
        let rest = self.given.get(from..).unwrap_or_default();
        rest.iter().take_while(move |it| it.holder == holder)
    }

    /// Whether a day ever gave a time to a holder.
    pub(crate) fn was_given(&self, holder: Holder, span: &Span) -> bool {
        self.of(holder).any(|it| it.span == *span)
    }

    /// The times that days have for a holder at their end, with whose days these are.
    pub(crate) fn at_the_end(&self, holder: Holder) -> Vec<(&str, Taken)> {
        let there = self.of(holder).filter_map(|it| Some((it, it.until()?)));
        there
            .map(|(it, until)| (self.practitioners.name(it.practitioner), (it.span, until)))
            .collect()
    }

    /// The times that count at the end, of the holders in a scope.
    pub(crate) fn live<'t>(&'t self, scope: &'t Scope) -> impl Iterator<Item = Live> + 't {
        let from = self.given.partition_point(|it| scope.is_after(it.holder));
        let rest = self.given.get(from..).unwrap_or_default();
        let here = rest.iter().take_while(|it| !scope.is_before(it.holder));
        here.filter(|it| scope.contains(it.holder)).filter_map(|it| {
            let whose = self.practitioners.name(it.practitioner).to_owned();
            Some((it.holder, whose, it.span.starts_at(), it.span.ends_at(), it.until()?))
        })
    }
}

impl GivenTime {
    /// Until when the time is held, if it still counts.
    fn until(&self) -> Option<Option<Timestamp>> {
        match self.fate {
            Fate::Gone => None,
            Fate::HeldUntil(until) => Some(Some(until)),
            Fate::Taken => Some(None),
        }
    }
}

/// One event of a day; the time that it gives, if it gives one.
fn step(
    stream: &str,
    HistoryEvent { event, at }: &HistoryEvent<Event>,
    taken: &mut BTreeMap<Holder, Taken>,
    found: &mut Finding,
) -> Option<(Holder, Span)> {
    let (holder, new) = match event {
        Event::Held { booking_id, span, until } => {
            (Holder::Booking(*booking_id), Some((*span, Some(*until))))
        }
        Event::Booked { booking_id, span } => (Holder::Booking(*booking_id), Some((*span, None))),
        Event::HoldExtended { booking_id, until } => {
            let holder = Holder::Booking(*booking_id);
            (holder, taken.get(&holder).map(|(span, _)| (*span, Some(*until))))
        }
        Event::Released { booking_id } => (Holder::Booking(*booking_id), None),
        Event::Blocked { block_id, span } => (Holder::Block(*block_id), Some((*span, None))),
        Event::Unblocked { block_id } => (Holder::Block(*block_id), None),
    };
    taken.remove(&holder);
    let (span, until) = new?;
    for (other, (theirs, held)) in taken.iter() {
        if theirs.overlaps(&span) && held.is_none_or(|held| held > *at) {
            found.add(format!("{stream}: {holder:?} was given the time of {other:?}"));
        }
    }
    taken.insert(holder, (span, until));
    Some((holder, span))
}

/// The practitioner in the name of a day's stream.
#[must_use]
pub fn practitioner_of(stream: &str) -> &str {
    let date_chars = "-0000-00-00".len();
    let name = stream.strip_prefix("day-").unwrap_or(stream);
    name.get(..name.len().saturating_sub(date_chars)).unwrap_or_default()
}

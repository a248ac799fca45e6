//! Which start times the practice offers. The list and the booking use the same functions, so that
//! a page never offers a time that these rules reject.

use jiff::civil::{Date, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use kernel::Timestamp;
use practice::{Availability, Practice};

use super::span::Span;

/// A timetable, of the practice or of one practitioner, in the practice's time zone.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The time zone of all local times.
    pub zone: TimeZone,
    /// Weekdays, start times, notice, horizon, closed dates and blocked times.
    pub hours: Availability,
}

/// A start time of a day, as listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The whole session.
    pub span: Span,
    /// Whether it can be chosen.
    pub available: bool,
}

/// Why a start time cannot be booked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotBookable {
    /// It is past, or closer than the notice period.
    Past,
    /// The timetable has no such start.
    NotOffered,
    /// The session would overlap another one.
    Taken,
}

impl Rules {
    /// The practice's own timetable, which is that of its first practitioner.
    #[must_use]
    pub fn of(practice: &Practice) -> Self {
        Self { zone: practice.practice.zone.clone(), hours: practice.availability.clone() }
    }

    /// The local date of an instant.
    #[must_use]
    pub fn date_of(&self, instant: Timestamp) -> Date {
        instant.in_zone(&self.zone).date()
    }

    /// The first instants of a date and of the next date.
    #[must_use]
    pub fn bounds(&self, date: Date) -> (Timestamp, Timestamp) {
        let from = self.instant(date, Time::midnight()).unwrap_or(Timestamp::EPOCH);
        let next = date.tomorrow().ok().and_then(|next| self.instant(next, Time::midnight()));
        (from, next.unwrap_or(from))
    }

    /// A time range of one date; `None` is midnight, at its start or end. Returns `None` for an
    /// empty range.
    #[must_use]
    pub fn range(&self, date: Date, from: Option<Time>, to: Option<Time>) -> Option<Span> {
        let (begin, end) = self.bounds(date);
        let from = from.map_or(Some(begin), |from| self.instant(date, from))?;
        let to = to.map_or(Some(end), |to| self.instant(date, to))?;
        Span::new(from, to)
    }

    /// The last date that can be booked.
    #[must_use]
    pub fn last_date(&self, now: Timestamp) -> Date {
        let days = jiff::Span::new().days(self.hours.horizon_days);
        let today = self.date_of(now);
        today.checked_add(days).unwrap_or(today)
    }

    /// Whether sessions are given on a date.
    #[must_use]
    pub fn is_open(&self, date: Date) -> bool {
        self.hours.weekdays.contains(&date.weekday()) && !self.hours.closed_dates.contains(&date)
    }

    /// The start times of a date that are not past, free or not, in order.
    #[must_use]
    pub fn slots(&self, date: Date, minutes: i32, taken: &[Span], now: Timestamp) -> Vec<Slot> {
        if date > self.last_date(now) {
            return Vec::new();
        }
        self.starts(date, minutes)
            .into_iter()
            .filter_map(|span| match self.refusal(span, taken, now) {
                None => Some(Slot { span, available: true }),
                Some(NotBookable::Past) => None,
                Some(NotBookable::NotOffered | NotBookable::Taken) => {
                    Some(Slot { span, available: false })
                }
            })
            .collect()
    }

    /// The session that starts at `starts_at`, if it can be booked.
    pub fn offer(
        &self,
        starts_at: Timestamp,
        minutes: i32,
        taken: &[Span],
        now: Timestamp,
    ) -> Result<Span, NotBookable> {
        if starts_at < self.earliest(now) {
            return Err(NotBookable::Past);
        }
        let date = self.date_of(starts_at);
        let offered = self.starts(date, minutes).into_iter().find(|s| s.starts_at() == starts_at);
        match offered.filter(|_| date <= self.last_date(now)) {
            None => Err(NotBookable::NotOffered),
            Some(span) => self.refusal(span, taken, now).map_or(Ok(span), Err),
        }
    }

    /// Whether the timetable has this session, regardless of reservations and the notice period.
    #[must_use]
    pub fn offers(&self, span: Span) -> bool {
        let seconds = span.ends_at().seconds_since(span.starts_at());
        let starts =
            self.starts(self.date_of(span.starts_at()), i32::try_from(seconds / 60).unwrap_or(0));
        starts.contains(&span) && !self.is_blocked(span)
    }

    /// The first start time that can be booked from now on.
    #[must_use]
    pub fn next_free(&self, minutes: i32, taken: &[Span], now: Timestamp) -> Option<Timestamp> {
        let mut date = self.date_of(now);
        let last = self.last_date(now);
        while date <= last {
            let slots = self.slots(date, minutes, taken, now);
            if let Some(slot) = slots.iter().find(|slot| slot.available) {
                return Some(slot.span.starts_at());
            }
            date = date.tomorrow().ok()?;
        }
        None
    }

    fn earliest(&self, now: Timestamp) -> Timestamp {
        now.plus_minutes(i64::from(self.hours.notice_minutes))
    }

    /// Why a session of the timetable cannot be booked, if so.
    fn refusal(&self, span: Span, taken: &[Span], now: Timestamp) -> Option<NotBookable> {
        if span.starts_at() < self.earliest(now) {
            return Some(NotBookable::Past);
        }
        if self.is_blocked(span) {
            return Some(NotBookable::NotOffered);
        }
        taken.iter().any(|other| other.overlaps(&span)).then_some(NotBookable::Taken)
    }

    fn is_blocked(&self, span: Span) -> bool {
        let date = self.date_of(span.starts_at());
        self.hours.blocked_times.iter().filter(|blocked| blocked.date == date).any(|blocked| {
            let from = self.instant(date, blocked.from);
            let to = self.instant(date, blocked.to);
            from.zip(to)
                .and_then(|(from, to)| Span::new(from, to))
                .is_some_and(|blocked| blocked.overlaps(&span))
        })
    }

    /// Every session of a date's timetable that ends before midnight.
    fn starts(&self, date: Date, minutes: i32) -> Vec<Span> {
        if !self.is_open(date) || minutes <= 0 || self.hours.step_minutes <= 0 {
            return Vec::new();
        }
        let midnight = date.tomorrow().ok().and_then(|next| self.instant(next, Time::midnight()));
        let mut spans = Vec::new();
        let mut minute = minute_of(self.hours.first_start);
        while minute <= minute_of(self.hours.last_start) {
            let span = time_of(minute)
                .and_then(|time| self.start(date, time))
                .and_then(|start| Span::new(start, start.plus_minutes(i64::from(minutes))))
                .filter(|span| midnight.is_some_and(|midnight| span.ends_at() <= midnight));
            spans.extend(span);
            minute += self.hours.step_minutes;
        }
        spans
    }

    /// The instant of a local time; `None` if it falls into a daylight-saving gap.
    fn start(&self, date: Date, time: Time) -> Option<Timestamp> {
        let ambiguous = self.zone.to_ambiguous_timestamp(date.to_datetime(time));
        match ambiguous.offset() {
            AmbiguousOffset::Gap { .. } => None,
            AmbiguousOffset::Unambiguous { .. } | AmbiguousOffset::Fold { .. } => {
                ambiguous.compatible().ok().map(Timestamp::from_jiff)
            }
        }
    }

    /// The instant of a local time, or the first one after a gap.
    fn instant(&self, date: Date, time: Time) -> Option<Timestamp> {
        let ambiguous = self.zone.to_ambiguous_timestamp(date.to_datetime(time));
        ambiguous.compatible().ok().map(Timestamp::from_jiff)
    }
}

fn minute_of(time: Time) -> i32 {
    i32::from(time.hour()) * 60 + i32::from(time.minute())
}

fn time_of(minute: i32) -> Option<Time> {
    let hour = i8::try_from(minute / 60).ok()?;
    let minute = i8::try_from(minute % 60).ok()?;
    Time::new(hour, minute, 0, 0).ok()
}

#[cfg(test)]
mod tests;

//! Which starts the practice offers. The listing and the booking ask the same function, so that a
//! page never shows as free what the server refuses by its rules.

use jiff::civil::{Date, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use kernel::Timestamp;
use runtime::practice::Availability;

use super::span::Span;

/// When the practice works, in its zone.
#[derive(Debug, Clone)]
pub struct Rules {
    /// The zone in which all of its times are meant.
    pub zone: TimeZone,
    /// Days, starts, notice, horizon, and what is closed or blocked.
    pub hours: Availability,
}

/// One start of a day as a page shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The whole session.
    pub span: Span,
    /// Whether it can be chosen.
    pub available: bool,
}

/// Why a start can not be booked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotBookable {
    /// It has begun, or begins sooner than the practice's notice.
    Past,
    /// The practice offers no such start.
    NotOffered,
    /// The session would overlap another one.
    Taken,
}

impl Rules {
    /// The date on which an instant falls in the practice's zone.
    #[must_use]
    pub fn date_of(&self, instant: Timestamp) -> Date {
        instant.in_zone(&self.zone).date()
    }

    /// The first instant of a date and the first one of the next.
    #[must_use]
    pub fn bounds(&self, date: Date) -> (Timestamp, Timestamp) {
        let from = self.instant(date, Time::midnight()).unwrap_or(Timestamp::EPOCH);
        let next = date.tomorrow().ok().and_then(|next| self.instant(next, Time::midnight()));
        (from, next.unwrap_or(from))
    }

    /// A part of one date, from one time of day to another; `None` is midnight, its begin or its
    /// end. Nothing when it would be empty.
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

    /// Whether the practice works on a date.
    #[must_use]
    pub fn is_open(&self, date: Date) -> bool {
        self.hours.weekdays.contains(&date.weekday()) && !self.hours.closed_dates.contains(&date)
    }

    /// The starts of a date that are not past, free or not, in order.
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

    /// The session that begins at `starts_at`, if it can be booked.
    ///
    /// # Errors
    /// Why it can not.
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

    /// Whether the timetable has this session, whoever has taken it and however soon it begins.
    #[must_use]
    pub fn offers(&self, span: Span) -> bool {
        let seconds = span.ends_at().seconds_since(span.starts_at());
        let starts =
            self.starts(self.date_of(span.starts_at()), i32::try_from(seconds / 60).unwrap_or(0));
        starts.contains(&span) && !self.is_blocked(span)
    }

    /// The first start that can be booked from now on, given everything that is taken.
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

    /// Why a session that the timetable has can not be booked, if so.
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

    /// Every session of the timetable of a date that ends before midnight.
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

    /// The instant of a wall-clock time; `None` where clocks are put forward over it.
    fn start(&self, date: Date, time: Time) -> Option<Timestamp> {
        let ambiguous = self.zone.to_ambiguous_timestamp(date.to_datetime(time));
        match ambiguous.offset() {
            AmbiguousOffset::Gap { .. } => None,
            AmbiguousOffset::Unambiguous { .. } | AmbiguousOffset::Fold { .. } => {
                ambiguous.compatible().ok().map(Timestamp::from_jiff)
            }
        }
    }

    /// The instant of a wall-clock time, or the one right behind a gap.
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

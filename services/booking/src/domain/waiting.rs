//! The wait list: which freed time fits whom, and for how long it is held for one client.

use jiff::ToSpan as _;
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use super::booking::Mode;
use super::span::Span;

/// How many entries an account may have.
pub const ENTRIES_MAX: i64 = 5;
/// How many days ahead an entry reaches at most, and without a date of its own.
pub const DAYS_MAX: i32 = 60;
/// The longest notice that a client may want, in minutes.
pub const NOTICE_MAX: i32 = 2 * 24 * 60;
/// An offer is held at most so long, in minutes, and at most a quarter of what is left.
const HELD_MAX: i64 = 120;
/// It is held at least so long, or not made.
const HELD_MIN: i64 = 20;
const QUARTERS: i64 = 4;
/// From this time of day on nothing is offered, by the practice's clock.
const QUIET_FROM: Time = Time::constant(21, 0, 0, 0);
/// Until this time of day.
const QUIET_UNTIL: Time = Time::constant(8, 0, 0, 0);
const NOON: Time = Time::constant(12, 0, 0, 0);
const EVENING: Time = Time::constant(17, 0, 0, 0);

/// A part of a day, by the start of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DayPart {
    /// Before 12:00.
    Morning,
    /// From 12:00 and before 17:00.
    Afternoon,
    /// From 17:00.
    Evening,
}

impl DayPart {
    /// The part of a time of day.
    #[must_use]
    pub fn of(time: Time) -> Self {
        match time {
            time if time < NOON => Self::Morning,
            time if time < EVENING => Self::Afternoon,
            _later => Self::Evening,
        }
    }

    /// The stored word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Morning => "morning",
            Self::Afternoon => "afternoon",
            Self::Evening => "evening",
        }
    }

    /// The part of a stored word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Morning, Self::Afternoon, Self::Evening].into_iter().find(|it| it.word() == word)
    }
}

/// What a client waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingWish {
    /// The service.
    pub service_id: String,
    /// The practitioner; `None` for anyone who gives the service.
    pub practitioner_id: Option<String>,
    /// Online or in person.
    pub mode: Mode,
    /// The first local date that fits.
    pub from: Date,
    /// The last one.
    pub until: Date,
    /// The days of the week that fit; none means all.
    pub weekdays: Vec<Weekday>,
    /// The parts of the day that fit; none means all.
    pub day_parts: Vec<DayPart>,
    /// How long before its start a time must be offered at the latest, in minutes.
    pub notice_minutes: i32,
    /// The booking for which an earlier time is wanted; `None` for a new one.
    pub earlier_than: Option<Id<Booking>>,
}

impl WaitingWish {
    /// Whether a practitioner's free time fits, if it is offered now.
    #[must_use]
    pub fn fits(&self, practitioner_id: &str, start: Timestamp, clock: &Clock) -> bool {
        let local = start.in_zone(&clock.zone);
        let (date, part) = (local.date(), DayPart::of(local.time()));
        self.practitioner_id.as_deref().is_none_or(|wanted| wanted == practitioner_id)
            && (self.from..=self.until).contains(&date)
            && (self.weekdays.is_empty() || self.weekdays.contains(&date.weekday()))
            && (self.day_parts.is_empty() || self.day_parts.contains(&part))
            && clock.now.plus_minutes(self.notice_minutes.into()) <= start
    }
}

/// The present moment in the practice's zone.
#[derive(Debug, Clone)]
pub struct Clock {
    /// The practice's zone.
    pub zone: TimeZone,
    /// Now.
    pub now: Timestamp,
}

impl Clock {
    /// When the quiet hours end, if they are now: nothing is offered in them.
    #[must_use]
    pub fn quiet_until(&self) -> Option<Timestamp> {
        let local = self.now.in_zone(&self.zone);
        if local.time() < QUIET_UNTIL {
            return self.at(local.date(), QUIET_UNTIL);
        }
        let next = (local.time() >= QUIET_FROM).then(|| local.date().tomorrow().ok());
        next.flatten().and_then(|date| self.at(date, QUIET_UNTIL))
    }

    /// Until when a time is held for the client to whom it is offered now: at most two hours and at
    /// most a quarter of what is left until `start`, at least 20 minutes, of which the quiet hours
    /// do not count, and never beyond `last`. `None` when less is left, or the hours are quiet.
    #[must_use]
    pub fn held_until(&self, start: Timestamp, last: Timestamp) -> Option<Timestamp> {
        if self.quiet_until().is_some() {
            return None;
        }
        let left = start.seconds_since(self.now) / 60;
        let minutes = (left / QUARTERS).clamp(HELD_MIN, HELD_MAX);
        let quiet = self.at(self.now.in_zone(&self.zone).date(), QUIET_FROM)?;
        let awake = |until: Timestamp| until.min(quiet).seconds_since(self.now) / 60;
        let until = self.now.plus_minutes(minutes);
        let until = if until <= quiet {
            until
        } else {
            let date = quiet.in_zone(&self.zone).date().tomorrow().ok()?;
            self.at(date, QUIET_UNTIL)?.plus_minutes(minutes - awake(quiet))
        };
        let until = until.min(last);
        let morning = self.after_night(quiet, until);
        (awake(until) + morning >= HELD_MIN).then_some(until)
    }

    /// The same where staff make the offer, also in the quiet hours: then its time begins after
    /// them.
    #[must_use]
    pub fn held_from_waking(&self, start: Timestamp, last: Timestamp) -> Option<Timestamp> {
        match self.quiet_until() {
            Some(morning) => Self { zone: self.zone.clone(), now: morning }.held_until(start, last),
            None => self.held_until(start, last),
        }
    }

    /// How many minutes of an offer are after the night.
    fn after_night(&self, quiet: Timestamp, until: Timestamp) -> i64 {
        let next = quiet.in_zone(&self.zone).date().tomorrow().ok();
        let morning = next.and_then(|date| self.at(date, QUIET_UNTIL));
        morning.map_or(0, |morning| (until.seconds_since(morning) / 60).max(0))
    }

    /// The local date `days` from today.
    #[must_use]
    pub fn date_in(&self, days: i32) -> Date {
        let today = self.now.in_zone(&self.zone).date();
        today.checked_add(days.days()).unwrap_or(today)
    }

    fn at(&self, date: Date, time: Time) -> Option<Timestamp> {
        let ambiguous = self.zone.to_ambiguous_timestamp(date.to_datetime(time));
        ambiguous.compatible().ok().map(Timestamp::from_jiff)
    }
}

/// The free times of a practitioner that are to be offered: those that overlap a freed time.
#[must_use]
pub fn freed(free: impl IntoIterator<Item = Span>, freed: &[Span]) -> Vec<Span> {
    let was_freed = |span: &Span| freed.iter().any(|freed| freed.overlaps(span));
    free.into_iter().filter(was_freed).collect()
}

#[cfg(test)]
mod tests;

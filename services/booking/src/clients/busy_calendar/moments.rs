//! A moment of a calendar: a date, or a local time in a zone, and how long something takes from it.

use calcard::common::PartialDateTime;
use calcard::icalendar::ICalendarDuration;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Span as JiffSpan, Timestamp as JiffTimestamp};
use kernel::Timestamp;

/// The longest duration that is read, in days: something like "busy for ever".
const DAYS_MAX: i64 = 36_600;

/// The offsets of the zones at the ends of the world.
const EASTERNMOST_HOURS: i64 = 14;
const WESTERNMOST_HOURS: i64 = -12;

/// A date, or a local time in a zone.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    /// The local time; midnight for a date.
    pub(super) civil: DateTime,
    /// Its zone; the practice's for a date.
    pub(super) zone: TimeZone,
    /// Whether it is a date.
    pub(super) is_date: bool,
    /// Whether its zone is not known, and `zone` a guess.
    pub(super) is_unsure: bool,
}

/// How long something takes: days first, which are local, and then seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Length {
    days: i64,
    seconds: i64,
}

impl Moment {
    /// The instant. A local time that a change of the clock leaves out is read with the offset
    /// before the change, and one that it repeats is the first of both (RFC 5545, 3.3.5).
    pub(super) fn instant(&self) -> Option<Timestamp> {
        let ambiguous = self.zone.to_ambiguous_timestamp(self.civil);
        ambiguous.compatible().ok().map(Timestamp::from_jiff)
    }

    /// The same with another local time.
    pub(super) fn at(&self, civil: DateTime) -> Self {
        Self { civil, ..self.clone() }
    }

    /// When something ends that begins here.
    pub(super) fn end(&self, length: Length) -> Option<Timestamp> {
        let days = JiffSpan::new().try_days(length.days).ok()?;
        let begins = self.at(self.civil.checked_add(days).ok()?).instant()?;
        later(begins, length.seconds)
    }

    /// Whether another moment means this one: the same instant, or, where one of them is a date,
    /// the same day here.
    pub(super) fn is_meant_by(&self, other: &Self) -> bool {
        if other.is_date && !self.is_date || other.is_midnight() && self.is_date {
            return self.civil.date() == other.civil.date();
        }
        self.instant().is_some() && self.instant() == other.instant()
    }

    /// Whether it is the beginning of a day, by its own clock.
    pub(super) fn is_midnight(&self) -> bool {
        self.civil.time() == Time::midnight()
    }

    /// When something begins that its owner is on the way to for so long; the earliest instant
    /// that it may be where the zone is not known.
    pub(super) fn begin(&self, travel: Length) -> Option<Timestamp> {
        let seconds = travel.days.checked_mul(86_400)?.checked_add(travel.seconds)?;
        let before = seconds.checked_add(self.seconds_from(EASTERNMOST_HOURS))?;
        self.instant().and_then(|instant| later(instant, before.checked_neg()?))
    }

    /// When something ends that begins here; the latest instant that it may be where the zone is
    /// not known.
    pub(super) fn last_end(&self, length: Length) -> Option<Timestamp> {
        later(self.end(length)?, -self.seconds_from(WESTERNMOST_HOURS))
    }

    /// By how much a zone that is not known may be east of the guess, if it has this offset.
    fn seconds_from(&self, hours: i64) -> i64 {
        match self.instant() {
            Some(instant) if self.is_unsure => {
                hours * 3600 - i64::from(self.zone.to_offset(instant.jiff()).seconds())
            }
            _ => 0,
        }
    }

    /// The local time of an instant in this moment's zone.
    pub(super) fn local(&self, instant: Timestamp) -> DateTime {
        instant.jiff().to_zoned(self.zone.clone()).datetime()
    }
}

impl Length {
    /// Nothing.
    pub(super) const ZERO: Self = Self { days: 0, seconds: 0 };
    /// One day.
    pub(super) const DAY: Self = Self { days: 1, seconds: 0 };

    /// Between two moments; days between dates.
    pub(super) fn between(start: &Moment, end: &Moment) -> Option<Self> {
        if start.is_date && end.is_date {
            let days = start.civil.date().until(end.civil.date()).ok()?.get_days();
            return Self { days: i64::from(days), seconds: 0 }.checked();
        }
        let seconds = end.instant()?.seconds_since(start.instant()?);
        Self { days: 0, seconds }.checked()
    }

    /// Of a duration in a file.
    pub(super) fn of(duration: &ICalendarDuration) -> Option<Self> {
        if duration.neg {
            return None;
        }
        let days = i64::from(duration.weeks) * 7 + i64::from(duration.days);
        let (hours, minutes) = (i64::from(duration.hours), i64::from(duration.minutes));
        let seconds = hours * 3600 + minutes * 60 + i64::from(duration.seconds);
        Self { days, seconds }.checked()
    }

    /// The days that it takes, a part of one as a whole one.
    pub(super) fn whole_days(self) -> i64 {
        self.days.saturating_add(self.seconds.div_euclid(86_400)).saturating_add(1)
    }

    /// Whether it is nothing at all.
    pub(super) fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    fn checked(self) -> Option<Self> {
        let days = self.days.checked_add(self.seconds.div_euclid(86_400))?;
        (0..=DAYS_MAX).contains(&days).then_some(self)
    }
}

fn later(instant: Timestamp, seconds: i64) -> Option<Timestamp> {
    let moved = instant.jiff().checked_add(SignedDuration::from_secs(seconds)).ok()?;
    Some(Timestamp::from_jiff(moved))
}

/// The local time of a file's date or time, and whether it is a date.
pub(super) fn civil(partial: &PartialDateTime) -> Option<(DateTime, bool)> {
    let year = i16::try_from(partial.year?).ok()?;
    let month = i8::try_from(partial.month?).ok()?;
    let date = Date::new(year, month, i8::try_from(partial.day?).ok()?).ok()?;
    let Some(hour) = partial.hour else {
        return Some((date.to_datetime(Time::midnight()), true));
    };
    let minute = i8::try_from(partial.minute.unwrap_or(0)).ok()?;
    let second = i8::try_from(partial.second.unwrap_or(0).min(59)).ok()?;
    // Some programs write the end of a day as 24:00.
    if hour == 24 && minute == 0 && second == 0 {
        return Some((date.tomorrow().ok()?.to_datetime(Time::midnight()), false));
    }
    let time = Time::new(i8::try_from(hour).ok()?, minute, second, 0).ok()?;
    Some((date.to_datetime(time), false))
}

/// The zone of a file's time that has an offset or ends with Z.
pub(super) fn own_zone(partial: &PartialDateTime) -> Option<TimeZone> {
    let hours = i32::from(partial.tz_hour?);
    let seconds = hours * 3600 + i32::from(partial.tz_minute.unwrap_or(0)) * 60;
    let seconds = if partial.tz_minus { -seconds } else { seconds };
    Some(TimeZone::fixed(Offset::from_seconds(seconds).ok()?))
}

/// A local time as the library writes it.
pub(super) fn partial(civil: DateTime) -> Option<PartialDateTime> {
    Some(PartialDateTime {
        year: u16::try_from(civil.year()).ok(),
        month: u8::try_from(civil.month()).ok(),
        day: u8::try_from(civil.day()).ok(),
        hour: u8::try_from(civil.hour()).ok(),
        minute: u8::try_from(civil.minute()).ok(),
        second: u8::try_from(civil.second()).ok(),
        ..PartialDateTime::default()
    })
}

/// The local time whose seconds the library counts as if it were in UTC.
pub(super) fn civil_of_seconds(seconds: i64) -> Option<DateTime> {
    let instant = JiffTimestamp::from_second(seconds).ok()?;
    Some(instant.to_zoned(TimeZone::UTC).datetime())
}

//! The zones of a calendar file. A name decides, because programs define well-known zones wrongly
//! and without their history; a definition counts only where its name says nothing.

use std::cell::Cell;
use std::collections::HashMap;
use std::str::FromStr as _;

use calcard::common::PartialDateTime;
use calcard::common::timezone::Tz;
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarFrequency, ICalendarProperty,
    ICalendarValue, ICalendarWeekday,
};
use jiff::civil::DateTime;
use jiff::tz::{Offset, TimeZone};

use super::moments::{Moment, civil};

/// The zones of one file.
#[derive(Debug)]
pub(super) struct Zones {
    defined: HashMap<String, TimeZone>,
    /// Of times that name no zone.
    floating: TimeZone,
    /// Of dates, and of times whose zone is not known.
    practice: TimeZone,
    /// How many times had a zone that is not known.
    unknown: Cell<usize>,
}

impl Zones {
    /// The zones of a file that a practice reads in its own zone.
    pub(super) fn of(calendar: &ICalendar, practice: &TimeZone) -> Self {
        let mut defined = HashMap::new();
        let mut floating = None;
        for component in &calendar.components {
            match component.component_type {
                ICalendarComponentType::VTimezone => {
                    let named = component.timezone().and_then(|(_, zone)| of_library(zone));
                    let zone = named.or_else(|| definition(calendar, component));
                    if let (Some(name), Some(zone)) = (zone_id(component), zone) {
                        defined.insert(name.to_owned(), zone);
                    }
                }
                ICalendarComponentType::VCalendar => {
                    floating = floating.or_else(|| of_name(text(component, "X-WR-TIMEZONE")?));
                }
                _ => {}
            }
        }
        let floating = floating.unwrap_or_else(|| practice.clone());
        Self { defined, floating, practice: practice.clone(), unknown: Cell::new(0) }
    }

    /// How many times had a zone that is not known; they were read in the practice's.
    pub(super) fn unknown(&self) -> usize {
        self.unknown.get()
    }

    /// A date or time of the file, with the zone that its property names.
    pub(super) fn moment(
        &self,
        partial: &PartialDateTime,
        zone_id: Option<&str>,
    ) -> Option<Moment> {
        let (civil, is_date) = civil(partial)?;
        let zone = if is_date {
            self.practice.clone()
        } else {
            super::moments::own_zone(partial).unwrap_or_else(|| self.resolve(zone_id))
        };
        Some(Moment { civil, zone, is_date })
    }

    fn resolve(&self, zone_id: Option<&str>) -> TimeZone {
        let Some(zone_id) = zone_id else { return self.floating.clone() };
        if let Some(defined) = self.defined.get(zone_id) {
            return defined.clone();
        }
        of_name(zone_id).unwrap_or_else(|| {
            self.unknown.set(self.unknown.get() + 1);
            self.practice.clone()
        })
    }
}

/// The zone of a name: IANA's, Windows', Outlook's descriptions, or a path that ends with IANA's.
fn of_name(name: &str) -> Option<TimeZone> {
    let name = name.trim().trim_matches('"');
    let of_table = || of_library(Tz::from_str(name).ok()?);
    TimeZone::get(name).ok().or_else(|| of_path(name)).or_else(|| match described_offset(name) {
        Some(offset) => Some(of_description(offset, of_table())),
        None => of_table(),
    })
}

/// The zone at the end of a path such as "/mozilla.org/20070129_1/Europe/Berlin".
fn of_path(name: &str) -> Option<TimeZone> {
    let mut rest = name.strip_prefix('/')?;
    while let Some((_, end)) = rest.split_once('/') {
        if let Ok(zone) = TimeZone::get(end) {
            return Some(zone);
        }
        rest = end;
    }
    None
}

/// The standard offset in a description such as "(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi".
fn described_offset(name: &str) -> Option<Offset> {
    let (offset, _) = name.strip_prefix("(UTC")?.split_once(')')?;
    let (sign, rest) = match offset.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, offset.strip_prefix('+')?),
    };
    let (hours, minutes) = rest.split_once(':')?;
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    Offset::from_seconds(sign * (hours * 60 + minutes) * 60).ok()
}

/// The zone of the library's table, where it has the described offset in the winter or the summer
/// of 2026; the table is wrong about some descriptions.
fn of_description(offset: Offset, of_table: Option<TimeZone>) -> TimeZone {
    let has_offset = |zone: &TimeZone| {
        [jiff::civil::date(2026, 1, 1), jiff::civil::date(2026, 7, 1)]
            .into_iter()
            .any(|day| day.to_zoned(zone.clone()).is_ok_and(|noon| noon.offset() == offset))
    };
    of_table.filter(has_offset).unwrap_or_else(|| TimeZone::fixed(offset))
}

fn of_library(zone: Tz) -> Option<TimeZone> {
    match zone {
        Tz::Fixed(offset) => {
            Some(TimeZone::fixed(Offset::from_seconds(offset.local_minus_utc()).ok()?))
        }
        Tz::Floating | Tz::Tz(_) => TimeZone::get(&zone.name()?).ok(),
    }
}

fn zone_id(component: &ICalendarComponent) -> Option<&str> {
    let entry = component.property(&ICalendarProperty::Tzid)?;
    entry.values.first()?.as_text()
}

fn text<'c>(component: &'c ICalendarComponent, name: &str) -> Option<&'c str> {
    let named = |entry: &&calcard::icalendar::ICalendarEntry| match &entry.name {
        ICalendarProperty::Other(other) => other.eq_ignore_ascii_case(name),
        _ => false,
    };
    component.entries.iter().find(named)?.values.first()?.as_text()
}

/// A half of a year that a definition describes.
struct Observance {
    offset_seconds: i32,
    /// When it began the last time that the definition says.
    since: DateTime,
    /// When it begins each year, as POSIX writes it.
    begins: Option<String>,
}

/// The zone that a definition describes: its latest standard time, and its latest daylight-saving
/// time where both begin by a yearly rule.
fn definition(calendar: &ICalendar, component: &ICalendarComponent) -> Option<TimeZone> {
    let (mut standard, mut daylight): (Option<Observance>, Option<Observance>) = (None, None);
    for id in &component.component_ids {
        let Some(child) = calendar.component_by_id(*id) else { continue };
        let latest = match child.component_type {
            ICalendarComponentType::Standard => &mut standard,
            ICalendarComponentType::Daylight => &mut daylight,
            _ => continue,
        };
        let Some(read) = observance(child) else { continue };
        if latest.as_ref().is_none_or(|known| known.since <= read.since) {
            *latest = Some(read);
        }
    }
    let standard = standard.or_else(|| daylight.take())?;
    let fixed = || Some(TimeZone::fixed(Offset::from_seconds(standard.offset_seconds).ok()?));
    let Some(daylight) = daylight else { return fixed() };
    match (&standard.begins, &daylight.begins) {
        (Some(to_standard), Some(to_daylight)) => {
            let (usual, summer) = (standard.offset_seconds, daylight.offset_seconds);
            let (usual, summer) = (posix_offset(usual), posix_offset(summer));
            let rule = format!("<STD>{usual}<DST>{summer},{to_daylight},{to_standard}");
            TimeZone::posix(&rule).ok()
        }
        _ => fixed(),
    }
}

fn observance(component: &ICalendarComponent) -> Option<Observance> {
    let value = |name| component.property(&name)?.values.first();
    let offset_seconds = match value(ICalendarProperty::Tzoffsetto)? {
        ICalendarValue::PartialDateTime(offset) => {
            let hours = i32::from(offset.tz_hour?);
            let seconds = hours * 3600 + i32::from(offset.tz_minute.unwrap_or(0)) * 60;
            if offset.tz_minus { -seconds } else { seconds }
        }
        _ => return None,
    };
    let since = match value(ICalendarProperty::Dtstart)? {
        ICalendarValue::PartialDateTime(start) => civil(start)?.0,
        _ => return None,
    };
    let begins = match value(ICalendarProperty::Rrule) {
        Some(ICalendarValue::RecurrenceRule(rule)) if rule.until.is_none() => {
            yearly_begin(rule, since)
        }
        _ => None,
    };
    Some(Observance { offset_seconds, since, begins })
}

/// A yearly rule such as "the last Sunday of March", as POSIX writes it.
fn yearly_begin(
    rule: &calcard::icalendar::ICalendarRecurrenceRule,
    since: DateTime,
) -> Option<String> {
    if rule.freq != ICalendarFrequency::Yearly {
        return None;
    }
    let month = rule
        .bymonth
        .first()
        .map_or(u8::try_from(since.month()).ok()?, calcard::icalendar::ICalendarMonth::month);
    let day = rule.byday.first()?;
    let week = match day.ordwk? {
        -1 => 5,
        week @ 1..=5 => week,
        _ => return None,
    };
    let weekday = match day.weekday {
        ICalendarWeekday::Sunday => 0,
        ICalendarWeekday::Monday => 1,
        ICalendarWeekday::Tuesday => 2,
        ICalendarWeekday::Wednesday => 3,
        ICalendarWeekday::Thursday => 4,
        ICalendarWeekday::Friday => 5,
        ICalendarWeekday::Saturday => 6,
    };
    let time = since.time();
    Some(format!("M{month}.{week}.{weekday}/{:02}:{:02}", time.hour(), time.minute()))
}

/// POSIX counts offsets to the west.
fn posix_offset(seconds: i32) -> String {
    let sign = if seconds > 0 { "-" } else { "" };
    let minutes = seconds.abs() / 60;
    format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
}

//! One event of a calendar file: when it is, how it recurs, and whether it keeps its owner busy.

use calcard::common::IanaParse as _;
use calcard::icalendar::{
    ICalendarComponent, ICalendarDuration, ICalendarEntry, ICalendarParameterName, ICalendarPeriod,
    ICalendarProperty, ICalendarRecurrenceRule, ICalendarStatus, ICalendarTransparency,
    ICalendarValue,
};

use super::moments::{Length, Moment};
use super::zones::Zones;

/// Apple's word for the time on the way to an event.
const TRAVEL: &str = "X-APPLE-TRAVEL-DURATION";

/// An event, or one exception of a series.
#[derive(Debug)]
pub(super) struct Event {
    /// The id that a series and its exceptions share; empty where the file has none.
    pub(super) uid: String,
    /// Which of two versions is newer.
    pub(super) sequence: i64,
    /// When it starts; the first time of a series.
    pub(super) start: Moment,
    /// How long it takes.
    pub(super) length: Length,
    /// How long its owner is on the way to it.
    pub(super) travel: Length,
    /// How it recurs.
    pub(super) rules: Vec<ICalendarRecurrenceRule>,
    /// Further times, some with a length of their own.
    pub(super) more: Vec<(Moment, Option<Length>)>,
    /// Times at which the series does not take place.
    pub(super) exceptions: Vec<Moment>,
    /// The time of the series that this event stands for.
    pub(super) replaces: Option<Moment>,
    /// Whether it stands for all times from there on.
    pub(super) replaces_all_later: bool,
    /// Whether its owner is busy then.
    pub(super) is_busy: bool,
    /// Whether a part of it could not be understood.
    pub(super) is_odd: bool,
}

impl Event {
    /// Reads an event; `None` when it has no usable start.
    pub(super) fn read(component: &ICalendarComponent, zones: &Zones) -> Option<Self> {
        let start_entry = component.property(&ICalendarProperty::Dtstart);
        let replaced = component.property(&ICalendarProperty::RecurrenceId);
        // An exception without a start is at the time that it stands for.
        let start = moments(start_entry.or(replaced)?, zones).next()??;
        let mut event = Self {
            uid: component.uid().unwrap_or_default().trim().to_owned(),
            sequence: 0,
            length: if start.is_date { Length::DAY } else { Length::ZERO },
            start,
            travel: Length::ZERO,
            rules: Vec::new(),
            more: Vec::new(),
            exceptions: Vec::new(),
            replaces: None,
            replaces_all_later: false,
            is_busy: is_busy(component),
            is_odd: false,
        };
        for entry in &component.entries {
            if event.read_entry(entry, zones).is_none() {
                event.is_odd = true;
            }
        }
        Some(event)
    }

    /// Reads one property; `None` when it matters and cannot be understood.
    fn read_entry(&mut self, entry: &ICalendarEntry, zones: &Zones) -> Option<()> {
        match &entry.name {
            ICalendarProperty::Dtend => self.read_end(entry, zones)?,
            ICalendarProperty::Duration => {
                let Some(ICalendarValue::Duration(duration)) = entry.values.first() else {
                    return None;
                };
                self.length = Length::of(duration)?;
            }
            ICalendarProperty::Sequence => {
                if let Some(ICalendarValue::Integer(sequence)) = entry.values.first() {
                    self.sequence = *sequence;
                }
            }
            ICalendarProperty::RecurrenceId => {
                self.replaces = Some(moments(entry, zones).next()??);
                self.replaces_all_later =
                    entry.parameters(&ICalendarParameterName::Range).next().is_some();
            }
            ICalendarProperty::Rrule => match entry.values.first() {
                Some(ICalendarValue::RecurrenceRule(rule)) => self.rules.push((**rule).clone()),
                _ => return None,
            },
            ICalendarProperty::Exdate => {
                // One that cannot be read excepts nothing: its time stays closed.
                let known: Vec<Option<Moment>> = moments(entry, zones).collect();
                let all = known.iter().all(Option::is_some);
                self.exceptions.extend(known.into_iter().flatten());
                return all.then_some(());
            }
            ICalendarProperty::Rdate => {
                for value in &entry.values {
                    self.more.push(further(value, entry.tz_id(), zones)?);
                }
            }
            ICalendarProperty::Other(name) if name.eq_ignore_ascii_case(TRAVEL) => {
                let text = match entry.values.first() {
                    Some(ICalendarValue::Duration(duration)) => return self.set_travel(duration),
                    Some(value) => value.as_text()?,
                    None => return Some(()),
                };
                self.set_travel(&ICalendarDuration::parse(text.trim().as_bytes())?)?;
            }
            _ => {}
        }
        Some(())
    }

    fn set_travel(&mut self, duration: &ICalendarDuration) -> Option<()> {
        self.travel = Length::of(duration)?;
        Some(())
    }

    fn read_end(&mut self, entry: &ICalendarEntry, zones: &Zones) -> Option<()> {
        let mut end = moments(entry, zones).next()??;
        // An end without a zone of its own is in the start's.
        let names_zone = entry.tz_id().is_some() || has_offset(entry);
        if !names_zone && !end.is_date && !self.start.is_date {
            end.zone = self.start.zone.clone();
            end.is_unsure = false;
        }
        self.start.is_unsure |= end.is_unsure;
        let length = Length::between(&self.start, &end)?;
        // A whole day that ends on its own date lasts until that day's end.
        self.length = if length.is_zero() && self.start.is_date { Length::DAY } else { length };
        Some(())
    }
}

fn has_offset(entry: &ICalendarEntry) -> bool {
    match entry.values.first() {
        Some(ICalendarValue::PartialDateTime(value)) => value.has_zone(),
        _ => false,
    }
}

/// The moments of a property; `None` for each value that is none.
fn moments<'e>(
    entry: &'e ICalendarEntry,
    zones: &'e Zones,
) -> impl Iterator<Item = Option<Moment>> + 'e {
    entry.values.iter().map(move |value| match value {
        ICalendarValue::PartialDateTime(value) => zones.moment(value, entry.tz_id()),
        _ => None,
    })
}

fn further(
    value: &ICalendarValue,
    zone_id: Option<&str>,
    zones: &Zones,
) -> Option<(Moment, Option<Length>)> {
    match value {
        ICalendarValue::PartialDateTime(value) => Some((zones.moment(value, zone_id)?, None)),
        ICalendarValue::Period(ICalendarPeriod::Range { start, end }) => {
            let start = zones.moment(start, zone_id)?;
            let length = Length::between(&start, &zones.moment(end, zone_id)?)?;
            Some((start, Some(length)))
        }
        ICalendarValue::Period(ICalendarPeriod::Duration { start, duration }) => {
            Some((zones.moment(start, zone_id)?, Some(Length::of(duration)?)))
        }
        _ => None,
    }
}

/// Whether an event keeps its owner busy: it is not cancelled, and it is not marked as free.
fn is_busy(component: &ICalendarComponent) -> bool {
    let cancelled = component.status() == Some(&ICalendarStatus::Cancelled);
    let transparency = component.transparency();
    let transparent = transparency == Some(&ICalendarTransparency::Transparent);
    // Outlook's own word counts where the standard's is missing.
    let marked_free = transparency.is_none()
        && component.entries.iter().any(|entry| match &entry.name {
            ICalendarProperty::Other(name) => {
                name.eq_ignore_ascii_case("X-MICROSOFT-CDO-BUSYSTATUS")
                    && entry
                        .values
                        .first()
                        .and_then(ICalendarValue::as_text)
                        .is_some_and(|word| word.trim().eq_ignore_ascii_case("FREE"))
            }
            _ => false,
        });
    !(cancelled || transparent || marked_free)
}

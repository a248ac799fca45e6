//! The zones of a calendar file. A name decides, because programs define well-known zones wrongly
//! and without their history; a definition counts only where its name says nothing, or describes.

mod definition;
mod names;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use calcard::common::PartialDateTime;
use calcard::icalendar::{
    ICalendar, ICalendarComponent, ICalendarComponentType, ICalendarProperty,
};
use jiff::tz::TimeZone;

use self::definition::definition;
use self::names::{of_library, of_name};
use super::moments::{Moment, civil};

/// The most definitions of a file that are read.
const DEFINITIONS_MAX: usize = 200;

/// The zones of one file.
#[derive(Debug)]
pub(super) struct Zones {
    defined: HashMap<String, TimeZone>,
    /// Of times that name no zone.
    floating: TimeZone,
    /// Of dates, and the guess for times whose zone is not known.
    practice: TimeZone,
    /// What names without a definition mean.
    named: RefCell<HashMap<String, Option<TimeZone>>>,
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
                ICalendarComponentType::VTimezone if defined.len() < DEFINITIONS_MAX => {
                    let Some(name) = zone_id(component) else { continue };
                    let named = || component.timezone().and_then(|(_, zone)| of_library(zone));
                    let by_definition = || definition(calendar, component);
                    // Of many a description, such as "(GMT+01.00) Bern / Rom", the library knows
                    // no more than its whole hours.
                    let zone = if name.starts_with('(') {
                        by_definition().or_else(|| of_name(name))
                    } else {
                        named().or_else(by_definition)
                    };
                    defined.extend(zone.map(|zone| (name.to_owned(), zone)));
                }
                ICalendarComponentType::VCalendar => {
                    floating = floating.or_else(|| of_name(text(component, "X-WR-TIMEZONE")?));
                }
                _ => {}
            }
        }
        let floating = floating.unwrap_or_else(|| practice.clone());
        let (practice, named) = (practice.clone(), RefCell::default());
        Self { defined, floating, practice, named, unknown: Cell::new(0) }
    }

    /// How many times had a zone that is not known; each may be in any.
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
        let own = super::moments::own_zone(partial);
        let zone = if is_date { Some(self.practice.clone()) } else { own };
        let zone = zone.or_else(|| self.resolve(zone_id));
        let is_unsure = zone.is_none();
        self.unknown.set(self.unknown.get() + usize::from(is_unsure));
        let zone = zone.unwrap_or_else(|| self.practice.clone());
        Some(Moment { civil, zone, is_date, is_unsure })
    }

    /// The zone that a property names; `None` when it is not known.
    fn resolve(&self, zone_id: Option<&str>) -> Option<TimeZone> {
        let Some(zone_id) = zone_id else { return Some(self.floating.clone()) };
        if let Some(defined) = self.defined.get(zone_id) {
            return Some(defined.clone());
        }
        let mut named = self.named.borrow_mut();
        named.entry(zone_id.to_owned()).or_insert_with(|| of_name(zone_id)).clone()
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
